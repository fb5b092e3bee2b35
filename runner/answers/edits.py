"""Search/replace edits and unified diffs of existing files: tolerant of blanks, never ambiguous.

A search must match in exactly one place; of exact, blank-tolerant, indentation-tolerant and loose
matching (``loose_edits.py``), the first that finds anything decides. Edits follow one another;
where one is not found then, all are looked for in the file as it was. Each hunk of a diff becomes
an edit whose context must be in the file; its line numbers, which models get wrong, do not count.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from runner.answers.loose_edits import loosely
from runner.answers.pieces import AnswerPiece, FileEdit, FoundPieces, join, unreadable
from runner.state.findings import Complaint

if TYPE_CHECKING:
    from unidiff.patch import Hunk, PatchedFile

_SEARCH = re.compile(r"^\s*<{5,9} ?(?:SEARCH|ORIGINAL|HEAD)\b.*$")
_MIDDLE = re.compile(r"^\s*={5,9}\s*$")
_REPLACE = re.compile(r"^\s*>{5,9} ?(?:REPLACE|UPDATED|\w+)?.*$")
_LOOKED_THROUGH = 5_000
_MOST_EDITS = 200
_MOST_SHOWN = 20


def has_edits(lines: Sequence[str]) -> bool:
    """Whether the lines hold a search/replace marker."""
    return any(_SEARCH.match(line) for line in lines)


def edits_span(lines: Sequence[str]) -> tuple[int, int]:
    """Return the index of the first line of the edits, and that of the line after the last."""
    marks = [at for at, line in enumerate(lines) if _SEARCH.match(line) or _REPLACE.match(line)]
    return marks[0], marks[-1] + 1


def read_edits(lines: Sequence[str]) -> list[tuple[int, FileEdit]] | int:
    """Return the edits and where each begins (index); or the index where one is unfinished."""
    found: list[tuple[int, FileEdit]] = []
    at = 0
    while at < len(lines):
        if not _SEARCH.match(lines[at]):
            at += 1
            continue
        middle = _next(lines, at + 1, _MIDDLE)
        end = _next(lines, middle + 1, _REPLACE)
        if end >= len(lines):
            return at
        edit = FileEdit(tuple(lines[at + 1 : middle]), tuple(lines[middle + 1 : end]))
        found.append((at, edit))
        at = end + 1
    return found


def apply_edits(
    old: bytes, edits: Sequence[FileEdit], *, path: str, place: str
) -> bytes | Complaint:
    """Return the content after the edits, every untouched byte kept; or why one does not fit."""
    if len(edits) > _MOST_EDITS:
        message = f"{place} has {len(edits)} edits of {path}. Give the whole file instead."
        return Complaint(path, "UnreadableAnswer", message)
    try:
        text = old.decode("utf-8")
    except UnicodeDecodeError:
        return Complaint(path, "EditNotFound", f"{path} is not UTF-8 text; it cannot be edited.")
    mark = "\ufeff" if text.startswith("\ufeff") else ""  # no answer writes a byte-order mark
    lines = text.removeprefix(mark).split("\n")
    end = "\r" if old.count(b"\r\n") * 2 > old.count(b"\n") else ""
    result = _one_by_one(lines, edits, end)
    if isinstance(result, Complaint):
        together = _all_at_once(lines, edits, end)
        if together is None:
            message = f"{place}: {result.message}"
            return Complaint(path, result.error, message, result.line, excerpt=result.excerpt)
        result = together
    try:
        return (mark + "\n".join(result)).encode("utf-8")
    except UnicodeEncodeError:
        return Complaint(path, "UnreadableAnswer", f"{place} holds a broken character.")


def _one_by_one(lines: list[str], edits: Sequence[FileEdit], end: str) -> list[str] | Complaint:
    """Each edit is of what the ones before it left."""
    for edit in edits:
        result = _apply(lines, edit, end)
        if isinstance(result, Complaint):
            return result
        lines = result
    return lines


_Hunk = tuple[int, int, tuple[str, ...]]
"""The first line that goes, the one after the last, and what comes in their place."""


def _all_at_once(lines: list[str], edits: Sequence[FileEdit], end: str) -> list[str] | None:
    """Each edit is of the file as it was: their context overlaps, what they change does not.

    None where one is not found there exactly once, or two change the same lines differently.
    """
    bare = [line.removesuffix("\r").removeprefix("\ufeff") for line in lines]
    hunks: set[_Hunk] = set()
    for edit in edits:
        starts, replace = _locate(bare, edit)
        if len(starts) != 1:
            return None
        hunks.update(_changed(bare, starts[0], len(edit.search), replace))
    ordered = sorted(hunks)
    if any(after[0] < before[1] or after[0] == before[0] for before, after in pairwise(ordered)):
        return None
    result = list(lines)
    for first, last, new in reversed(ordered):
        result[first:last] = [line + end for line in new]
    return result


def _changed(bare: Sequence[str], start: int, size: int, replace: Sequence[str]) -> Iterator[_Hunk]:
    """What an edit changes, without its context."""
    compared = difflib.SequenceMatcher(None, bare[start : start + size], replace, autojunk=False)
    for kind, old, old_end, new, new_end in compared.get_opcodes():
        if kind != "equal":
            yield start + old, start + old_end, tuple(replace[new:new_end])


def _apply(lines: list[str], edit: FileEdit, end: str) -> list[str] | Complaint:
    bare = [line.removesuffix("\r").removeprefix("\ufeff") for line in lines]
    starts, replace = _locate(bare, edit)
    if not starts and (loose := loosely(bare, edit)):
        edit, starts = loose
        starts, replace = starts[: _MOST_SHOWN + 1], list(edit.replace)
    if len(starts) > 1 and edit.line is not None and edit.line - 1 in starts:
        starts = [edit.line - 1]
    if _is_done(bare, edit, starts):
        return lines
    if not starts:
        return _not_found(bare, edit)
    if len(starts) > 1:
        return _ambiguous(starts)
    at, after = starts[0], starts[0] + len(edit.search)
    if not replace and after == len(lines):
        return [*lines[:at], ""]
    return [*lines[:at], *(line + end for line in replace), *lines[after:]]


def _is_done(bare: Sequence[str], edit: FileEdit, starts: Sequence[int]) -> bool:
    """Whether the edit only adds lines that already exist: a repair gives its edits again."""
    within = _matches(list(edit.replace), list(edit.search))
    if len(starts) != 1 or len(within) != 1 or len(edit.replace) == len(edit.search):
        return False
    first = starts[0] - within[0]
    return first >= 0 and list(bare[first : first + len(edit.replace)]) == list(edit.replace)


def _locate(bare: Sequence[str], edit: FileEdit) -> tuple[list[int], list[str]]:
    """Return where the search matches and the replacement, indented as the file is."""
    same: tuple[Callable[[str], str], ...] = (str, str.rstrip)
    for form in same:
        starts = _matches([form(line) for line in bare], [form(line) for line in edit.search])
        if starts:
            return starts, list(edit.replace)
    starts = _matches([line.strip() for line in bare], [line.strip() for line in edit.search])
    if len(starts) != 1:
        return starts, list(edit.replace)
    replace = _reindent(edit, bare[starts[0] : starts[0] + len(edit.search)])
    return ([], []) if replace is None else (starts, replace)


def _matches(lines: Sequence[str], search: Sequence[str]) -> list[int]:
    if not any(line.strip() for line in search):
        return []
    first, size, wanted = search[0], len(search), list(search)
    return [
        at
        for at in range(len(lines) - size + 1)
        if lines[at] == first and list(lines[at : at + size]) == wanted
    ]


def _reindent(edit: FileEdit, found: Sequence[str]) -> list[str] | None:
    """Shift the replacement by the difference in indentation between search and file."""
    pairs = [(s, f) for s, f in zip(edit.search, found, strict=True) if s.strip()]
    search, file = (_indent(pairs[0][0]), _indent(pairs[0][1]))
    if file.endswith(search):
        more = file[: len(file) - len(search)]
        if all(_indent(f) == more + _indent(s) for s, f in pairs):
            return [more + line if line.strip() else line for line in edit.replace]
    if search.endswith(file):
        less = search[: len(search) - len(file)]
        if all(_indent(s) == less + _indent(f) for s, f in pairs):
            return [line.removeprefix(less) for line in edit.replace]
    return None


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _next(lines: Sequence[str], start: int, pattern: re.Pattern[str]) -> int:
    return next((at for at in range(start, len(lines)) if pattern.match(lines[at])), len(lines))


def _not_found(bare: Sequence[str], edit: FileEdit) -> Complaint:
    wanted = next((line.strip() for line in edit.search if line.strip()), "")
    if not wanted:
        return Complaint("", "EditNotFound", "the SEARCH part is empty, but the file exists.")
    stripped = [line.strip() for line in bare[:_LOOKED_THROUGH]]
    near = difflib.get_close_matches(wanted, stripped, n=1, cutoff=0.6)
    message = f"these lines are not in the file (the first is {wanted!r})."
    if not near:
        return Complaint("", "EditNotFound", message + " Copy them exactly from the file.")
    at = stripped.index(near[0])
    shown = enumerate(bare[at : at + max(len(edit.search), 1)], at + 1)
    excerpt = "\n".join(f"{number:5} | {line}" for number, line in shown)
    message += f" Did you mean those from line {at + 1} on?"
    return Complaint("", "EditNotFound", message, at + 1, excerpt=excerpt)


def _ambiguous(starts: Sequence[int]) -> Complaint:
    lines = ", ".join(str(start + 1) for start in starts[:10])
    message = (
        f"these lines occur {len(starts)} times (at lines {lines}). "
        "Give more lines around them, so that they occur once."
    )
    return Complaint("", "AmbiguousEdit", message, starts[0] + 1)


_HEADER = re.compile(r"^@@(?: -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@.*|.*)$")
_FILE = re.compile(
    r"^(?:diff --git |index [0-9a-f]|--- |\+\+\+ |(?:new|deleted) file mode |rename )"
)
_GIT = "diff --git "
_NOWHERE = "/dev/null"


def is_diff(lines: Sequence[str], info: str = "") -> bool:
    """Whether the lines are a unified diff (with ``---``/``+++`` or a hunk header)."""
    if info.split(" ")[0].lower() in {"diff", "patch", "udiff"}:
        return any(line.startswith("@@") or line.startswith("+++ ") for line in lines)
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
    source, target = _bare(file.source_file), _bare(file.target_file)
    if target == _NOWHERE:
        yield AnswerPiece(source, place)
        return
    if source == _NOWHERE:
        text = "".join(line.value for hunk in file for line in hunk.target_lines())
        yield AnswerPiece(target, place, text=text)
        return
    if file:
        yield AnswerPiece(target, place, edits=tuple(_edit(hunk) for hunk in file))


def _bare(name: str) -> str:
    return name if name == _NOWHERE else re.sub(r"^[abiwco]/", "", name.strip('"'))


def _edit(hunk: Hunk) -> FileEdit:
    search = tuple(line.value.rstrip("\n") for line in hunk.source_lines())
    replace = tuple(line.value.rstrip("\n") for line in hunk.target_lines())
    return FileEdit(search, replace, hunk.source_start)


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
