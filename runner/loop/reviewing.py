"""How many pull requests may wait for people at the same time: a run rests while there are more."""

from __future__ import annotations

from dataclasses import replace

from runner.state.publishing import Stack
from runner.state.run_state import RunState
from runner.text import counting


def counted(state: RunState, stack: Stack) -> RunState:
    """Return the state with how many pull requests are open now."""
    return replace(state, stack=replace(state.stack, open=stack.open, published=_published(state)))


def is_full(state: RunState) -> bool:
    """Say whether the run would open more pull requests than may be open.

    What was merged since they were counted is not known, so it is asked for before a run rests. A
    revision opens none, nor does the next task of a single pull request.
    """
    options = state.request.options
    if not options.open_pull_requests or options.scope.revision is not None:
        return False
    if options.pull_requests == "single" and _published(state):
        return False
    return _open(state) >= options.open_pull_requests


def why_full(state: RunState) -> str:
    """Say why the run rests."""
    now, most = _open(state), state.request.options.open_pull_requests
    some, verb = counting.counted(now, "pull request"), "is" if now == 1 else "are"
    limit, until = "which is the limit", "when one of them is merged or closed"
    if now > most:
        limit, until = f"and the limit is {most}", f"when fewer than {most} are"
    return (
        f"{some} of Cairn {verb} open, {limit} (`limits.open_pull_requests`). The run continues "
        f"automatically {until}."
    )


def _open(state: RunState) -> int:
    """How many are open, as far as the run knows."""
    return state.stack.open + _published(state) - state.stack.published


def _published(state: RunState) -> int:
    urls = {attempt.published.url for attempt in state.attempts.values()}
    return len(urls - {""})
