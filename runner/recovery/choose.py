"""Which strategy is still possible for a reason, and why not the usual one (DESIGN §4, §8)."""

from __future__ import annotations

from dataclasses import dataclass

from runner.recovery.values import MAX_DEPTH, MAX_REPLACEMENTS, STRATEGY_OF, Strategy
from runner.state import RunState, Status
from runner.texts_failure import defer_refused, rewrites_refused
from runner.waiting import upcoming

_FEWEST = {"rewrite": 1, "decompose": 2}
MOST_PARTS = 5
"""Tasks that one decomposition makes at most."""

_PROPOSED = {Status.AWAITING_APPROVAL, Status.IN_PROGRESS, Status.REPLACED}


@dataclass(frozen=True, slots=True)
class Choice:
    """The strategy to take; ``instead`` says why it is not the one that fits the reason."""

    strategy: Strategy
    instead: str = ""


def choose(state: RunState) -> Choice:
    """Return the strategy for the failure of the attempt in hand, within the bounds of the run."""
    failure = state.attempt.failure
    usual = STRATEGY_OF[failure.reason if failure else "unknown"]
    why = ""
    if usual == "defer":
        why = _no_defer(state)
    elif usual in _FEWEST:
        why = _no_rewrite(state, _FEWEST[usual])
    return Choice("escalate", why) if why else Choice(usual)


def room(state: RunState) -> int:
    """How many replacement tasks the run may still get, open proposals counted."""
    proposed = sum(
        len(attempt.proposal.replacements)
        for key, attempt in state.attempts.items()
        if attempt.proposal and attempt.status in _PROPOSED and key != state.current
    )
    return MAX_REPLACEMENTS - max(proposed, len(state.origins))


def _no_defer(state: RunState) -> str:
    if state.attempt.number > 1:
        return defer_refused("once")
    awaited = state.attempt.failure.waits_for if state.attempt.failure else ""
    if awaited and awaited not in _to_come(state):
        return defer_refused("never", next((t.name for t in state.tasks if t.key == awaited), ""))
    return ""


def _to_come(state: RunState) -> set[str]:
    """Tasks this run is still going to work on, or is working on."""
    coming = {task.key for task in upcoming(state)}
    deferred = (a.task for a in state.attempts.values() if a.status is Status.DEFERRED)
    return coming | set(state.at_work) | set(deferred)


def _no_rewrite(state: RunState, fewest: int) -> str:
    depth = state.depths.get(state.current, 0)
    if depth > MAX_DEPTH:
        return rewrites_refused("deep", depth)
    if room(state) < fewest:
        return rewrites_refused("many", MAX_REPLACEMENTS)
    task = state.task
    return rewrites_refused("kind", 0) if task.kind != "work" or task.checked else ""
