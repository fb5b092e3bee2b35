"""Edit a roadmap by task key: ticking changes one byte and leaves every other one alone."""

from __future__ import annotations

import re

from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Roadmap, Task

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_BOX = re.compile(rb"(?P<marks>[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)+)\[(?P<state>[ xX])\]")


class EditRefused(ValueError):
    """The edit would not do what was asked; the message says why and where."""


def find(roadmap: Roadmap, name: str) -> Task | None:
    """Find a task by its key or by its written id; None when there is none or more than one."""
    by_key = [task for task in roadmap.tasks if task.key == name]
    by_id = [task for task in roadmap.tasks if task.id == name]
    found = by_key or by_id
    return found[0] if len(found) == 1 else None


def tick(path: str, content: bytes, key: str) -> bytes:
    """Return ``content`` with the task's box ticked; a ticked one stays as it is.

    Raises ``EditRefused`` when the task is not there or the result would not be what was meant.
    """
    before = parse_roadmap(path, content)
    task = find(before, key)
    if task is None:
        raise EditRefused(f"{path} has no task {key} (any more); it may have been edited")
    if task.checked:
        return content
    start = _offset(content, task.line)
    box = _BOX.match(content, start)
    if box is None:
        raise EditRefused(f"{path}, line {task.line}: no box to tick before the task's text")
    at = box.start("state")
    after = content[:at] + b"x" + content[at + 1 :]
    _require_only_ticked(before, parse_roadmap(path, after), key)
    return after


def _offset(content: bytes, line: int) -> int:
    """Where a line starts; lines end at LF, CRLF and a lone CR only."""
    at = 0
    for _ in range(line - 1):
        match = _LINE.match(content, at)
        at = match.end() if match else at
    return at + (3 if at == 0 and content.startswith(b"\xef\xbb\xbf") else 0)


def _require_only_ticked(before: Roadmap, after: Roadmap, key: str) -> None:
    wanted = [(task.key, task.checked or task.key == key) for task in before.tasks]
    if [(task.key, task.checked) for task in after.tasks] != wanted:
        raise EditRefused(f"{before.path}: ticking {key} would change other tasks as well")
