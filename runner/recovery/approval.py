"""Who is asked about a proposal: the table of DESIGN §8."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from runner.recovery.values import ApprovalMode, Proposal, Strategy

Disposition = Literal["apply", "ask", "publish"]

_ASKED: Final[Mapping[ApprovalMode, frozenset[Strategy]]] = {
    "auto": frozenset({"escalate"}),
    "approve_decompose": frozenset({"decompose", "escalate"}),
    "interactive": frozenset({"rewrite", "decompose", "escalate"}),
}


def disposition(proposal: Proposal, mode: ApprovalMode) -> Disposition:
    """Say whether a proposal is applied at once, waits for a person, or is only published.

    A change set that needs a person waits for one in every mode, and a task that is only put off
    is tried again in every mode: nothing of what people wrote changes.
    """
    if proposal.kind == "changes":
        return "ask"
    if mode == "review_only":
        return "apply" if proposal.strategy == "defer" else "publish"
    return "ask" if proposal.strategy in _ASKED[mode] else "apply"
