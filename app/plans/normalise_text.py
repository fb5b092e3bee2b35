"""What people read about a proposal of checkboxes."""

from __future__ import annotations

from app.github.normalise_pull import Offered
from runner.defuse import defuse
from runner.roadmap.normalise.proposal import Proposal
from runner.state import Usage


def told(offered: Offered, used: Usage) -> str:
    """Where the proposal is and what it waits for."""
    what = {
        "open": f"Checkboxes are proposed in {offered.url}: look at them, change what is wrong, "
        "merge it, and comment `/execute` again. Nothing is run before.",
        "declined": f"The checkboxes that Cairn proposed for it in {offered.url} were declined: "
        "that pull request was closed. Reopen and merge it, or write `- [ ] ` before each task.",
        "pushed": f"Checkboxes were proposed in {offered.url}, and somebody pushed to it since, so "
        "that Cairn leaves it alone though the roadmap has changed. Merge or close it.",
    }[offered.state]
    return f"{what} {paid(used)}".strip()


def unclear(proposal: Proposal, used: Usage) -> str:
    """Nothing could be proposed."""
    why = defuse(" ".join(proposal.why.split()), plain=True)
    return f"Cairn has no checkboxes to propose: {why}. {paid(used)}".strip()


def failed(why: str) -> str:
    """The proposal could not be made or published."""
    return f"Checkboxes could not be proposed: {defuse(why, plain=True)}"


def paid(used: Usage) -> str:
    """What asking a model took; '' when none was asked."""
    if not used.calls:
        return ""
    times = "once" if used.calls == 1 else f"{used.calls} times"
    cost = f"${used.cost:.4f}" if used.cost else "at an unknown price or for free"
    return f"The model was asked {times}: {used.tokens:,} tokens, {cost}."
