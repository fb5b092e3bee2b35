"""What a person pushed to the branch of a proposal, read as other tasks to propose. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent

from runner.recovery.listing import problems_of
from runner.roadmap.audit import is_audit
from runner.roadmap.edit import find
from runner.roadmap.lines import line_starts
from runner.roadmap.listed import listed
from runner.roadmap.new_task import NewTask
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Roadmap, Task


@dataclass(frozen=True, slots=True)
class Pushed:
    """The ``tasks`` a push puts in the place of one, or the ``problem`` why it proposes none."""

    tasks: tuple[NewTask, ...] = ()
    problem: str = ""


def read_pushed(path: str, before: bytes, after: bytes, key: str) -> Pushed:
    """Read the tasks that stand in ``after`` where the task ``key`` stood in ``before``.

    Every byte outside the task's own lines must be as it was.
    """
    roadmap = parse_roadmap(path, before)
    task = find(roadmap, key)
    if task is None:
        return Pushed(problem=f"the task is not in the {path} it was made from")
    if any(task.line < other.line <= task.end_line for other in roadmap.tasks):
        return Pushed(problem="there are boxes inside the task")
    start, end = _place(roadmap, task)
    rest = before[end:]
    same = after.startswith(before[:start]) and after.endswith(rest)
    if not same or len(after) < start + len(rest):
        return Pushed(problem=f"it changes more of {path} than this task")
    written = after[start : len(after) - len(rest)]
    if not _only_tasks(path, after, before[:start].count(b"\n") + 1, written):
        return Pushed(problem=f"it writes more into {path} than tasks")
    return _tasks(written)


def same_tasks(path: str, one: bytes, other: bytes) -> bool:
    """Say whether two texts of a roadmap have the same tasks, apart from how they are laid out."""
    return _said(path, one) == _said(path, other)


def _place(roadmap: Roadmap, task: Task) -> tuple[int, int]:
    starts = [*line_starts(roadmap.content), len(roadmap.content)]
    return starts[task.line - 1], starts[min(task.end_line, len(starts) - 1)]


def _only_tasks(path: str, after: bytes, first: int, written: bytes) -> bool:
    """Whether every line that is written, the first at line ``first``, belongs to a task."""
    tasks = parse_roadmap(path, after).tasks
    inside = {line for task in tasks for line in range(task.line, task.end_line + 1)}
    lines = written.splitlines()
    return all(not each.strip() or n in inside for n, each in enumerate(lines, first))


def _tasks(written: bytes) -> Pushed:
    own = b"".join(each for each in written.splitlines(keepends=True) if not is_audit(each))
    tasks = listed(dedent(own.decode("utf-8", "replace")))
    if not tasks:
        return Pushed(problem="there is no list of tasks in the task's place")
    problem = next(problems_of(tasks), "")
    return Pushed(problem=problem.rstrip(".")) if problem else Pushed(tasks)


def _said(path: str, content: bytes) -> list[tuple[object, ...]]:
    return [
        (each.id, each.title, each.checked, each.acceptance)
        for each in parse_roadmap(path, content).tasks
    ]
