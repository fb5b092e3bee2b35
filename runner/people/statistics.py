"""What recoveries did: to the tasks people wrote, and how often each strategy helped. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import get_args

from runner.roadmap.task import Task
from runner.state.proposal import Strategy, as_item
from runner.state.recoveries import outcome_of, replaced_well
from runner.state.run_state import RunState, Status

_ENDED = {"merged": Status.COMPLETED, "closed": Status.DECLINED}
"""What a task is whose pull request ended while it was worked on, by the type of that failure."""

_OPEN = (
    *(Status.FAILED, Status.AWAITING_APPROVAL, Status.BLOCKED, Status.DECLINED, Status.DEFERRED),
    *(Status.SKIPPED, Status.IN_PROGRESS, Status.PENDING, Status.IN_REVIEW),
)
"""Status of a divided task: the first of these that any part has."""


def work_of(state: RunState, tasks: Iterable[Task]) -> list[Task]:
    """Return those that are work; of a revision only the tasks of its pull request."""
    only = state.revision.tasks if state.revision else None
    return [t for t in tasks if t.kind == "work" and (only is None or t.key in only)]


def standing(state: RunState, task: Task) -> Status:
    """Return a task's status as people are shown it.

    One whose pull request a run works on again is in review whatever comes of that, unless somebody
    merged or closed the pull request meanwhile.
    """
    status, revision = state.status(task), state.revision
    revised = revision is not None and not revision.fixes and task.key in revision.tasks
    if not revised or status not in (Status.PENDING, Status.FAILED):
        return status
    failure = next((attempt.failure for attempt in state.attempts.values()), None)
    return _ENDED.get(failure.type if failure else "", Status.IN_REVIEW)


def as_written(state: RunState) -> list[tuple[Task, Status]]:
    """Return the work that people wrote down, each task once, with its status.

    A task that a recovery replaced is completed only when all its replacements are. One that people
    removed without a replacement is ``replaced`` and counts nowhere.
    """
    found: dict[str, Task] = {}
    for task in work_of(state, (*state.tasks, *state.replaced.tasks)):
        key = state.written(task.key)
        found[key] = task if key == task.key else state.task_of(key)
    return [(task, _whole(state, task)) for task in found.values()]


def proposals(state: RunState) -> list[dict[str, object]]:
    """Return what was proposed about tasks, in their order: with the old text and the new one."""
    return [
        {
            "id": proposal.id,
            "task": attempt.task,
            "strategy": proposal.strategy,
            "reason": proposal.reason,
            "explanation": proposal.explanation,
            "original": proposal.original,
            "replacements": [as_item(task) for task in proposal.replacements],
            "outcome": outcome_of(attempt, proposal),
        }
        for attempt in state.attempts.values()
        if (proposal := attempt.proposal) and proposal.kind == "recovery"
    ]


def recoveries(state: RunState) -> dict[str, object]:
    """Return the ``recoveries`` of the report: in all, and by strategy.

    Successful means that every replacement, or the deferred task, is completed; skipping and
    handing over finish nothing.
    """
    by = by_strategy(state)
    total = {
        word: sum(numbers[word] for numbers in by.values())
        for word in ("attempted", "applied", "successful")
    }
    return {**total, "by_strategy": by}


def by_strategy(state: RunState) -> dict[str, dict[str, int]]:
    """Return ``attempted``, ``applied`` and ``successful`` of each strategy that was proposed."""
    by: dict[str, dict[str, int]] = {}
    for strategy, applied, successful in _each(state):
        numbers = by.setdefault(strategy, {"attempted": 0, "applied": 0, "successful": 0})
        numbers["attempted"] += 1
        numbers["applied"] += applied
        numbers["successful"] += successful
    return {s: by[s] for s in get_args(Strategy) if s in by}


def decisions(state: RunState) -> list[dict[str, object]]:
    """Return who decided about which proposal, how and when, in the order of the tasks."""
    return [
        {
            "task": attempt.task,
            "proposal": attempt.proposal.id,
            "kind": attempt.proposal.kind,
            "strategy": attempt.proposal.strategy,
            "verdict": attempt.agreed.decision.verdict,
            "by": attempt.agreed.decision.by,
            "channel": attempt.agreed.decision.channel,
            "at": attempt.agreed.decision.at,
            "why": attempt.agreed.decision.why,
        }
        for attempt in state.attempts.values()
        if attempt.proposal and attempt.agreed.decision
    ]


def _whole(state: RunState, task: Task) -> Status:
    status = standing(state, task)
    if status is not Status.REPLACED:
        return status
    stand = {
        _whole(state, other)
        for other in (*state.tasks, *state.replaced.tasks)
        if state.replaced.origins.get(other.key) == task.key
    }
    if not stand:
        return status
    return next((each for each in _OPEN if each in stand), Status.COMPLETED)


def _each(state: RunState) -> Iterator[tuple[str, bool, bool]]:
    """(strategy, applied, successful) of every proposal of a recovery."""
    for attempt in state.attempts.values():
        if attempt.number > 1:  # the attempt before it was put off
            yield "defer", True, attempt.status is Status.COMPLETED
        proposal = attempt.proposal
        if proposal and proposal.kind == "recovery":
            applied = outcome_of(attempt, proposal) == "applied"
            yield proposal.strategy, applied, replaced_well(state, attempt)
