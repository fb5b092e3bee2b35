"""Ids and titles that stand there twice: commands and dependencies cannot tell them apart."""

from __future__ import annotations

from collections.abc import Iterator

from runner.roadmap.lint.finding import Finding, about, short
from runner.roadmap.task import Roadmap, Task


def duplicate_id(roadmap: Roadmap) -> Iterator[Finding]:
    """Find written ids that an earlier task has; such a task is only known by its key."""
    first: dict[str, Task] = {}
    for task in roadmap.tasks:
        if task.id is None or task.kind == "check":
            continue
        other = first.setdefault(task.id, task)
        if other is not task and not (other.checked and task.checked):
            ask = f"give it an id of its own, or name it by its key {task.key}"
            message = f"the id {short(task.id)} is that of line {other.line} too; {ask}"
            yield about(task, message, task.id)


def duplicate_title(roadmap: Roadmap) -> Iterator[Finding]:
    """Find a title that stands twice under the same headings and parent, one of them open."""
    first: dict[tuple[object, ...], Task] = {}
    for task in roadmap.tasks:
        if task.kind != "work" or task.struck or task.template:
            continue
        title = " ".join(task.title.casefold().split())
        place = (title, task.parent, tuple(heading.line for heading in task.headings))
        other = first.setdefault(place, task)
        if other is not task and not (other.checked and task.checked):
            ask = "take one of them out, or say how they differ"
            yield about(task, f"the same task stands on line {other.line}; {ask}")
