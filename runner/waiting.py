"""Which tasks wait for others, and for which of them that is in vain: functions of the state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from runner.placing import unplaced
from runner.roadmap.order import ordered
from runner.roadmap.phases import in_phase
from runner.roadmap.task import Task
from runner.state import Attempt, RunState, Status

_DONE = {Status.COMPLETED, Status.IN_REVIEW, Status.REPLACED}
"""What a run can build on: it works on the tip of the stack, reviewed or not."""
_ON_THE_WAY = {Status.PENDING, Status.IN_PROGRESS}


def asked_for(state: RunState, task: Task) -> bool:
    """Say whether a task is part of the run.

    Optional and crossed-out work, or that of a template, is done only when it is named.
    """
    options = state.request.options
    if options.phase and not in_phase(task, options.phase):
        return False
    if options.tasks and task.key not in options.tasks and task.key not in state.depths:
        return False
    if options.task:
        came_of_it = task.key in state.depths
        return task.kind == "work" and (came_of_it or options.task in (task.key, task.id))
    return task.runnable and not (state.roadmap and state.roadmap.asks)


def comes_back(attempt: Attempt) -> bool:
    """Say whether a task is tried once more; one that another run was asked to retry is not.

    A proposal that nobody answered ends as deferred (DESIGN §8), so its task comes back too.
    """
    elsewhere = attempt.decision is not None and attempt.decision.channel == "retry"
    return attempt.status is Status.DEFERRED and attempt.number == 1 and not elsewhere


def upcoming(state: RunState) -> tuple[Task, ...]:
    """The tasks a run has still before it if all goes well, in the order it takes them."""
    vain = blocked(state)
    return tuple(task for task in _open(_afresh(state)) if task.key not in vain)


def ready(state: RunState) -> tuple[Task, ...]:
    """Open tasks that wait for nothing of this run, in the order it takes them."""
    state = _afresh(state)
    waits = _Waits(state)
    found = tuple(task for task in _open(state) if not waits.first(task))
    homeless = unplaced(state, found)
    return tuple(task for task in found if task.key not in homeless)


def with_blocked(state: RunState) -> RunState:
    """Take down which tasks wait in vain; a decision or a retry can free them again."""
    return replace(state, blocked_by=blocked(state))


def blocked(state: RunState) -> dict[str, str]:
    """Return the tasks of the run that cannot be worked on, each with what stands in its way.

    That is a task it depends on which failed, was skipped, declined, parked or put off for good, is
    blocked itself, or is no part of a run of the whole roadmap; or one that must be merged first.
    """
    state = _afresh(state)
    waits = _Waits(state)
    homeless = unplaced(state, tuple(t for t in _open(state) if not waits.first(t)))
    for task in _open(state):
        if by := waits.vain(task) or homeless.get(task.key, ""):
            waits.blocked[task.key] = by
    return waits.blocked


def missing(state: RunState, task: Task) -> tuple[Task, ...]:
    """Return what a task depends on that is not done and was left out of the run by name."""
    if not _by_name(state):
        return ()
    needed = set(task.depends_on)
    return tuple(
        other
        for other in state.tasks
        if other.key in needed and state.status(other) not in _DONE and not asked_for(state, other)
    )


def _open(state: RunState) -> Iterator[Task]:
    """The tasks of the run that are still to be done, in order."""
    for task in ordered(state.tasks):
        if state.status(task) is Status.PENDING and asked_for(state, task):
            yield task


def _afresh(state: RunState) -> RunState:
    """The state without what was blocked: that may have gone since."""
    return replace(state, blocked_by={})


def _by_name(state: RunState) -> bool:
    return bool(state.request.options.task or state.request.options.phase)


class _Waits:
    """Looks through each list of dependencies once, however many tasks share it."""

    def __init__(self, state: RunState) -> None:
        self._state = state
        self._tasks = {task.key: task for task in state.tasks}
        self._first: dict[int, str] = {}
        self._vain: dict[int, str] = {}
        self.blocked: dict[str, str] = {}

    def first(self, task: Task) -> str:
        """The first task of this run that one waits for, '' when there is none."""
        at = id(task.depends_on)
        if at not in self._first:
            self._first[at] = next((k for k in task.depends_on if self._is_awaited(k)), "")
        return self._first[at]

    def vain(self, task: Task) -> str:
        """The first task that one waits for in vain; all it depends on were looked at before."""
        at = id(task.depends_on)
        if at not in self._vain:
            self._vain[at] = next((k for k in task.depends_on if self._is_hopeless(k)), "")
        return self._vain[at]

    def _is_awaited(self, key: str) -> bool:
        task = self._tasks.get(key)
        if task is None or self._state.status(task) in _DONE:
            return False
        return not _by_name(self._state) or asked_for(self._state, task)

    def _is_hopeless(self, key: str) -> bool:
        if not self._is_awaited(key):
            return False
        task, attempt = self._tasks[key], self._state.attempts.get(key)
        status = self._state.status(task)
        if key in self.blocked:
            return True
        if attempt and comes_back(attempt):
            return False
        if status in _ON_THE_WAY:
            return not asked_for(self._state, task)
        return True
