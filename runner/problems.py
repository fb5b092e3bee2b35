"""Why a run has nothing to work on, and what people can do about it."""

from __future__ import annotations

from collections.abc import Iterable

from runner.defuse import defuse
from runner.moves import open_tasks
from runner.roadmap.edit import find
from runner.roadmap.task import Roadmap, Task
from runner.state import RunState, Status

_MOST = 20
_WHY = {
    Status.COMPLETED: "is done already: its box is ticked",
    Status.IN_REVIEW: "is in review already: its pull request is open",
    Status.DECLINED: "was declined: its pull request was closed without a merge",
}


def missing_roadmap(path: str) -> str:
    """There is no such file."""
    return (
        f"There is no file `{_plain(path)}` on the branch this run builds on. Add one with a task "
        "list (`- [ ] what to do`) or name another path: `/execute docs/PLAN.md`."
    )


def nothing_to_do(state: RunState, roadmap: Roadmap) -> str:
    """Say why no task can be picked, or nothing."""
    path, wanted = _plain(roadmap.path), state.request.options.task
    if not roadmap.content.strip():
        return f"`{path}` is empty. Add tasks to it, one a line: `- [ ] what to do`."
    if not roadmap.tasks:
        return (
            f"`{path}` has no checkboxes, so it is not clear what is a task. Write each task as "
            "`- [ ] what to do` and run `/execute` again."
        )
    if wanted:
        task = find(roadmap, wanted)
        return _unworkable(state, task) if task else _no_single(roadmap, wanted)
    if not open_tasks(state):
        return (
            f"`{path}` has no open task: every one is ticked, in review, or declined (its pull "
            "request was closed without a merge). Add a task to go on."
        )
    return ""


def _no_single(roadmap: Roadmap, wanted: str) -> str:
    """A name that nothing bears, or more than one task."""
    said = f"`{_plain(roadmap.path)}` has no single task called `{_plain(wanted)}`."
    same = [task for task in roadmap.tasks if task.id == wanted]
    if same:
        return f"{said} These bear that id; name one by its key:\n\n{_listed(same)}"
    names = ", ".join(f"`{task.name}`" for task in roadmap.tasks[:_MOST])
    return f"{said} Its tasks: {names}."


def _listed(tasks: Iterable[Task]) -> str:
    return "\n".join(
        f"- `{task.key}` (line {task.line}) {defuse(task.title, plain=True)}" for task in tasks
    )


def _unworkable(state: RunState, task: Task) -> str:
    """Say why a task that was asked for cannot be worked on, or nothing."""
    name = f"Task `{task.name}` (line {task.line})"
    if task.kind == "summary":
        return f"{name} has tasks of its own; name one of them."
    why = _WHY.get(state.status(task))
    return f"{name} {why}." if why else ""


def _plain(text: str) -> str:
    """Text to stand in a code span, where nothing is active."""
    return text.replace("`", "'")
