"""What the dashboard shows: tasks with their states, runs, open proposals, what was used. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.github.pulls import Pull
from app.github.stack import Ties, standing
from app.store.runs import UNFINISHED, Run
from handlers.ports import InReview, ProposalView
from runner.money import Usage, total
from runner.roadmap.task import Roadmap, Task
from runner.state.run_state import Status, TaskElsewhere

_TROUBLE = frozenset({Status.FAILED, Status.DEFERRED, Status.BLOCKED})
_WORKED = frozenset({Status.IN_PROGRESS, Status.PENDING})


@dataclass(frozen=True, slots=True)
class TaskMark:
    """How a task is doing; ``number`` is the pull request that says so (0: none).

    One that is ``held`` is left alone by a new run, unless it is named.
    """

    status: Status
    number: int = 0
    held: bool = False


@dataclass(frozen=True, slots=True)
class RunOnBoard:
    """A run that is not over: ``position`` in the queue (0: it does not wait there)."""

    id: str
    status: str
    reason: str
    issue: int
    position: int = 0


@dataclass(frozen=True, slots=True)
class BudgetShown:
    """What is left and what was ``used`` by some ``runs``; pull requests ``open`` of ``most``."""

    open: int
    most: int
    tokens_per_task: int
    runs: int = 0
    used: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Board:
    """The whole of it; ``roadmap`` is the newest one with what open pull requests change.

    ``note`` is what the last push did (Markdown, sanitized). ``reviewed`` are the open pull
    requests that show our work. ``pushed`` says that pushes are shown, too. ``project`` is the name
    of the project whose plan it is ('': the repository's own), ``elsewhere`` what its tasks need of
    others (of all ``projects``), by key.
    """

    roadmap: Roadmap
    marks: Mapping[str, TaskMark]
    runs: tuple[RunOnBoard, ...] = ()
    proposals: tuple[ProposalView, ...] = ()
    spent: BudgetShown | None = None
    note: str = ""
    reviewed: tuple[InReview, ...] = ()
    pushed: bool = True
    project: str = ""
    projects: tuple[str, ...] = ()
    elsewhere: Mapping[str, tuple[TaskElsewhere, ...]] = field(default_factory=dict)

    def named(self, task: Task) -> str:
        """What a box calls a task: keys are a plan's own."""
        return f"{self.project}#{task.key}" if self.project else task.key

    @property
    def work(self) -> list[Task]:
        """The tasks that are work."""
        return [task for task in self.roadmap.tasks if task.kind == "work"]

    @property
    def open_work(self) -> list[Task]:
        """Those of them that are not done."""
        return [task for task in self.work if self.mark(task).status is not Status.COMPLETED]

    def mark(self, task: Task) -> TaskMark:
        """How a task is doing."""
        return self.marks.get(task.key, TaskMark(Status.PENDING))


def marks_of(
    roadmap: Roadmap,
    pulls: Sequence[Pull],
    *,
    base: str,
    skipped: Collection[str],
    asked: Collection[str],
    runs: Iterable[Run],
) -> dict[str, TaskMark]:
    """Say how each task is doing. ``runs`` are the newest ones, the newest first.

    Nobody can decide about a proposal for a task that is not ``asked`` about: its run only reports,
    or it was handed over to people.
    """
    found = standing(pulls, base=base, roadmap=roadmap.path)
    ties = Ties((pull for pull in pulls if pull.roadmap == roadmap.path), base)
    numbers = {key: pull.number for pull in ties.pulls for key in pull.tasks}
    numbers |= {
        key: pull.number
        for pull in ties.pulls
        if pull.open and pull.member
        for each in ties.inside(pull)
        for key in each.tasks
    }
    trouble = _trouble(runs)
    marks: dict[str, TaskMark] = {}
    for task in roadmap.tasks:
        key = task.key
        if key in found.in_review:
            marks[key] = TaskMark(Status.IN_REVIEW, numbers.get(key, 0))
        elif task.checked:
            marks[key] = TaskMark(Status.COMPLETED)
        elif key in found.proposed:
            status = Status.AWAITING_APPROVAL if key in asked else Status.FAILED
            marks[key] = TaskMark(status, numbers.get(key, 0), held=True)
        elif key in skipped:
            marks[key] = TaskMark(Status.SKIPPED)
        elif key in found.declined:
            marks[key] = TaskMark(Status.DECLINED, numbers.get(key, 0))
        else:
            marks[key] = TaskMark(trouble.get(key, Status.PENDING))
    return marks


def _trouble(runs: Iterable[Run]) -> dict[str, Status]:
    """What the newest run that took a task up says of it, by key, where it could not be done."""
    said: dict[str, Status] = {}
    for run in runs:
        for row in (run.result or {}).get("tasks", ()):
            key, status = row.get("key"), Status(row["status"])
            if key and status not in _WORKED:
                said.setdefault(key, status)
    return {key: status for key, status in said.items() if status in _TROUBLE}


def used_by(runs: Iterable[Run], *, open: int, most: int, tokens_per_task: int) -> BudgetShown:
    """Add up what runs used."""
    used = [Usage(**run.result["used"]) for run in runs if run.result and "used" in run.result]
    return BudgetShown(open, most, tokens_per_task, len(used), total(used))


def unfinished(runs: Iterable[Run], positions: Mapping[str, int]) -> tuple[RunOnBoard, ...]:
    """The runs that are not over, the oldest first."""
    return tuple(
        RunOnBoard(run.id, run.status, run.reason, run.issue or 0, positions.get(run.id, 0))
        for run in runs
        if run.status in UNFINISHED and not run.request.get("verify")
    )
