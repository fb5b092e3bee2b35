"""A change set that needs a person: what is proposed is to write it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from runner.recovery.fingerprint import original_of, sealed
from runner.recovery.values import Proposal
from runner.state import Failure, RunState
from runner.validators.destructive import Destructive


def needs_a_person(
    state: RunState, found: Sequence[Destructive], paths: Sequence[str] = ()
) -> dict[str, object]:
    """Return the fields of an attempt whose change set waits for approval.

    ``found`` are destructive operations in it, ``paths`` those that people want to be asked about.
    """
    message, evidence = about(found, paths)
    proposal = Proposal(
        task=state.current,
        kind="changes",
        strategy="escalate",
        reason="unknown",
        explanation=explained(message),
        original=original_of(state.roadmap, state.task) if state.roadmap else "",
        evidence=evidence,
        changes=state.attempt.changes,
    )
    failure = Failure("approval", message, node="validate_code", evidence=evidence)
    return {"proposal": sealed(proposal.after(state.attempt.proposal)), "failure": failure}


def about(
    found: Sequence[Destructive], paths: Sequence[str] = (), *, people: str = ""
) -> tuple[str, tuple[str, ...]]:
    """Say why a person is asked, and with what evidence; ``people`` are who pushed it, if any."""
    named = dict.fromkeys(f"{one.pattern} ({one.category})" for one in found)
    said = [
        f"is what {people} pushed to this branch" if people else "",
        f"has destructive operations: {', '.join(named)}" if named else "",
        f"writes what people want to be asked about: {', '.join(paths)}" if paths else "",
    ]
    evidence = (
        *(f"{o.path}, line {o.line}: {o.pattern} ({o.category})" for o in found),
        *(f"{path} (pause_protected)" for path in paths),
    )
    return f"the change set {' and '.join(filter(None, said))}", evidence


def explained(message: str) -> str:
    """The proposal's explanation."""
    return f"Before it is written and run: {message}."
