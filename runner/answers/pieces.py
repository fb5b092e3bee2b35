"""The pieces, complaints and notes of an answer, and how its text becomes a file's bytes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from runner.state.findings import Complaint


@dataclass(frozen=True, slots=True)
class FileEdit:
    """Lines to find in a file and what to put in their place.

    ``line`` is where a diff says they begin (from 1), None when the answer does not say.
    """

    search: tuple[str, ...]
    replace: tuple[str, ...]
    line: int | None = None


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    """What the answer says about one path: a complete file, edits, or (neither) its deletion.

    ``place`` names the block and the line of the answer.
    """

    path: str
    place: str
    text: str | None = None
    edits: tuple[FileEdit, ...] = ()


@dataclass(frozen=True)
class FoundPieces:
    """All that was understood of an answer, in its order."""

    pieces: tuple[AnswerPiece, ...] = ()
    complaints: tuple[Complaint, ...] = ()
    notes: tuple[str, ...] = ()


EXAMPLE = "src/hello.py"
"""The file that the system prompt shows the form of an answer with."""

EXAMPLE_SEARCHES = frozenset({"the lines as they are", "the faulty lines as they are"})
"""What questions show the form of an edit with."""


@dataclass(frozen=True)
class Known:
    """What an answer is read against: the tree's paths and old contents, and what the task says.

    ``expected`` are the files that it asks for, ``named`` all that it names. ``partial`` are files
    of which the question, whose lines are ``seen``, showed only a part.
    """

    paths: Collection[str]
    expected: Sequence[str]
    read: Callable[[str], bytes | None]
    named: Collection[str] = ()
    partial: Collection[str] = ()
    seen: frozenset[str] = frozenset()
    names: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", frozenset((*self.paths, *self.expected, *self.named)))

    def is_example(self, path: str) -> bool:
        """Whether the path was copied from the instructions: nothing else knows of it."""
        return path == EXAMPLE and path not in self.names


def unreadable(message: str, *, path: str = "", error: str = "UnreadableAnswer") -> Complaint:
    """Complain about the answer itself."""
    return Complaint(path=path, error=error, message=message)


def join(found: Sequence[FoundPieces]) -> FoundPieces:
    """Put what was found in several places into one."""
    return FoundPieces(
        tuple(piece for part in found for piece in part.pieces),
        tuple(complaint for part in found for complaint in part.complaints),
        tuple(note for part in found for note in part.notes),
    )


_BOM = b"\xef\xbb\xbf"


def to_bytes(text: str, old: bytes | None) -> bytes:
    """Encode as UTF-8 with one final line end; CRLF and byte-order mark follow ``old``.

    Raises ``UnicodeEncodeError`` for a lone surrogate (a broken escape in a JSON answer).
    """
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").rstrip("\n")
    content = (plain + "\n").encode("utf-8") if plain else b""
    if old is None:
        return content
    if old.count(b"\r\n") * 2 > old.count(b"\n"):
        content = content.replace(b"\n", b"\r\n")
    return _BOM + content if old.startswith(_BOM) else content
