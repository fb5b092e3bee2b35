"""What people read about taking back a finished task on GitHub."""

from __future__ import annotations

from collections.abc import Sequence

from runner.people.sentences import commands_of, title_of, verification_table
from runner.roadmap.task import Task
from runner.state.changes import ChangeSet
from runner.state.findings import Verification
from runner.state.publishing import CheckpointText
from runner.text.sanitize import as_code, plain_line, sanitize

_MOST = 10


def not_finished_here(name: str, branch: str) -> str:
    """Its checkbox is open there, or only an open pull request ticks it."""
    return (
        f"Task {plain_line(name)} is not finished on {as_code(branch)}, so there is nothing to take"
        " back there. If its pull request is open, close it instead."
    )


def not_merged_here(name: str) -> str:
    """Nobody knows what was changed for it."""
    return (
        f"Cairn finds no merged pull request of its own for task {plain_line(name)}, so it does not"
        " know what to take back. Revert the commit by hand."
    )


def fails_without(name: str, reasons: Sequence[str]) -> str:
    """Tests that pass now fail without the task."""
    return f"Without task {plain_line(name)} the tests fail:\n\n{_rows(reasons)}"


def fails_with_it_too(name: str, reasons: Sequence[str]) -> str:
    """The tests say nothing about the task: they do not start, or fail in the same way with it."""
    task = plain_line(name)
    return (
        f"The tests fail in the same way with task {task} and without it, so they say nothing "
        f"about it:\n\n{_rows(reasons)}"
    )


def _rows(reasons: Sequence[str]) -> str:
    more = [f"- and {len(reasons) - _MOST} more"] if len(reasons) > _MOST else []
    return "\n".join([*(f"- {plain_line(reason)}" for reason in reasons[:_MOST]), *more])


def cannot_test(name: str, why: str) -> str:
    """It could not be found out."""
    return f"Cairn could not test the repository without task {plain_line(name)}: {why}."


def not_undone(why: str) -> str:
    """Why nothing was proposed."""
    return f"{sanitize(why)}\n\nNothing was changed."


def undo_offered(name: str, url: str, state: str) -> str:
    """Where the pull request is that takes a task back."""
    if state == "pushed":
        return (
            f"{url} takes back task {plain_line(name)}. Somebody has pushed to it, so Cairn leaves "
            "it alone. Merge or close it."
        )
    return (
        f"{url} takes back task {plain_line(name)} and clears its checkbox. Once it is merged, the "
        f"task is open again. If nobody is to do it again, comment `/execute skip "
        f"{plain_line(name)}` or remove it from the roadmap."
    )


def undo_pull(
    task: Task, number: int, run: str, changes: ChangeSet, found: Verification
) -> CheckpointText:
    """The words of commit and pull request; ``number`` is the one whose change is taken back."""
    title = f"Undo: {title_of(task)}"
    files = "\n".join(
        f"- {as_code(path)}{' (deleted)' if write is None else ''}"
        for path, write in sorted(changes.files.items())
    )
    body = [
        f"This takes back what #{number} changed, and clears the task's checkbox. What was changed "
        "later stays. No model was asked.",
        f"### Files\n\n{files}",
        f"### Checks of the repository without the task\n\n{verification_table(found)}",
        commands_of(found),
        "Once this is merged, the task is open again, and the next run works on it.",
        f"If GitHub says that it has conflicts, comment `/execute undo {plain_line(task.name)}` "
        "again: Cairn then makes it anew on the newest commit, or says what is in the way.",
    ]
    message = f"{title}\n\nThis takes back pull request {number}."
    return CheckpointText(message, (("Cairn-Run", run),), title, "\n\n".join(filter(None, body)))
