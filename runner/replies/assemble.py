"""Fold the pieces of an answer into one change set."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from runner.changes import ChangeSet, Write
from runner.findings import Complaint
from runner.replies.cleanup import clean_block
from runner.replies.edits import apply_edits
from runner.replies.elision import Whole, whole
from runner.replies.line_ends import to_bytes
from runner.replies.paths import resolve
from runner.replies.pieces import EXAMPLE, Found, Known, Piece, unreadable


@dataclass
class _Draft:
    """The change set while it grows; later pieces see what earlier ones wrote."""

    known: Known
    files: dict[str, Write | None] = field(default_factory=dict)
    complaints: list[Complaint] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def content(self, path: str) -> bytes | None:
        if path in self.files:
            write = self.files[path]
            return write.content if write else None
        return self.known.read(path) if path in self.known.paths else None


def assemble(
    found: Found, known: Known
) -> tuple[ChangeSet, tuple[Complaint, ...], tuple[str, ...]]:
    """Return change set, complaints and notes; a piece that fails leaves the others alone."""
    draft = _Draft(known, complaints=list(found.complaints), notes=list(found.notes))
    for piece in found.pieces:
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
    return ChangeSet(draft.files), tuple(draft.complaints), tuple(draft.notes)


def _add(draft: _Draft, piece: Piece) -> None:
    if piece.edits:
        _edit(draft, piece)
    elif piece.text is not None:
        _write(draft, piece, piece.text)
    elif draft.content(piece.path) is None:
        draft.notes.append(f"{piece.path}: is not there, nothing to delete")
    else:
        draft.files[piece.path] = None


def _write(draft: _Draft, piece: Piece, text: str) -> None:
    lines, notes = clean_block(text.split("\n"), piece.path)
    old = draft.content(piece.path)
    full = _full(draft, piece, old, "\n".join(lines))
    if full is None:
        return
    if old and _blind(piece.path, old, full, draft.known):
        draft.complaints.append(_partial(piece))
        return
    try:
        content = to_bytes(full.text, old)
    except UnicodeEncodeError:
        message = f"{piece.place} holds a broken character (a lone surrogate)."
        draft.complaints.append(unreadable(message, path=piece.path))
        return
    earlier = draft.files.get(piece.path)
    if earlier and earlier.content != content:
        notes.append(f"{piece.path}: given more than once, the last one counts")
    draft.notes += notes
    draft.files[piece.path] = Write(content)


def _full(draft: _Draft, piece: Piece, old: bytes | None, text: str) -> Whole | None:
    """Return the text of a file with nothing left out of it; None, and a complaint, else."""
    if old is None:
        return Whole(text)
    found = whole(_plain(old), text, path=piece.path, place=piece.place)
    if isinstance(found, Complaint):
        draft.complaints.append(found)
        return None
    draft.notes += [found.note] if found.note else []
    return found


def _plain(content: bytes) -> str:
    return content.decode("utf-8", "replace").replace("\r\n", "\n")


def _blind(path: str, old: bytes, full: Whole, known: Known) -> bool:
    """Whether a whole file takes the place of lines that the model has not seen."""
    if path not in known.partial or full.restored:
        return False
    kept = {line.strip() for line in full.text.split("\n")} | known.seen
    return not kept.issuperset(line.strip() for line in _plain(old).split("\n"))


def _partial(piece: Piece) -> Complaint:
    message = (
        f"{piece.place} is the whole of {piece.path}, of which you were shown only a part; lines "
        "that you did not see would be lost. Answer with edits (SEARCH/REPLACE) of lines that are "
        "shown."
    )
    return Complaint(piece.path, "PartlyShown", message)


def _edit(draft: _Draft, piece: Piece) -> None:
    old = draft.content(piece.path)
    if old is None and piece.text is not None:
        _write(draft, piece, piece.text)
        return
    if old is None:
        message = f"{piece.place} edits {piece.path}, which does not exist. Give the whole file."
        draft.complaints.append(unreadable(message, path=piece.path, error="EditNotFound"))
        return
    new = apply_edits(old, piece.edits, path=piece.path, place=piece.place)
    if isinstance(new, Complaint):
        draft.complaints.append(new)
        return
    text = _plain(new)
    full = _full(draft, piece, old, text)
    if full is not None:
        content = new if full.text == text else to_bytes(full.text, old)
        draft.files[piece.path] = Write(content)
