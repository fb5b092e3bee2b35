"""What neither another wording nor another order changes: refusals and protected files."""

from __future__ import annotations

from runner.recovery.facts import Facts
from runner.recovery.values import Classification


def forbidden(facts: Facts) -> Classification | None:
    """Leave to people what the model will not do, or what only people may change."""
    if facts.complaints and all(each.error == "Refusal" for each in facts.complaints):
        return Classification("unknown", (facts.complaints[0].message,))
    named = set(facts.task.files)
    for complaint in facts.complaints:
        if complaint.error == "ProtectedPath" and complaint.path in named:
            said = (
                f"the task is about {complaint.path}, which is protected: a person must change it"
            )
            return Classification("unknown", (said,))
    return None
