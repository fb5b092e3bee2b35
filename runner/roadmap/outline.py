"""What an edit must leave alone: the tasks of a file, and where each of them stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from operator import attrgetter
from typing import NamedTuple

from runner.roadmap.task import Task


class Seen(NamedTuple):
    """What is compared of a task before and after an edit."""

    line: int
    text_end_line: int
    end_line: int
    key: str
    id: str | None
    text: str
    checked: bool
    kind: str
    depth: int
    parent: str | None
    runnable: bool


_FIELDS = attrgetter(*Seen._fields)


def outline(tasks: Iterable[Task]) -> list[Seen]:
    """Return what is compared of each task, in file order."""
    return [seen(task) for task in tasks]


def seen(task: Task) -> Seen:
    """Return what is compared of one task."""
    return Seen._make(_FIELDS(task))


def difference(meant: Sequence[Seen], found: Sequence[Seen]) -> str:
    """Say what an edit would do that was not meant, or ''. Lines are those after the edit."""
    for one, other in zip_longest(meant, found):
        if one == other:
            continue
        if one is None:
            return f"would make a task of line {other.line}"
        if other is None or other.line > one.line:
            return f"would leave no task in line {one.line}"
        if other.line < one.line:
            return f"would make a task of line {other.line}"
        return _changed(one, other)
    return ""


def _changed(meant: Seen, found: Seen) -> str:
    name = next(n for n in Seen._fields if getattr(meant, n) != getattr(found, n))
    if name == "key":
        return (
            f"would change the key of the task in line {meant.line}, which says the same under "
            "the same headings; make the two differ first"
        )
    if name == "kind":
        return (
            f"would make the task in line {meant.line} a {found.kind}, where {meant.kind} is meant"
        )
    if name == "parent":
        return (
            f"would give the task in line {meant.line} another parent; write ids that go on from "
            "the same number"
        )
    if name == "runnable":
        return (
            f"would make line {meant.line} a task that is not run, because it reads as optional, "
            "struck through or a placeholder"
        )
    if name.endswith("end_line"):
        return f"would join other lines to the task in line {meant.line}"
    return f"would change the {name} of the task in line {meant.line}"
