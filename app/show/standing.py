"""How the whole run stands: phases, how much is done, what was used, how long it will take."""

from __future__ import annotations

from dataclasses import dataclass

from app.show.view import View
from runner.recovery.numbers import as_written
from runner.report import node_usage
from runner.roadmap.headings import phase_heading
from runner.roadmap.marks import without_marks
from runner.roadmap.task import Task
from runner.state import RunState, Status, Usage
from runner.waiting import upcoming

_DONE = frozenset({Status.COMPLETED, Status.IN_REVIEW})


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase of the roadmap ('' for tasks in none); ``active`` while a task of it is in hand."""

    name: str
    done: int
    total: int
    active: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """``coming`` counts the tasks the run has still to take up."""

    phases: tuple[Phase, ...]
    coming: int

    @property
    def done(self) -> int:
        """Tasks that are done."""
        return sum(phase.done for phase in self.phases)

    @property
    def total(self) -> int:
        """All of them."""
        return sum(phase.total for phase in self.phases)


def standing(state: RunState, in_hand: frozenset[str] = frozenset()) -> Standing:
    """Count the work as people wrote it, phase by phase in the order of the file."""
    phases: dict[str, Phase] = {}
    working = {state.written(key) for key in in_hand}
    for task, status in as_written(state):
        if status is Status.REPLACED:
            continue
        name = _heading(task)
        known = phases.get(name, Phase(name, 0, 0))
        done = known.done + (status in _DONE)
        active = known.active or task.key in working
        phases[name] = Phase(name, done, known.total + 1, active)
    most = max(0, state.request.options.max_tasks - state.picked)
    return Standing(tuple(phases.values()), min(most, len(upcoming(state))))


def _heading(task: Task) -> str:
    """The heading of its phase, else the highest one below the title; '' for none."""
    below = (heading for heading in task.headings if heading.level > 1)
    heading = phase_heading(task.headings) or next(below, None)
    return without_marks(heading.text) if heading else ""


def used(state: RunState) -> Usage:
    """What the run used so far."""
    return sum(node_usage(state).values(), Usage())


def seconds_left(view: View, coming: int, *, now: float) -> float | None:
    """Estimate the time left from the mean of the finished tasks; None before there is one."""
    if view.state is None or not view.took or not (coming or view.in_hand):
        return None
    mean = sum(view.took) / len(view.took)
    at_work = sum(max(0.0, mean - (now - each.since)) for each in view.in_hand.values())
    return (mean * coming + at_work) / max(1, view.state.request.options.parallel)
