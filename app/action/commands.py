"""Workflow commands: what the runner reads in our output, and what it must not read as one.

(https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands)
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

MOST = 10
"""Annotations of a kind that GitHub shows of one step."""


@dataclass(frozen=True, slots=True)
class Note:
    """One annotation: ``level`` is error, warning or notice; ``file`` and ``line`` say where."""

    level: str
    title: str
    message: str
    file: str = ""
    line: int = 0


class Console:
    """Writes to the job's log. From ``begin`` to ``end`` nothing in it is taken as a command:
    what models and repositories say passes through there.
    """

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._token = secrets.token_hex(16)
        self._stopped = False

    def begin(self, hidden: Iterable[str]) -> None:
        """Have values masked in everything the job prints, then stop commands."""
        for value in hidden:
            for line in filter(None, value.split("\n")):
                self._write(f"::add-mask::{_escaped(line)}\n")
        self._write(f"::stop-commands::{self._token}\n")
        self._stopped = True

    def end(self, notes: Sequence[Note]) -> None:
        """Take commands again, and annotate: at most ``MOST`` of a level."""
        if self._stopped:
            self._write(f"\n::{self._token}::\n")
        for note in _shown(notes):
            self._write(f"{command_of(note)}\n")


def command_of(note: Note) -> str:
    """The command that makes an annotation; one line whatever it says."""
    place = {"file": note.file, "line": str(note.line or ""), "title": note.title}
    properties = ",".join(f"{k}={_property(v)}" for k, v in place.items() if v)
    return f"::{note.level} {properties}::{_escaped(note.message)}"


def write_outputs(path: Path, values: dict[str, str]) -> None:
    """Set outputs of the step; the delimiter is random, so that no value can end its own."""
    with path.open("a", encoding="utf-8") as file:
        for name, value in values.items():
            end = f"end_{secrets.token_hex(16)}"
            file.write(f"{name}<<{end}\n{value}\n{end}\n")


def _shown(notes: Sequence[Note]) -> Iterable[Note]:
    for level in ("error", "warning", "notice"):
        same = [note for note in notes if note.level == level]
        if len(same) <= MOST:
            yield from same
            continue
        yield from same[: MOST - 1]
        yield Note(level, "Cairn", f"{len(same) - MOST + 1} more: see the summary of this run.")


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
