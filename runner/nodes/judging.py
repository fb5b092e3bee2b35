"""After a finding: keep it, ask the loop strategy, and go where it says."""

from __future__ import annotations

import logging
from typing import Literal

from runner.state import Attempt, RunState, Step
from runner.strategy import after_failure
from runner.text import cut_middle
from runner.validators.kept_names import ASKED
from runner.verdicts import reasons_of

log = logging.getLogger(__name__)

_EXHAUSTED = "Max repairs exceeded, classifying failure"


def judged(state: RunState, kind: Literal["code", "test"], *, same: bool = False) -> Step:
    """Decide about an attempt whose newest answer is not good enough."""
    attempt = state.attempt
    decision = after_failure(attempt, kind, loop=state.request.options.loop, same=same)
    if decision.outcome == "exhausted":
        log.info(_EXHAUSTED)
    tried = (attempt.changes.digest,) if kind == "test" or _by_content(attempt) else ()
    state = state.with_attempt(
        tried=tuple(dict.fromkeys((*attempt.tried, *tried))),
        avoid=tuple(dict.fromkeys((*attempt.avoid, *_mistakes(attempt, kind)))),
        reasons=(*attempt.reasons, decision.reason),
    )
    return Step(state, decision.outcome)


def given_up(state: RunState, reason: str) -> Step:
    """End an attempt at once, for a reason that no further answer changes."""
    log.info(_EXHAUSTED)
    return Step(state.with_attempt(reasons=(*state.attempt.reasons, reason)), "exhausted")


def _by_content(attempt: Attempt) -> bool:
    """Whether the change set itself was found wanting, and not a part that is no part of it.

    What was only asked about is right when it comes again.
    """
    files = attempt.changes.files
    return any(c.path in files and c.error not in ASKED for c in attempt.complaints)


def _mistakes(attempt: Attempt, kind: Literal["code", "test"]) -> list[str]:
    """The findings as short sentences a fresh answer is warned with."""
    if kind == "code":
        return [
            cut_middle(f"{c.path or 'answer'}: {c.error}: {c.message}", 300)
            for c in attempt.complaints[:5]
        ]
    return reasons_of(attempt.verification)[:5]
