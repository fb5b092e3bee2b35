"""The pieces, complaints and notes of an answer, and what it is read against."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from runner.answers.file_lines import FileLines
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

    ``place`` names the block and the line of the answer. ``mode`` is git's of the file, None to
    leave it. ``source`` is the file that this one is made from ('' for none): it goes away unless
    ``is_copy``.
    """

    path: str
    place: str
    text: str | None = None
    edits: tuple[FileEdit, ...] = ()
    mode: str | None = None
    source: str = ""
    is_copy: bool = False


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
    of which the question, whose lines are ``seen``, showed only a part. ``modes`` are git's of the
    files of the base. ``executable`` says that the task wants the files that it names to be
    executable, ``in_utf8`` that it wants UTF-8.
    """

    paths: Collection[str]
    expected: Sequence[str]
    read: Callable[[str], bytes | None]
    named: Collection[str] = ()
    partial: Collection[str] = ()
    seen: frozenset[str] = frozenset()
    modes: Mapping[str, str] = field(default_factory=dict)
    executable: bool = False
    in_utf8: bool = False

    @cached_property
    def names(self) -> frozenset[str]:
        """All paths that it could mean."""
        return frozenset((*self.paths, *self.expected, *self.named))

    def lines_of(self, path: str, content: bytes) -> FileLines:
        """Return a file's content as lines that keep their bytes."""
        return FileLines.of(path, content, in_utf8=self.in_utf8)

    def is_example(self, path: str) -> bool:
        """Whether the path was copied from the instructions: nothing else knows of it."""
        return path == EXAMPLE and path not in self.names


def unreadable(
    message: str, *, path: str = "", error: str = "UnreadableAnswer", advice: str = ""
) -> Complaint:
    """Complain about the answer itself."""
    return Complaint(path=path, error=error, message=message, advice=advice)


def join(found: Sequence[FoundPieces]) -> FoundPieces:
    """Put what was found in several places into one."""
    return FoundPieces(
        tuple(piece for part in found for piece in part.pieces),
        tuple(complaint for part in found for complaint in part.complaints),
        tuple(note for part in found for note in part.notes),
    )
