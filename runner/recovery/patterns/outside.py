"""A node that could not go on: its error's kind says why, whatever the code looks like."""

from __future__ import annotations

import re

from runner.recovery.facts import Facts
from runner.recovery.values import Classification, Reason

_REASONS: dict[str, Reason] = {
    "conflict": "missing_dependency",  # on top of the other task it can be done
    "budget": "task_too_complex",
    "environment": "environment_issue",
    "sandbox": "environment_issue",
    "permission": "unknown",
    "github": "unknown",
    "git": "unknown",
    "file": "unknown",
    "internal": "unknown",
}
_TOO_LONG = re.compile(
    r"\btoo long\b|context length|maximum context|too many tokens", re.IGNORECASE
)


def outside(facts: Facts) -> Classification | None:
    """Decide about a failure that came from outside the answers."""
    failure = facts.failure
    if failure is None:
        return None
    said = failure.message
    if failure.type == "model":
        too_long = _TOO_LONG.search(failure.message)
        return Classification("task_too_complex" if too_long else "unknown", (said,))
    reason = _REASONS.get(failure.type)
    return Classification(reason, (said,)) if reason else None
