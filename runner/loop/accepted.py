"""One repair of what would be better, which never costs an accepted change.

Linters newly complain, the new tests prove nothing and nothing else shows that the task is done, or
a test that was asked for apart fails.

The change that its tests accept is kept in the attempt while a model is asked. Whatever goes wrong
with the answer, the kept change takes its place and is published with its findings.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from runner.errors import Outage, TaskError
from runner.loop.deps import Deps, TaskWork
from runner.loop.strategy import MAX_CALLS, MAX_REPAIRS
from runner.state.findings import Verification
from runner.state.run_state import AcceptedChange, RunState, Step, VerifiedWork

log = logging.getLogger(__name__)

_STEPS = 6
"""Nodes that a repair and the checkpoint take, and one to spare."""

P = ParamSpec("P")
_Node = Callable[Concatenate[RunState, Deps, TaskWork, P], Coroutine[Any, Any, Step]]


def asks_for_better(state: RunState) -> bool:
    """Whether a model is asked once to correct what is wrong with an accepted change."""
    verification = state.attempt.tested.verification
    if not verification:
        return False
    # its own tests pass without the change, and nothing shows that it works; another test changes
    # nothing where the change itself cannot be run
    verdict = state.attempt.tested.verdict
    may_show = verdict is None or verdict.kind == "unbroken"
    idle = may_show and "proof" in _weak(verification)
    return (idle or bool(verification.findings)) and may_repair(state)


def may_repair(state: RunState) -> bool:
    """Whether one more call may be made about a change that its tests accept.

    What people wrote or agreed to stays as it is, and so does what a pattern made.
    """
    attempt, options = state.attempt, state.request.options
    if attempt.accepted or attempt.planned.human_commits is not None or attempt.agreed.approved:
        return False
    if options.scope.again or attempt.answered.pattern:
        return False
    steps_left = options.limits.max_iterations - attempt.spent.steps
    return (
        options.loop in ("hybrid", "repair")
        and attempt.calls < MAX_CALLS
        and attempt.answered.test_repairs < MAX_REPAIRS
        and steps_left >= _STEPS
    )


def kept(state: RunState, about: str = "", said: Verification | None = None) -> Step:
    """Keep an accepted change, and ask for the repair; ``about`` what, if not by its findings.

    ``said`` is the verification that the repair is asked for by, if not that of the change.
    """
    attempt = state.attempt
    found = attempt.tested.verification
    linted = found is not None and found.findings
    about = about or ("what linters say" if linted else "tests that prove something")
    why = f"the tests accept the change, and one repair is asked for {about}"
    tried = (*attempt.answered.tried, attempt.answered.changes.digest)
    attempt = replace(
        attempt,
        accepted=AcceptedChange(attempt.answered, attempt.checked, attempt.tested),
        answered=replace(attempt.answered, tried=tried),
        tested=replace(attempt.tested, verification=said or attempt.tested.verification),
    )
    return Step(state.put(attempt).noted(why), "rejected")


def restored(state: RunState, why: str) -> Step:
    """Put the kept change back, with what was found about it; counts of answers go on."""
    attempt = state.attempt
    before = attempt.accepted
    if before is None:
        raise ValueError("no accepted change is kept")
    log.info("The repair of an accepted change is not used: %s", why)
    now = attempt.answered
    answered = replace(
        before.answered,
        answers=now.answers,
        looks=now.looks,
        looked=now.looked,
        unusable_looks=now.unusable_looks,
        test_repairs=now.test_repairs,
    )
    attempt = replace(
        attempt,
        answered=answered,
        checked=before.checked,
        tested=before.tested,
        accepted=None,
        failure=None,
    )
    state = state.put(attempt).noted(f"the repair of an accepted change is not used: {why}")
    return Step(state, "kept")


def settled(state: RunState) -> Step:
    """Decide between a kept change and its repair, which its tests accept as well."""
    before = state.attempt.accepted
    if before is None:
        return Step(state, "ok")
    if why := _why_worse(before.tested, state.attempt.tested):
        return restored(state, why)
    return Step(state.put(replace(state.attempt, accepted=None)), "ok")


def _why_worse(before: VerifiedWork, after: VerifiedWork) -> str:
    """Say why a repair that passes is no gain; '' where it is one."""
    old, new = before.verdict, after.verdict
    if old and new and (old.verified > new.verified or set(old.turned) - set(new.turned)):
        return "its tests show less"
    if old and not old.verified and new and new.verified:
        return ""
    if len(_weak(after.verification)) > len(_weak(before.verification)):
        return "its tests prove less"
    told, still = before.asked_test, after.asked_test
    if told and still and still.failures and still.failures != told.failures:
        return ""  # its author saw that test fail and changed the code: that is the last word
    if old and new and len(new.unchanged) < len(old.unchanged):
        return ""
    was, now = (each.verification.findings if each.verification else () for each in (before, after))
    if len(now) >= len(was):
        return "linters complain as before" if now else "its tests prove no more"
    return ""


def _weak(verification: Verification | None) -> list[str]:
    """What the levels that judge new tests hold against them."""
    levels = verification.levels if verification else ()
    failed = [v for v in levels if v.result == "failed" and v.name in ("proof", "mutants")]
    return [each for level in failed for each in (level.found or (level.name,))]


def or_kept(node: _Node[P]) -> _Node[P]:
    """Let a node that cannot go on with such a repair end with the change kept before.

    Only an answer that passes goes on: it is not repaired again, and no person is asked about it.
    """

    @wraps(node)
    async def guarded(
        state: RunState, deps: Deps, work: TaskWork, /, *args: P.args, **options: P.kwargs
    ) -> Step:
        if state.attempt.accepted is None:
            return await node(state, deps, work, *args, **options)
        try:
            step = await node(state, deps, work, *args, **options)
        except TaskError as error:
            return restored(state, error.message)
        except Outage as outage:
            if outage.kind != "budget":
                raise
            return restored(state, outage.message)
        if step.outcome in ("ok", "kept"):
            return step
        return restored(step.state, "it was refused")

    return guarded
