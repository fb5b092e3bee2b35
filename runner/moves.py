"""What comes next in a run: pure functions of its state."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from runner.placing import advanced_apart, independent
from runner.recovery.applied import applied
from runner.roadmap.groups import Grouping, Piece, group
from runner.roadmap.order import apart
from runner.roadmap.task import Task
from runner.state import Attempt, Failure, RunState, Status
from runner.waiting import comes_back, ready


def open_tasks(state: RunState) -> tuple[Task, ...]:
    """Tasks that may be worked on now, in document order but behind what they depend on.

    A retry does not count as one more. A task that is likely to write what another one at work
    writes waits for it.
    """
    more = state.picked < state.request.options.max_tasks
    busy = [state.task_of(key) for key in state.at_work]
    return tuple(
        task
        for task in ready(state)
        if (more or task.key in state.attempts) and all(apart(task, other) for other in busy)
    )


def next_piece(state: RunState) -> Piece:
    """The first open task, together with the small neighbours that are worked on with it."""
    tasks = open_tasks(state)
    options = state.request.options
    most = max(1, min(options.grouping, options.max_tasks - state.picked))
    tried = {key for a in state.attempts.values() for key in (a.task, *a.former)}
    return group(tasks, by=Grouping(tasks=most), apart=frozenset(tried))[0]


def settle(state: RunState) -> RunState:
    """Give the task just left its last word, whatever happened: none is picked for ever."""
    if not state.current:
        return state
    attempt = state.attempt
    state = advanced(state)
    if attempt.commit and not attempt.rewritten:
        attempt = replace(attempt, status=Status.COMPLETED)
    elif attempt.status is Status.IN_PROGRESS:
        attempt = replace(attempt, status=Status.PENDING if state.stopping else Status.FAILED)
        attempt = replace(attempt, failure=attempt.failure or _unexplained(attempt, state.stopping))
    return replace(state.put(attempt), current="")


def advanced(state: RunState) -> RunState:
    """Move the tip to the newest commit of the run's line, and take in what recoveries rewrote.

    Read off the attempts, so that a crash between the rows of a border loses no commit, and tasks
    that were worked on side by side may be settled in any order.
    """
    if independent(state):
        return advanced_apart(state)
    no = {key for key, status in state.statuses.items() if status is Status.DECLINED}
    made = (a for a in state.attempts.values() if a.commit and a.task not in no)
    on = {a.base: a for a in made if a.commit != a.base}
    while (attempt := on.pop(state.tip, None)) is not None:
        state = replace(state, tip=attempt.commit, tip_branch=attempt.branch)
        state = applied(state, attempt)
    return state


def left_out(state: RunState, keys: Collection[str]) -> RunState:
    """Leave out the tasks that people want skipped, as far as nothing was begun of them."""
    options = state.request.options
    skipped = {
        task.key: Status.SKIPPED
        for task in state.tasks
        if task.key in keys
        and task.key not in state.attempts
        and not (options.retry and options.task in (task.key, task.id))
    }
    return replace(state, statuses={**state.statuses, **skipped}) if skipped else state


def next_move(state: RunState) -> str:
    """Say what ``decide_next`` ends with, for a state in which no task is in hand."""
    if state.stopping:
        return "stop"
    if decided(state):
        return "decided"
    if open_tasks(state):
        return "ok"
    if state.at_work:
        return "rest"  # until the next of them lands
    attempts = state.attempts.values()
    if any(comes_back(a) for a in attempts):
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
        if comes_back(attempt):
            state = state.put(replace(attempt, status=Status.PENDING))
    return state
