"""Understand a model's answer: text in, change set and complaints out. Raises nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from runner.answers import blocks
from runner.answers.blocks import (
    Resolved,
    edits_of,
    from_above,
    from_info,
    from_line,
    names_file,
    read_blocks,
    resolve,
    target,
)
from runner.answers.edits import apply_edits, edits_span, has_diffs, has_edits, read_diffs
from runner.answers.elision import Whole, whole
from runner.answers.fences import (
    Outline,
    clean_answer,
    clean_block,
    is_markdown,
    is_program,
    outline,
)
from runner.answers.json_answers import is_json, read_json
from runner.answers.pieces import (
    EXAMPLE,
    EXAMPLE_SEARCHES,
    AnswerPiece,
    FileEdit,
    FoundPieces,
    Known,
    join,
    unreadable,
)
from runner.answers.prose import asked_back, explanation
from runner.answers.wrapped import ends_patch, read_wrapped
from runner.state.changes import EXECUTABLE, FILE, SUBMODULE, SYMLINK, ChangeSet, Write
from runner.state.findings import Complaint
from runner.text.encoding import GUESSED, text_of
from runner.text.sanitize import sendable


@dataclass
class _Draft:
    """The change set while it grows; later pieces see what earlier ones wrote.

    ``edits`` are those that made the files what they are, of files that were only edited.
    ``ended`` are files that the answer repeats, with the end that it gives them.
    """

    known: Known
    files: dict[str, Write | None] = field(default_factory=dict)
    edits: dict[str, list[FileEdit]] = field(default_factory=dict)
    ended: dict[str, bytes] = field(default_factory=dict)
    complaints: list[Complaint] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def content(self, path: str) -> bytes | None:
        if path in self.files:
            write = self.files[path]
            return write.content if write else None
        return self.known.read(path) if path in self.known.paths else None

    def put(self, path: str, content: bytes, mode: str | None = None) -> None:
        """Write a file; without a mode it keeps what an earlier piece gave it."""
        earlier = self.files.get(path)
        self.files[path] = Write(content, mode or (earlier.mode if earlier else None))


def assemble(
    found: FoundPieces, known: Known
) -> tuple[ChangeSet, tuple[Complaint, ...], tuple[str, ...]]:
    """Return change set, complaints and notes; a piece that fails leaves the others alone."""
    draft = _Draft(known, complaints=list(found.complaints), notes=list(found.notes))
    ordered = sorted(found.pieces, key=_is_mode)  # a file may be written below its `chmod`
    for piece in ordered:
        if sendable(piece.path + piece.source) != piece.path + piece.source:
            broken = f"{piece.place} names a file with a broken character (a lone surrogate)."
            draft.complaints.append(unreadable(broken, path=sendable(piece.path)))
            continue
        target = resolve(piece.path, paths=known.paths, expected=known.expected)
        if isinstance(target, Complaint):
            draft.complaints.append(replace(target, message=f"{piece.place}: {target.message}"))
            continue
        if known.is_example(target.path):
            draft.notes.append(f"{EXAMPLE}: dropped, because it is the example in the instructions")
            continue
        if target.note and target.note not in draft.notes:
            draft.notes.append(target.note)
        _add(draft, replace(piece, path=target.path))
    _end_files(draft)
    _make_executable(draft)
    notes = tuple(map(sendable, draft.notes))
    return ChangeSet(draft.files), tuple(draft.complaints), notes


def _is_mode(piece: AnswerPiece) -> bool:
    """Whether all that a piece says is how a file may be used."""
    return bool(piece.mode) and not (piece.edits or piece.source) and piece.text is None


def _end_files(draft: _Draft) -> None:
    """End files as the answer does where it changes nothing else: that is what it is for."""
    read = draft.known.read
    if draft.ended and all(w and w.content == read(p) for p, w in draft.files.items()):
        for path, content in draft.ended.items():
            draft.put(path, content)


def _make_executable(draft: _Draft) -> None:
    """Make scripts executable: new ones as their neighbours are, those the task says it of."""
    known = draft.known
    for path, write in draft.files.items():
        if write is None or write.mode or not write.content.startswith(b"#!"):
            continue
        is_new = path not in known.modes
        asked = known.executable and (is_new or path in known.named)
        if asked or (is_new and _are_executable_beside(path, known.modes)):
            draft.put(path, write.content, EXECUTABLE)


def _are_executable_beside(path: str, modes: Mapping[str, str]) -> bool:
    """Whether files near a path can be executed: one in its folder, else most of its kind.

    Of its kind are files with the same ending in the nearest folder above that has some.
    """
    folder, _, name = path.rpartition("/")
    if any(m == EXECUTABLE and p.rpartition("/")[0] == folder for p, m in modes.items()):
        return True
    suffix = name.rpartition(".")[2] if "." in name else ""
    while True:
        below = folder + "/" if folder else ""
        alike = [
            mode
            for other, mode in modes.items()
            if other.startswith(below)
            and (other.rpartition(".")[2] if "." in other.rpartition("/")[2] else "") == suffix
        ]
        if alike or not folder:
            return alike.count(EXECUTABLE) * 2 > len(alike)
        folder = folder.rpartition("/")[0]


def _move(draft: _Draft, piece: AnswerPiece) -> AnswerPiece | None:
    """Put a file where a piece moves or copies it to; return what is left to do there."""
    known = draft.known
    found = resolve(piece.source, paths=known.paths, expected=known.expected)
    source = found.path if isinstance(found, Resolved) else piece.source
    content = draft.content(source)
    content = known.read(source) if content is None and source in known.paths else content
    if content is None:
        message = f"{piece.place} moves {piece.source}, which does not exist."
        draft.complaints.append(unreadable(message, path=piece.path, error="EditNotFound"))
        return None
    earlier = draft.files.get(source)
    mode = piece.mode or (earlier.mode if earlier else None) or known.modes.get(source)
    draft.put(piece.path, content, mode)
    if not piece.is_copy and source != piece.path:
        draft.files[source] = None
    return replace(piece, source="") if piece.edits else None


def _add(draft: _Draft, piece: AnswerPiece) -> None:
    if piece.source:
        rest = _move(draft, piece)
        if rest is None:
            return
        piece = rest
    if piece.mode and piece.text is None:
        content = draft.content(piece.path)
        if content is None and not piece.edits:
            draft.notes.append(f"{piece.path} does not exist, so its mode cannot be changed")
        if content is not None:
            draft.put(piece.path, content, _mode(piece.mode))
        if not piece.edits:
            return
    if piece.edits:
        _edit(draft, piece)
    elif piece.text is not None:
        _write(draft, piece, piece.text)
    elif draft.content(piece.path) is None and piece.path not in draft.known.paths:
        draft.notes.append(f"{piece.path}: is not there, nothing to delete")
    else:
        draft.files[piece.path] = None


def _mode(written: str) -> str | None:
    """Return git's mode of a file: of what may be done with one, it keeps only whether it runs.

    None for what is no mode.
    """
    if re.fullmatch("100[0-7]{3}", written):
        return EXECUTABLE if int(written[-3:], 8) & 0o111 else FILE
    return written if written in (SYMLINK, SUBMODULE) else None


def _write(draft: _Draft, piece: AnswerPiece, text: str) -> None:
    lines, notes = clean_block(text.split("\n"), piece.path)
    old = draft.content(piece.path)
    full = _full(draft, piece, old, "\n".join(lines))
    if full is None:
        return
    if old and _blind(piece.path, old, full, draft.known):
        message = (
            f"{piece.place} is the whole of {piece.path}, of which only a part was shown; the "
            "lines that were not shown would be lost."
        )
        advice = "Answer with edits (SEARCH/REPLACE) of lines that are shown."
        draft.complaints.append(Complaint(piece.path, "PartlyShown", message, advice=advice))
        return
    file = draft.known.lines_of(piece.path, old or b"")
    content = file.rewritten(full.text).content()
    if isinstance(content, Complaint):
        draft.complaints.append(content)
        return
    ended = file.rewritten(full.text, keep_end=False).content() if content == old else old
    if content == old and file.encoding.said_by == GUESSED:  # the same text: in UTF-8
        ended = replace(file, in_utf8=True).rewritten(full.text).content()
    if isinstance(ended, bytes) and ended != old:
        draft.ended[piece.path] = ended
    earlier = draft.files.get(piece.path)
    if earlier and earlier.content != content:
        notes.append(f"{piece.path}: given more than once, the last one counts")
    draft.notes += notes
    draft.edits.pop(piece.path, None)
    draft.put(piece.path, content, _mode(piece.mode or ""))


def _full(draft: _Draft, piece: AnswerPiece, old: bytes | None, text: str) -> Whole | None:
    """Return the text of a file with nothing left out of it; None, and a complaint, else."""
    if old is None:
        return Whole(text)
    found = whole(text_of(piece.path, old), text, path=piece.path, place=piece.place)
    if isinstance(found, Complaint):
        draft.complaints.append(found)
        return None
    draft.notes += [found.note] if found.note else []
    return found


def _blind(path: str, old: bytes, full: Whole, known: Known) -> bool:
    """Whether a complete file replaces lines that the model has not seen."""
    if path not in known.partial or full.restored:
        return False
    kept = {line.strip() for line in full.text.split("\n")} | known.seen
    return not kept.issuperset(line.strip() for line in text_of(path, old).split("\n"))


def _edit(draft: _Draft, piece: AnswerPiece) -> None:
    old = draft.content(piece.path)
    if old is None and piece.text is not None:
        _write(draft, piece, piece.text)
        return
    if old is None:
        message = f"{piece.place} edits {piece.path}, which does not exist."
        draft.complaints.append(
            unreadable(
                message, path=piece.path, error="EditNotFound", advice="Give the whole file."
            )
        )
        return
    edits = [e for e in piece.edits if "\n".join(e.search).strip() not in EXAMPLE_SEARCHES]
    if len(edits) < len(piece.edits):
        draft.notes.append(f"{piece.path}: an edit is dropped, the example in the instructions")
    if not edits:
        return
    lines = draft.known.lines_of(piece.path, old)
    new = apply_edits(lines, edits, place=piece.place)
    earlier = draft.edits.get(piece.path, [])
    if isinstance(new, Complaint) and earlier:  # two blocks of one file, and both of how it was
        first = draft.known.lines_of(piece.path, draft.known.read(piece.path) or b"")
        together = apply_edits(first, [*earlier, *edits], place=piece.place)
        new = new if isinstance(together, Complaint) else together
    if isinstance(new, Complaint):
        draft.complaints.append(new)
        return
    draft.edits[piece.path] = [*earlier, *edits]
    text = text_of(piece.path, new)
    full = _full(draft, piece, old, text)
    if full is not None and full.text != text:
        restored = lines.rewritten(full.text).content()
        new = restored if isinstance(restored, bytes) else new
    if full is not None:
        draft.put(piece.path, new)


LONGEST_ANSWER = 1_000_000
MOST_BLOCKS = 500
_DELETE = re.compile(r"^[\s*`>-]*DELETE:?\s+[`*\"']*([^\s`*\"']+)[`*\"']*\s*$")


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """What an answer says; ``repairs`` are notes on what was repaired or left out.

    ``explanation`` is what the model says about it in a few sentences, '' for nothing.
    """

    changes: ChangeSet
    complaints: tuple[Complaint, ...] = ()
    repairs: tuple[str, ...] = ()
    explanation: str = ""


def parse_reply(
    text: str,
    *,
    paths: Collection[str],
    expected: Sequence[str] = (),
    named: Collection[str] = (),
    partial: Collection[str] = (),
    seen: str = "",
    read: Callable[[str], bytes | None],
    modes: Mapping[str, str] | None = None,
    executable: bool = False,
    in_utf8: bool = False,
    truncated: bool = False,
) -> ParsedAnswer:
    """Read an answer against a tree; never raises for any text.

    ``paths`` are the tree's files, ``expected`` those the task asks for, ``named`` all that it
    names; ``partial`` those of which the question, ``seen``, showed only a part: a complete file
    may not remove lines that were not shown. ``read`` returns a file's content; for ``modes``,
    ``executable`` and ``in_utf8`` see ``Known``. ``truncated`` says that the server
    cut the answer (``finish_reason`` length).
    """
    shown = frozenset(line.strip() for line in seen.split("\n")) if partial else frozenset[str]()
    meant = [path for path in expected if blocks.looks_like_path(path, paths)]  # not `Sheet.add`
    known = Known(
        frozenset(paths),
        tuple(meant),
        read,
        tuple(named),
        tuple(partial),
        shown,
        modes or {},
        executable,
        in_utf8,
    )
    if len(text) > LONGEST_ANSWER:
        message = f"The answer is longer than {LONGEST_ANSWER} characters."
        return ParsedAnswer(ChangeSet(), (unreadable(message),))
    cleaned = clean_answer(text)
    found = _found(cleaned, known, truncated=truncated)
    changes, complaints, notes = assemble(found, known)
    missing = [path for path in known.expected if path not in changes.files]
    in_part = missing or not changes or _is_open(_outline(cleaned, known))
    said = any(complaint.error == "TruncatedAnswer" for complaint in complaints)
    if truncated and in_part and not said:
        left = f" Still missing: {', '.join(missing)}." if missing else ""
        message = f"The answer was cut off before it was complete.{left}"
        complaints = (*complaints, unreadable(message, error="TruncatedAnswer"))
    if not changes and not complaints and not cleaned.strip():
        complaints = (unreadable("The answer is empty.", error="EmptyAnswer"),)
    elif not changes and not complaints:
        advice = (
            "Give each file as its path on a line of its own, then its content between fences "
            "(```)."
        )
        nothing = unreadable("No file was found in the answer.", advice=advice)
        complaints = (asked_back(cleaned) or nothing,)
    explained = explanation(_outline(cleaned, known)) if changes else ""
    return ParsedAnswer(changes, complaints, notes, explained)


def _found(text: str, known: Known, *, truncated: bool) -> FoundPieces:
    text = _unwrapped(text, known)
    parts = _outline(text, known)
    if len(parts.blocks) > MOST_BLOCKS:
        message = f"The answer has {len(parts.blocks)} blocks; {MOST_BLOCKS} are read at most."
        return FoundPieces(complaints=(unreadable(message),))
    wrapped, rest = (FoundPieces(), text) if is_json(text) else read_wrapped(text, known, parts)
    as_json, beside = read_json(rest, known)
    if as_json.complaints and not wrapped.pieces:
        return FoundPieces() if truncated else as_json
    found = [wrapped, as_json] if as_json.pieces else [wrapped]
    parts = _outline(beside if as_json.pieces else rest, known)
    found.append(_unfenced([line for _, line in parts.prose], known))
    lines = [*parts.prose]
    for block in parts.blocks:
        gone = {match[1] for match in map(_DELETE.match, block.lines) if match}
        if len(gone) == len(block.lines) > 0 and blocks.path_of(block, known) in {"", *gone}:
            lines += enumerate(block.lines, block.line + 1)
            parts = replace(parts, blocks=tuple(b for b in parts.blocks if b is not block))
    if parts.blocks:
        found.append(read_blocks(parts, known, truncated=truncated))
    elif lines == [*parts.prose] and not any(part.pieces or part.complaints for part in found):
        found.append(_program(text, known, truncated=truncated))
    deleted = ((number, _DELETE.match(line)) for number, line in lines)
    pieces = tuple(
        AnswerPiece(match[1], f"line {number} of the answer")
        for number, match in deleted
        if match and blocks.looks_like_path(match[1], known.names)
    )
    return join([*found, FoundPieces(pieces)])


def _unwrapped(text: str, known: Known) -> str:
    """Return an answer without a fence of Markdown around all its files; every line stays."""
    lines = text.split("\n")
    for block in _outline(text, known).blocks:
        own = from_info(block.info, known.names) or from_above(block.above, known.names)
        first = next((line for line in block.lines if line.strip()), "")
        if not is_markdown(block.info) or own or not from_line(first, known.names):
            continue
        inside = _outline(block.text, known).blocks
        if inside and all(from_above(each.above, known.names) for each in inside):
            lines[block.line - 1] = ""
            if block.closed:
                lines[block.line + len(block.lines)] = ""
    return "\n".join(lines)


def gives_files(text: str, known: Known) -> bool:
    """Whether an answer writes or deletes files, or tries to: it then asks for nothing."""
    found = _found(clean_answer(text), known, truncated=False)
    return bool(found.pieces or found.complaints)


def _outline(text: str, known: Known) -> Outline:
    return outline(text, lambda info, above: names_file(info, above, known))


def _unfenced(lines: Sequence[str], known: Known) -> FoundPieces:
    """Read edits or a diff that stand outside of every fence; the rest may be fenced or prose."""
    place = "the answer"
    if not has_edits(lines):
        return read_diffs(lines, place=place)
    first, end = edits_span(lines)
    edits = edits_of(lines, known, place=place, path="")
    others = (read_diffs(some, place=place) for some in (lines[:first], lines[end:]))
    return join([edits, *others])


def _program(text: str, known: Known, *, truncated: bool) -> FoundPieces:
    """Read an answer that is nothing but one file's code."""
    path = "" if truncated else target(text.split("\n"), "", known)
    if not path.endswith(".py") or not is_program(text):
        return FoundPieces()
    note = f"{path}: the answer is code without a block around it"
    return FoundPieces((AnswerPiece(path, "the answer", text=text.strip("\n")),), notes=(note,))


def _is_open(parts: Outline) -> bool:
    """Whether an answer ends within a fence, a patch or a diff, none of which says how it goes on.

    Of a hunk that is cut only the lines to remove may be there.
    """
    last = parts.blocks[-1] if parts.blocks else None
    if last and not last.closed:
        return True
    after = last.line + len(last.lines) + 1 if last else 0
    tail = [line for number, line in parts.prose if number > after]
    return not ends_patch(tail) or has_diffs(tail)
