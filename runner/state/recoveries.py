"""What became of a proposal, and whether what it led to is done. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from runner.state.proposal import Proposal, Strategy
from runner.state.run_state import Attempt, RunState, Status

ProposalOutcome = Literal["applied", "waiting", "closed", "published"]

APPLIED: Final[Mapping[Strategy, Status]] = {
    "rewrite": Status.REPLACED,
    "decompose": Status.REPLACED,
    "defer": Status.DEFERRED,
    "skip": Status.SKIPPED,
}
"""The status of a task whose proposal was applied; one that was handed over is told by more."""


def outcome_of(attempt: Attempt, proposal: Proposal) -> ProposalOutcome:
    """Say in one word what became of a proposal: applied, waiting, closed, or only published."""
    said = attempt.agreed.decision
    escalated = attempt.proposal is not None and attempt.proposal.strategy == "escalate"
    approved = said is not None and said.verdict == "approve"
    handed_over = escalated and approved and attempt.status is Status.FAILED
    if handed_over or attempt.status is APPLIED.get(proposal.strategy):
        return "applied"
    if attempt.status is Status.AWAITING_APPROVAL:
        return "waiting"
    return "closed" if said else "published"


def replaced_well(state: RunState, attempt: Attempt) -> bool:
    """Say whether all tasks that replace the one of an attempt are completed."""
    if attempt.status is not Status.REPLACED:
        return False
    new = [task for task in state.tasks if state.replaced.origins.get(task.key) == attempt.task]
    return bool(new) and all(state.status(task) is Status.COMPLETED for task in new)
