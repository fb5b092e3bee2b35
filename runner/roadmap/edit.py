"""Edit a roadmap by task key: ticking changes one byte and leaves every other one alone."""

from __future__ import annotations

from collections.abc import Iterable

from runner.roadmap.lines import line_starts
from runner.roadmap.outline import difference, outline
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.place import Place, place_at
from runner.roadmap.task import Roadmap, Task


class EditRefused(ValueError):
    """The edit would not do what was asked; the message says why and where."""


def find(roadmap: Roadmap, name: str) -> Task | None:
    """Find a task by its key or by its written id; None when there is none or more than one."""
    by_key = [task for task in roadmap.tasks if task.key == name]
    by_id = [task for task in roadmap.tasks if task.id == name]
    found = by_key or by_id
    return found[0] if len(found) == 1 else None


def tick(path: str, content: bytes, key: str, *, parsed: Roadmap | None = None) -> bytes:
    """Return ``content`` with the task's box ticked; a ticked one stays as it is.

    ``parsed`` saves a parse where it is of these very bytes. Raises ``EditRefused`` when the task
    is not there or the result would not be what was meant.
    """
    return _set(current(path, content, parsed), [key], checked=True)


def untick(path: str, content: bytes, key: str, *, parsed: Roadmap | None = None) -> bytes:
    """Return ``content`` with the task's box emptied; otherwise as ``tick``."""
    return _set(current(path, content, parsed), [key], checked=False)


def tick_all(path: str, content: bytes, keys: Iterable[str]) -> bytes:
    """Return ``content`` with several boxes ticked; raises ``EditRefused`` as ``tick``."""
    return _set(parse_roadmap(path, content), keys, checked=True)


def untick_all(path: str, content: bytes, keys: Iterable[str]) -> bytes:
    """Return ``content`` with several boxes emptied; raises ``EditRefused`` as ``tick``."""
    return _set(parse_roadmap(path, content), keys, checked=False)


def current(path: str, content: bytes, parsed: Roadmap | None) -> Roadmap:
    """Return the parsed form of these bytes; ``parsed`` itself only if it is of them."""
    if parsed is not None and parsed.path == path and parsed.content == content:
        return parsed
    return parse_roadmap(path, content)


def wanted(roadmap: Roadmap, key: str) -> Task:
    """Return the task an edit is about; raises ``EditRefused`` when it is not there."""
    task = find(roadmap, key)
    if task is None:
        raise EditRefused(f"{roadmap.path} has no task {key} (any more); it may have been edited")
    return task


def place_of(roadmap: Roadmap, task: Task) -> Place:
    """Return how a task is written; raises ``EditRefused`` when its line has no box."""
    place = place_at(roadmap.content, line_starts(roadmap.content)[task.line - 1])
    if place is None:
        raise EditRefused(f"{roadmap.path}, line {task.line}: no box before the task's text")
    return place


def _set(before: Roadmap, keys: Iterable[str], *, checked: bool) -> bytes:
    tasks = [task for task in (wanted(before, key) for key in keys) if task.checked != checked]
    if not tasks:
        return before.content
    content = bytearray(before.content)
    for task in tasks:  # one byte becomes another one, so the places of the others stay
        content[place_of(before, task).state] = ord("x" if checked else " ")
    after = parse_roadmap(before.path, bytes(content))
    turned = {task.key for task in tasks}
    meant = [
        seen._replace(checked=checked) if seen.key in turned else seen
        for seen in outline(before.tasks)
    ]
    if why := difference(meant, outline(after.tasks)):
        lines = ", ".join(str(task.line) for task in tasks)
        raise EditRefused(f"{before.path}: turning the box of line {lines} over {why}")
    return after.content
