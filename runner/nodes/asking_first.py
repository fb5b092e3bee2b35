"""A change set that needs a person: what is proposed is to write it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from runner.recovery.fingerprint import original_of, sealed
from runner.recovery.values import Proposal
from runner.state import Failure, RunState
from runner.validators.destructive import Destructive


def needs_a_person(state: RunState, found: Sequence[Destructive]) -> dict[str, object]:
    """Return the fields of an attempt whose change set waits for approval."""
    named = dict.fromkeys(f"{one.pattern} ({one.category})" for one in found)
    message = f"the change set has destructive operations: {', '.join(named)}"
    evidence = tuple(f"{o.path}, line {o.line}: {o.pattern} ({o.category})" for o in found)
    proposal = Proposal(
        task=state.current,
        kind="changes",
        strategy="escalate",
        reason="unknown",
        explanation=f"Before it is written and run: {message}.",
        original=original_of(state.roadmap, state.task) if state.roadmap else "",
        evidence=evidence,
        changes=state.attempt.changes,
    )
    failure = Failure("approval", message, node="validate_code", evidence=evidence)
    return {"proposal": sealed(proposal), "failure": failure}
