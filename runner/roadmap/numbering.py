"""Ids for the parts of a task, in the manner of its roadmap, none of them taken."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count, islice
from string import ascii_lowercase

from runner.roadmap.task import Roadmap, Task

_LETTERED = re.compile(r"(?P<number>[A-Z]{1,8}\d{1,6}|[\d.]+(?=[a-z]))[a-z]?")


def propose_ids(roadmap: Roadmap, task: Task, parts: int) -> tuple[str, ...]:
    """Return an id for each of ``parts`` replacements of a task.

    One keeps the id. 1.2 becomes 1.2.1, 1.2.2; T001 becomes T001a, T001b. What has no id gets
    none; neither do the parts of an issue (#12), nor of one of two tasks with the same id, which
    would belong to the other.
    """
    if task.id is None:
        return ("",) * parts
    if parts == 1:
        return (task.id,)
    if task.id.startswith("#") or sum(other.id == task.id for other in roadmap.tasks) > 1:
        return ("",) * parts
    taken = {other.id.casefold() for other in roadmap.tasks if other.id}
    free = (name for name in _parts_of(task.id) if name.casefold() not in taken)
    return tuple(islice(free, parts))


def _parts_of(name: str) -> Iterator[str]:
    """The ids of a task's parts: letters behind T001, further letters for T001a, else numbers."""
    if found := _LETTERED.fullmatch(name):
        return (f"{found['number']}{letters}" for letters in _letters())
    return (f"{name}.{n}" for n in count(1))


def _letters() -> Iterator[str]:
    """a to z, then aa to zz and so on."""
    shorter = [""]
    while True:
        shorter = [before + letter for before in shorter for letter in ascii_lowercase]
        yield from shorter
