"""A task of a roadmap as a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["work", "check", "summary"]


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading on the way to a task; ``line`` counts from 1."""

    level: int
    line: int
    text: str


@dataclass(frozen=True)
class Task:
    """One task item of a roadmap (fields as in ``cairn roadmap show --json``).

    Lines count from 1 and are lines of the file; ``end_line`` includes nested content. ``text`` is
    the item's own text, ``title`` that without id and markers, ``details`` what is nested in it.
    """

    key: str
    id: str | None
    title: str
    text: str
    line: int
    text_end_line: int
    end_line: int
    checked: bool
    depth: int
    kind: Kind
    headings: tuple[Heading, ...]
    details: str = ""
    section: str = ""
    files: tuple[str, ...] = ()
    parent: str | None = None

    @property
    def name(self) -> str:
        """What people call it: its written id, else its key."""
        return self.id or self.key


@dataclass(frozen=True, slots=True)
class Warning:
    """Something about the file a person can act on; ``line`` and ``column`` count from 1."""

    line: int
    column: int
    code: str
    message: str


@dataclass(frozen=True)
class Roadmap:
    """A parsed roadmap file; ``content`` is its bytes, untouched."""

    path: str
    content: bytes
    tasks: tuple[Task, ...]
    warnings: tuple[Warning, ...] = ()
