"""What comes after a failure: one pure function of the attempt, which also gives its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from runner.state import Attempt

MAX_CALLS = 4
"""Model calls of an attempt after its first answer."""

MAX_REPAIRS = 2
"""Surgical repairs of each kind (code, test) of an attempt."""

Kind = Literal["code", "test"]


@dataclass(frozen=True, slots=True)
class Decision:
    """``outcome`` is ``rejected`` (repair surgically), ``afresh`` or ``exhausted``."""

    outcome: Literal["rejected", "afresh", "exhausted"]
    reason: str


def after_failure(attempt: Attempt, kind: Kind, *, loop: str, same: bool = False) -> Decision:
    """Decide what to try after an answer failed.

    ``same`` says that it was no new answer (equal to one before, or no change at all): asking a
    surgical question about it again would only bring it back. Measured in ``MODELS.md`` §1: repair
    once, then start afresh, is never far from the best for the same number of calls.
    """
    if attempt.calls >= MAX_CALLS:
        return Decision("exhausted", f"{MAX_CALLS} calls after the first answer are used up")
    if same:
        return Decision("afresh", "the answer changed nothing, so it is not judged again")
    repairs = attempt.code_repairs if kind == "code" else attempt.test_repairs
    left = repairs < MAX_REPAIRS
    if loop == "repair":
        if left:
            return Decision("rejected", f"{kind} repair {repairs + 1} of {MAX_REPAIRS}")
        return Decision("exhausted", f"no {kind} repair is left")
    if loop in ("fixed", "ralph"):
        return Decision("afresh", f"the {loop} loop always asks the whole question again")
    if attempt.calls % 2 == 0 and left:
        return Decision("rejected", f"call {attempt.calls + 1} of {MAX_CALLS} repairs surgically")
    return Decision("afresh", f"call {attempt.calls + 1} of {MAX_CALLS} starts afresh")
