"""How many pull requests may wait for people at the same time: a run rests while there are more."""

from __future__ import annotations

from runner.state.publishing import Stack
from runner.state.run_state import RunState


def counted(state: RunState, stack: Stack) -> RunState:
    """Return the state with how many pull requests are open now."""
    return state.with_stack(open=stack.open, published=_published(state))


def is_full(state: RunState) -> bool:
    """Say whether the run would open more pull requests than may be open.

    What was merged since they were counted is not known, so it is asked for before a run rests. A
    revision opens none, nor does the next task of a single pull request.
    """
    options = state.request.options
    if not options.open_pull_requests or options.scope.revision is not None:
        return False
    since = _published(state) - state.stack.published
    if options.pull_requests == "single" and _published(state):
        return False
    return state.stack.open + since >= options.open_pull_requests


def why_full(state: RunState) -> str:
    """Say why the run rests."""
    most = state.request.options.open_pull_requests
    some = "1 pull request" if most == 1 else f"{most} pull requests"
    verb = "is" if most == 1 else "are"
    return (
        f"{some} of Cairn {verb} open, which is the limit (`limits.open_pull_requests`). The run "
        "continues automatically when one of them is merged or closed."
    )


def _published(state: RunState) -> int:
    urls = {attempt.published.url for attempt in state.attempts.values()}
    return len(urls - {""})
