"""Search/replace edits and unified diffs of existing files: tolerant of blanks, never ambiguous.

A search must match in exactly one place; of exact, blank-tolerant and loose matching
(``loose_edits.py``), the first that finds anything decides. Edits follow one another;
where one is not found then, all are looked for in the file as it was. Each hunk of a diff becomes
an edit whose context must be in the file; its line numbers, which models get wrong, do not count.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from runner.answers.file_lines import FileLines, Hunk
from runner.answers.loose_edits import loosely
from runner.answers.pieces import AnswerPiece, FileEdit, FoundPieces, join, unreadable
from runner.state.findings import Complaint
from runner.text.compared import Compared

if TYPE_CHECKING:
    from unidiff.patch import PatchedFile

_SEARCH = re.compile(r"^\s*<{5,9} ?(?P<word>SEARCH|ORIGINAL|HEAD)\b.*$")
_MIDDLE = re.compile(r"^\s*={5,9}\s*$")
_REPLACE = re.compile(r"^\s*>{5,9} ?(?:REPLACE|UPDATED|\w+)?.*$")
_END = re.compile(r"^\s*>{5,9} ?(?:REPLACE|UPDATED)\b")
_CONFLICT = "HEAD"
"""What git writes after the first mark of a conflict, and some models after that of an edit."""
_LOOKED_THROUGH, _WIDEST = 5_000, 100
_MOST_EDITS = 200
_MOST_SHOWN = 20
_MOST_DIVISIONS = 50

OldLines = Callable[[int], Sequence[str]]
"""The lines of the file that the edit at an index is about, none where that is not known."""


def has_edits(lines: Sequence[str]) -> bool:
    """Whether the lines hold a search/replace marker."""
    return any(_SEARCH.match(line) for line in lines)


def are_edits(lines: Sequence[str], old: Sequence[str] | None) -> bool:
    """Whether a block that names a file is edits of it; a text may have such marks, too.

    ``old`` are the lines that the file has, None where there is no file. Edits begin with a mark;
    behind other lines it is one only if the file has no such line, and is no mark of git's.
    """
    first = next((line for line in lines if line.strip()), "")
    if _SEARCH.match(first):
        return True
    marks = [found for line in lines if (found := _SEARCH.match(line))]
    there = {line.rstrip() for line in old or ()}
    return any(m["word"] != _CONFLICT and m[0].rstrip() not in there for m in marks)


def edits_span(lines: Sequence[str]) -> tuple[int, int]:
    """Return the index of the first line of the edits, and that of the line after the last."""
    marks = [at for at, line in enumerate(lines) if _SEARCH.match(line) or _REPLACE.match(line)]
    return marks[0], marks[-1] + 1


def read_edits(lines: Sequence[str], old: OldLines) -> list[tuple[int, FileEdit]] | int:
    """Return the edits and where each begins (index); or the index where one is unfinished."""
    found: list[tuple[int, FileEdit]] = []
    at = 0
    while at < len(lines):
        mark = _SEARCH.match(lines[at])
        if not mark:
            at += 1
            continue
        ends = _ends(lines, at, mark["word"])
        middles = [n for n in range(at + 1, ends[-1] if ends else 0) if _MIDDLE.match(lines[n])]
        if not middles:
            return at
        middle, end = _division(lines, at, middles, ends, old)
        found.append((at, FileEdit(tuple(lines[at + 1 : middle]), tuple(lines[middle + 1 : end]))))
        at = end + 1
    return found


def _ends(lines: Sequence[str], start: int, word: str) -> list[int]:
    """Return where an edit can end: before the next one begins, at a mark that says REPLACE.

    Where none says it, at the first mark after a divider.
    """
    stop = next(
        (
            at
            for at in range(start + 1, len(lines))
            if (found := _SEARCH.match(lines[at])) and found["word"] == word
        ),
        len(lines),
    )
    sure = [at for at in range(start + 1, stop) if _END.match(lines[at])]
    if sure:
        return sure
    middle = _next(lines, start + 1, _MIDDLE)
    end = _next(lines, middle + 1, _REPLACE)
    return [end] if end < len(lines) else []


def _division(
    lines: Sequence[str], start: int, middles: Sequence[int], ends: Sequence[int], old: OldLines
) -> tuple[int, int]:
    """Return the divider and the end of an edit whose text may have lines like them.

    The longest search that the file has decides; else the first divider of the end mark's length.
    """
    end = ends[0]
    inside = [at for at in middles if at < end] or middles
    if len(middles) > 1:
        there = [line.rstrip() for line in old(start)]
        for middle in reversed(middles[:_MOST_DIVISIONS]):
            wanted = "\n".join(line.rstrip() for line in lines[start + 1 : middle]).strip("\n")
            if _matches(there, wanted.split("\n")):
                return middle, next((at for at in ends if at > middle), ends[-1])
    size = len(lines[start].strip().partition(" ")[0])
    alike = [at for at in inside if len(lines[at].strip()) == size]
    middle = (alike or inside)[0]
    return middle, next((at for at in ends if at > middle), ends[-1])


def apply_edits(file: FileLines, edits: Sequence[FileEdit], *, place: str) -> bytes | Complaint:
    """Return the content after the edits, every untouched byte kept; or why one does not fit."""
    if len(edits) > _MOST_EDITS:
        message = f"{place} has {len(edits)} edits of {file.path}."
        advice = "Give the whole file instead."
        return Complaint(file.path, "UnreadableAnswer", message, advice=advice)
    result = _one_by_one(file, edits)
    if isinstance(result, Complaint):
        together = _all_at_once(file, edits)
        if together is None:
            return replace(result, path=file.path, message=f"{place}: {result.message}")
        result = together
    return result.content()


def _one_by_one(file: FileLines, edits: Sequence[FileEdit]) -> FileLines | Complaint:
    """Each edit is of what the ones before it left."""
    for edit in edits:
        result = _apply(file, edit)
        if isinstance(result, Complaint):
            return result
        file = result
    return file


def _all_at_once(file: FileLines, edits: Sequence[FileEdit]) -> FileLines | None:
    """Each edit is of the file as it was: their context overlaps, what they change does not.

    None where one is not found there exactly once, or two change the same lines differently.
    """
    bare = file.texts
    hunks: set[Hunk] = set()
    for edit in edits:
        placed, starts = _placed(bare, edit)
        if len(starts) != 1:
            return None
        hunks.update(_changed(bare, starts[0], placed))
    ordered = sorted(hunks)
    if any(after[0] < before[1] or after[0] == before[0] for before, after in pairwise(ordered)):
        return None
    return file.changed(ordered)


def _changed(bare: Sequence[str], start: int, edit: FileEdit) -> Iterator[Hunk]:
    """What an edit changes, without its context."""
    there = bare[start : start + len(edit.search)]
    for kind, old, old_end, new, new_end in Compared(there, edit.replace).get_opcodes():
        if kind != "equal":
            yield start + old, start + old_end, edit.replace[new:new_end]


def _apply(file: FileLines, edit: FileEdit) -> FileLines | Complaint:
    bare = file.texts
    edit, starts = _placed(bare, edit)
    if len(starts) > 1 and edit.line is not None and edit.line - 1 in starts:
        starts = [edit.line - 1]
    if _is_done(bare, edit, starts):
        return file
    if not starts:
        return _not_found(bare, edit)
    if len(starts) > 1:
        lines = ", ".join(str(start + 1) for start in starts[:10])
        message = f"these lines occur {len(starts)} times (at lines {lines})."
        advice = "Give more lines around them, so that they occur once."
        return Complaint("", "AmbiguousEdit", message, starts[0] + 1, advice=advice)
    at, size = starts[0], len(edit.search)
    if not edit.replace and at + size == len(bare):
        return file.changed([(at, at + size, ("",))])
    return file.changed([*_changed(bare, at, edit)])


def _placed(bare: Sequence[str], edit: FileEdit) -> tuple[FileEdit, list[int]]:
    """Return where the search matches, and the edit as the file would write it."""
    if starts := _matches(bare, edit.search):
        return edit, starts
    without_ends = [line.rstrip() for line in edit.search]
    if starts := _matches([line.rstrip() for line in bare], without_ends):
        return edit, starts
    found, starts = loosely(bare, edit) or (edit, [])
    return found, starts[: _MOST_SHOWN + 1]


def _is_done(bare: Sequence[str], edit: FileEdit, starts: Sequence[int]) -> bool:
    """Whether the edit only adds lines that already exist: a repair gives its edits again."""
    within = _matches(edit.replace, edit.search)
    if len(starts) != 1 or len(within) != 1 or len(edit.replace) == len(edit.search):
        return False
    first = starts[0] - within[0]
    return first >= 0 and list(bare[first : first + len(edit.replace)]) == list(edit.replace)


def _matches(lines: Sequence[str], search: Sequence[str]) -> list[int]:
    if not any(line.strip() for line in search):
        return []
    first, size, wanted = search[0], len(search), list(search)
    return [
        at
        for at in range(len(lines) - size + 1)
        if lines[at] == first and list(lines[at : at + size]) == wanted
    ]


def _next(lines: Sequence[str], start: int, pattern: re.Pattern[str]) -> int:
    return next((at for at in range(start, len(lines)) if pattern.match(lines[at])), len(lines))


def _not_found(bare: Sequence[str], edit: FileEdit) -> Complaint:
    wanted = next((line.strip() for line in edit.search if line.strip()), "")
    if not wanted:
        return Complaint("", "EditNotFound", "the SEARCH part is empty, but the file exists.")
    stripped = [line.strip()[:_WIDEST] for line in bare[:_LOOKED_THROUGH]]
    near = difflib.get_close_matches(wanted[:_WIDEST], stripped, n=1, cutoff=0.6)
    message = f"these lines are not in the file (the first is {wanted!r})."
    if not near:
        advice = "Copy them exactly from the file."
        return Complaint("", "EditNotFound", message, advice=advice)
    at = stripped.index(near[0])
    shown = enumerate(bare[at : at + max(len(edit.search), 1)], at + 1)
    excerpt = "\n".join(f"{number:5} | {line}" for number, line in shown)
    advice = f"Did you mean those from line {at + 1} on?"
    return Complaint("", "EditNotFound", message, at + 1, excerpt=excerpt, advice=advice)


_HEADER = re.compile(r"^@@(?: -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@.*|.*)$")
_OF_GIT = r"(?:new|deleted) file mode |(?:old|new) mode |(?:rename|copy) (?:from|to) "
_FILE = re.compile(rf"^(?:diff --git |index [0-9a-f]|--- |\+\+\+ |{_OF_GIT})")
_SOURCE = re.compile(r"^(rename|copy) from (.+)$", re.MULTILINE)
_GIT = "diff --git "
_NOWHERE = "/dev/null"


def is_diff(lines: Sequence[str], info: str = "") -> bool:
    """Whether the lines are a unified diff (with ``---``/``+++`` or a hunk header)."""
    if info.split(" ")[0].lower() in {"diff", "patch", "udiff"}:
        return any(line.startswith(("@@", "+++ ", _GIT)) for line in lines)
    start = [line for line in lines if line.strip()][:4]
    pair = any(a.startswith("--- ") and b.startswith("+++ ") for a, b in pairwise(start))
    return pair or bool(start and start[0].startswith(("diff --git ", "@@ -")))


def read_diff(lines: Sequence[str], *, place: str, path: str = "") -> FoundPieces:
    """Return the pieces of a diff; ``path`` is what the block says when the diff has no header."""
    from unidiff.errors import UnidiffParseError
    from unidiff.patch import PatchSet

    text = "\n".join(_repaired_lines(lines, path)) + "\n"
    try:
        files = PatchSet(text)
    except (UnidiffParseError, ValueError) as error:
        return FoundPieces(
            complaints=(unreadable(f"{place} is no readable diff: {error}", path=path),)
        )
    pieces = tuple(piece for file in files for piece in _pieces(file, place))
    if not pieces:
        return FoundPieces(
            complaints=(unreadable(f"{place} is a diff that changes no file", path=path),)
        )
    return FoundPieces(pieces)


def read_diffs(lines: Sequence[str], *, place: str) -> FoundPieces:
    """Return the pieces of each diff that stands in a text without a fence."""
    starts, found = _diff_starts(lines), []
    for start, stop in pairwise([*starts, len(lines)]):
        some = lines[start:stop]
        changed = [at for at, line in enumerate(some) if line.startswith(("+", "-", " "))]
        found.append(read_diff(some[: max([0, *changed]) + 1], place=place))
    return join(found)


def has_diffs(lines: Sequence[str]) -> bool:
    """Whether a diff stands among the lines of a text without a fence."""
    return bool(_diff_starts(lines))


def _diff_starts(lines: Sequence[str]) -> list[int]:
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    return [at for at in range(first, len(lines)) if _begins_diff(lines, at, first)]


def _begins_diff(lines: Sequence[str], at: int, first: int) -> bool:
    """Whether the diff of a file begins here, and not in the lines above that belong to it."""
    line, after = lines[at], "".join(lines[at + 1 : at + 2])
    if line.startswith("--- ") and after.startswith("+++ "):
        return not any(each.startswith(_GIT) for each in lines[max(0, at - 4) : at])
    return line.startswith(_GIT) or (at == first and line.startswith("@@ -"))


def _pieces(file: PatchedFile, place: str) -> Iterator[AnswerPiece]:
    """Yield what a diff says of a file: of its lines, its name, and whether it is executable."""
    info = str(file.patch_info or "")
    source, target = _bare(file.source_file), _bare(file.target_file)
    mode = file.target_mode if file.target_mode != file.source_mode else None
    moved = _SOURCE.search(info)
    if moved:
        source, is_copy = _bare(moved[2].strip()), moved[1] == "copy"
        edits = tuple(_edits(file))
        yield AnswerPiece(target, place, edits=edits, mode=mode, source=source, is_copy=is_copy)
    elif target == _NOWHERE:
        yield AnswerPiece(source, place)
    elif source == _NOWHERE:
        text = "".join(line.value for hunk in file for line in hunk.target_lines())
        yield AnswerPiece(target, place, text=text, mode=mode)
    elif file or mode:
        yield AnswerPiece(target, place, edits=tuple(_edits(file)), mode=mode)


def _bare(name: str) -> str:
    return name if name == _NOWHERE else re.sub(r"^[abiwco]/", "", name.strip('"'))


def _edits(file: PatchedFile) -> Iterator[FileEdit]:
    for hunk in file:
        if edit := hunk_edit([str(line).rstrip("\n") for line in hunk], hunk.source_start):
            yield edit


def hunk_edit(body: Sequence[str], line: int | None = None) -> FileEdit | None:
    """Return a hunk as an edit, None where it changes nothing; ``line`` is where it begins.

    A line without a mark is context that lost its blank; "No newline at end of file" is a last line
    without the '' after it.
    """
    kept = list(body)
    while kept and not kept[-1].strip():
        kept.pop()
    kept = [line if line[:1] in {" ", "+", "-", "\\"} and line else f" {line}" for line in kept]
    search = [line[1:] for line in kept if line[0] in " -"]
    replace = [line[1:] for line in kept if line[0] in " +"]
    unended = {line[0] for line, after in pairwise(kept) if after[0] == "\\"}
    if unended == {"-"}:
        replace.append("")
    elif unended == {"+"}:
        search.append("")
    changes = any(line[0] in "+-" for line in kept)
    return FileEdit(tuple(search), tuple(replace), line) if changes else None


def _repaired_lines(lines: Sequence[str], path: str) -> Iterator[str]:
    """Yield the diff with file headers where they lack and every hunk counted again."""
    if path and not any(line.startswith("+++ ") for line in lines):
        yield from (f"--- a/{path}", f"+++ b/{path}")
    at = 0
    while at < len(lines):
        header = _HEADER.match(lines[at]) if lines[at].startswith("@@") else None
        if header is None:
            if _FILE.match(lines[at]):
                yield lines[at]
            at += 1
            continue
        end = _hunk_end(lines, at + 1)
        yield from _counted(header[1] or "1", lines[at + 1 : end])
        at = end


def _hunk_end(lines: Sequence[str], start: int) -> int:
    for at in range(start, len(lines)):
        next_file = lines[at].startswith("--- ") and lines[at + 1 : at + 2] != []
        if lines[at].startswith(("@@", "diff --git ")) or (
            next_file and lines[at + 1].startswith("+++ ")
        ):
            return at
    return len(lines)


def _counted(start: str, body: Sequence[str]) -> Iterator[str]:
    """Yield one hunk with true lengths; a line without a mark is context that lost its blank."""
    kept = list(body)
    while kept and not kept[-1].strip():
        kept.pop()
    kept = [line if line[:1] in {" ", "+", "-", "\\"} else f" {line}" for line in kept]
    old = sum(line[0] in " -" for line in kept)
    new = sum(line[0] in " +" for line in kept)
    if old or new:
        yield f"@@ -{start},{old} +{start},{new} @@"
        yield from kept
