"""What a rule returns: a place and a sentence, before it becomes a warning of the file."""

from __future__ import annotations

from dataclasses import dataclass

from runner.roadmap.task import Task


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong on ``line`` (from 1) and what to do.

    ``at`` is the piece of text it is about ('' for the whole line), looked for from ``line`` to
    ``last`` (0: on that line only).
    """

    line: int
    message: str
    at: str = ""
    last: int = 0


_LONGEST = 80
"""Characters a message repeats of a file's text at most."""


def short(text: str) -> str:
    """A piece of the file as a message repeats it: one line, not too long."""
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def about(task: Task, message: str, at: str = "") -> Finding:
    """A finding about a task's own text."""
    return Finding(task.line, message, at, task.text_end_line)
