"""What comes next in a run: pure functions of its state."""

from __future__ import annotations

from dataclasses import replace

from runner.roadmap.task import Task
from runner.state import Attempt, Failure, RunState, Status


def open_tasks(state: RunState) -> tuple[Task, ...]:
    """Tasks that may be worked on now, in document order; a retry does not count as one more."""
    options = state.request.options
    more = state.picked < options.max_tasks
    return tuple(
        task
        for task in state.tasks
        if task.kind == "work"
        and state.status(task) is Status.PENDING
        and (not options.task or options.task in (task.key, task.id))
        and (more or task.key in state.attempts)
    )


def settle(state: RunState) -> RunState:
    """Give the task just left its last word, whatever happened: none is picked for ever."""
    if not state.current:
        return state
    attempt = state.attempt
    if attempt.commit:
        state = replace(state, tip=attempt.commit, tip_branch=attempt.branch)
        attempt = replace(attempt, status=Status.COMPLETED)
    elif attempt.status is Status.IN_PROGRESS:
        attempt = replace(attempt, status=Status.PENDING if state.stopping else Status.FAILED)
        attempt = replace(attempt, failure=attempt.failure or _unexplained(attempt, state.stopping))
    return replace(state.put(attempt), current="")


def next_move(state: RunState) -> str:
    """Say what ``decide_next`` ends with, for a state in which no task is in hand."""
    if state.stopping:
        return "stop"
    if decided(state):
        return "decided"
    if open_tasks(state):
        return "ok"
    attempts = state.attempts.values()
    if any(a.status is Status.DEFERRED and a.number == 1 for a in attempts):
        return "deferred"
    return "rest" if any(a.status is Status.AWAITING_APPROVAL for a in attempts) else "stop"


def decided(state: RunState) -> str:
    """The parked task that was decided about first, '' when there is none."""
    parked = (key for key in state.decided if key in state.attempts)
    waits = Status.AWAITING_APPROVAL
    return next((key for key in parked if state.attempts[key].status is waits), "")


def _unexplained(attempt: Attempt, stopping: bool) -> Failure | None:
    if stopping:
        return None
    return Failure("internal", "the attempt ended without a checkpoint", node=attempt.path[-1])


def retry(state: RunState) -> RunState:
    """Open every task that was deferred once; its next attempt is its last."""
    for attempt in list(state.attempts.values()):
        if attempt.status is Status.DEFERRED and attempt.number == 1:
            state = state.put(replace(attempt, status=Status.PENDING))
    return state
