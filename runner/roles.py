"""Which model is asked for what: one may write, another repair, a stronger one come last. Pure."""

from __future__ import annotations

from typing import Final

from runner.state import RunState

_ROLES: Final = {
    "plan_task": "planning",
    "repair_code": "repairing",
    "repair_test": "repairing",
    "classify_failure": "classifying",
    "propose_recovery": "classifying",
}


def model_for(state: RunState) -> str:
    """Return the model the node in hand asks; '' is the endpoint's configured one.

    From the second repair or fresh answer after a failure on, the stronger one, where one is named.
    """
    options = state.request.options
    role = _ROLES.get(state.node, "writing")
    if role in ("writing", "repairing") and state.attempt.answers >= 2:
        stronger = options.models.get("stronger")
        if stronger:
            return stronger
    return options.models.get(role) or options.model
