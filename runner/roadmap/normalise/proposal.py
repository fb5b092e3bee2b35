"""A roadmap with checkboxes as it is proposed: a value that a person reviews."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from runner.roadmap.lines import Splice
from runner.roadmap.task import Task

Verdict = Literal["proposed", "nothing", "unclear", "unreadable"]
"""There is a proposal; nothing is to be done; the structure does not say what the tasks are (a
model may be asked); the file is larger than is read."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something a reviewer should look at; ``line`` is a line of the old file, from 1."""

    line: int
    message: str


@dataclass(frozen=True)
class Proposal:
    """What to write instead of ``old``; ``new`` equals it unless the verdict is ``proposed``.

    ``why`` is one sentence for people; ``tasks`` are those of the new file, as the parser reads
    them; ``splices`` are the lines that change; ``notes`` name every decision about a state;
    ``dropped`` what a model said that is not in the file. Texts quote the roadmap: defuse them
    before they are published.
    """

    path: str
    old: bytes
    new: bytes
    verdict: Verdict
    why: str
    tasks: tuple[Task, ...] = ()
    splices: tuple[Splice, ...] = ()
    notes: tuple[Note, ...] = ()
    dropped: tuple[str, ...] = ()
    by_model: bool = False
