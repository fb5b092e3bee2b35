"""What to do after a failure, and which model to ask: pure functions of the attempt."""

from __future__ import annotations

import logging
from collections.abc import Collection
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final, Literal

from runner.state.error_types import (
    MAX_RETRIES,
    NO_NEWS,
    ErrorType,
    error_type,
    word_of_complaint,
    word_of_verification,
)
from runner.state.findings import ASKED, reasons_of
from runner.state.run_state import Attempt, RunState, Step
from runner.text.sanitize import cut_middle
from runner.verify.rows import told_in_one_line

MAX_CALLS = 4
"""Model calls of an attempt after its first answer."""

MAX_REPAIRS = 2
"""Surgical repairs of each kind (code, test) of an attempt."""

_ALIKE: Final = 3
"""After so many answers in a row that failed in the same way, no other one is asked for."""

Kind = Literal["code", "test"]


@dataclass(frozen=True, slots=True)
class NextTry:
    """``outcome`` is ``rejected`` (repair surgically), ``afresh`` or ``exhausted``."""

    outcome: Literal["rejected", "afresh", "exhausted"]
    reason: str


def after_failure(
    attempt: Attempt,
    kind: Kind,
    *,
    loop: str,
    same: bool = False,
    never: Collection[str] = (),
) -> NextTry:
    """Decide what to try after an answer failed.

    ``same`` says that it was no new answer (equal to one before, or no change at all): asking a
    surgical question about it again would only return it. Measured (docs/developers/benchmark.md):
    to repair once, then start afresh, is never far from the best for the same number of calls. A
    fresh answer that fails as an earlier one did is the last: the next would, too. If the repair
    between them failed so as well, the newest is not repaired either. Errors of the types in
    ``never`` are the last ones, too.
    """
    if (errors := attempt.answered.errors) and errors[-1] in never:
        return NextTry("exhausted", f"errors of type {errors[-1]} are never retried (retry.never)")
    found = _next_try(attempt, kind, loop=loop, same=same)
    failed, newest = attempt.answered.fresh_failures, attempt.answered.failures[-_ALIKE:]
    if len(newest) == _ALIKE and len({*newest}) == 1:
        return NextTry("exhausted", f"{_ALIKE} answers in a row failed in the same way")
    if found.outcome == "afresh" and len(set(failed)) < len(failed):
        return NextTry("exhausted", "a second fresh answer failed in the same way")
    return found


def _next_try(attempt: Attempt, kind: Kind, *, loop: str, same: bool) -> NextTry:
    if attempt.calls >= MAX_CALLS:
        return NextTry("exhausted", f"{MAX_CALLS} calls after the first answer are used up")
    errors = attempt.answered.errors
    if errors and errors.count(errors[-1]) > MAX_RETRIES:
        why = f"errors of type {errors[-1]} remain after {MAX_RETRIES} retries"
        return NextTry("exhausted", why)
    if same:
        return NextTry("afresh", "the answer changed nothing, so it is not judged again")
    repairs = attempt.answered.code_repairs if kind == "code" else attempt.answered.test_repairs
    left = repairs < MAX_REPAIRS
    if loop == "repair":
        if left:
            return NextTry("rejected", f"{kind} repair {repairs + 1} of {MAX_REPAIRS}")
        return NextTry("exhausted", f"no {kind} repair is left")
    if loop in ("fixed", "ralph"):
        return NextTry("afresh", f"the {loop} loop always asks the whole question again")
    again = f"asked again ({attempt.calls + 1} of {MAX_CALLS}), for a"
    if attempt.calls % 2 == 0 and left:
        return NextTry("rejected", f"{again} repair")
    return NextTry("afresh", f"{again} fresh answer")


def error_of(attempt: Attempt, kind: Kind) -> ErrorType:
    """Return the type of what is wrong with the newest answer.

    An answer that says nothing new fails for what failed before it.
    """
    if kind == "test":
        return error_type(word_of_verification(attempt.tested.verification))
    complaints = attempt.checked.complaints
    first = next((c for c in complaints if c.error not in NO_NEWS), None)
    if first is None and attempt.answered.errors:
        return attempt.answered.errors[-1]
    return error_type(word_of_complaint(first or next(iter(complaints), None)))


_ROLES: Final = {
    "plan_task": "planning",
    "repair_code": "repairing",
    "repair_test": "repairing",
    "classify_failure": "classifying",
    "propose_recovery": "classifying",
}


def model_for(state: RunState) -> str:
    """Return the model that the current node asks; '' is the endpoint's configured one.

    Once two answers have failed it is the stronger one, where one is named.
    """
    options = state.request.options
    role = _ROLES.get(state.node, "writing")
    if role in ("writing", "repairing") and state.attempt.answered.answers >= 2:
        stronger = options.models.roles.get("stronger")
        if stronger:
            return stronger
    return options.models.roles.get(role) or options.models.model


def writers(state: RunState) -> tuple[str, ...]:
    """Return the models that may be asked the whole question of a task."""
    models = state.request.options.models
    return tuple(dict.fromkeys((models.model, models.roles.get("stronger", models.model))))


log = logging.getLogger(__name__)


def judged(state: RunState, kind: Literal["code", "test"], *, same: bool = False) -> Step:
    """Decide about an attempt whose newest answer is not good enough."""
    errors = (*state.attempt.answered.errors, error_of(state.attempt, kind))
    how = _how_it_failed(state.attempt, kind)
    failures = (*state.attempt.answered.failures, how)
    answered = replace(state.attempt.answered, errors=errors, failures=failures)
    asked = [node for node in state.attempt.spent.path if node in _ANSWERING]
    if asked[-1:] == ["execute_task"]:
        answered = replace(answered, fresh_failures=(*answered.fresh_failures, how))
        same = same or answered.changes.digest in answered.tried
    state = state.updated(answered)
    attempt = state.attempt
    options = state.request.options
    decision = (
        NextTry("exhausted", "only this change is verified")
        if options.scope.again
        else after_failure(attempt, kind, loop=options.loop, same=same, never=options.retry.never)
    )
    if decision.outcome == "exhausted":
        repaired = attempt.answered.code_repairs or attempt.answered.test_repairs
        how = "Max repairs exceeded" if repaired else f"No repair was made ({decision.reason})"
        log.info("%s, classifying failure", how)
    changes, complaints = attempt.answered.changes, attempt.checked.complaints
    # whether the fault is in the change set itself, and not in a part that is left out of it; what
    # was only asked about is right when it comes again
    own = any(c.path in changes.files and c.error not in ASKED for c in complaints)
    tried = (changes.digest,) if kind == "test" or own else ()
    if kind == "code":
        # people are shown the first line of each
        said = ((f"{c.path or 'answer'}: {c.error}: {c.message}", c.advice) for c in complaints[:5])
        mistakes = [
            "\n  ".join(filter(None, (cut_middle(" ".join(line.split()), 300), advice)))
            for line, advice in said
        ]
    else:
        mistakes = reasons_of(attempt.tested.verification)[:5]
    answered = replace(
        attempt.answered,
        tried=tuple(dict.fromkeys((*attempt.answered.tried, *tried))),
        # what a fresh answer is warned with
        avoid=tuple(dict.fromkeys((*attempt.answered.avoid, *mistakes))),
    )
    return Step(state.updated(answered).noted(decision.reason), decision.outcome)


_ANSWERING: Final = frozenset({"execute_task", "repair_code", "repair_test"})


def _how_it_failed(attempt: Attempt, kind: Kind) -> str:
    """What two answers have in common that fail in the same way; a repeated one fails as before."""
    if kind == "test":
        verification = attempt.tested.verification
        failures = verification.failures if verification else ()
        said = [f"{each.test} {told_in_one_line(each)}" for each in failures]
        said = said or reasons_of(verification)
    else:
        complaints, before = attempt.checked.complaints, attempt.answered.fresh_failures
        if before and any(each.error == "SameAnswer" for each in complaints):
            return before[-1]
        said = [f"{each.error} {each.path} {each.message}" for each in complaints]
    # paths may hold bytes that are no UTF-8
    return sha256("\n".join(sorted(said)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def given_up(state: RunState, reason: str) -> Step:
    """End an attempt at once, for a reason that no further answer changes."""
    log.info("No further answer would help: %s", reason)
    return Step(state.noted(reason), "exhausted")
