"""Weigh what somebody said to a proposal: who may decide, is it still open, was it first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from handlers import replies_decisions as replies
from handlers.permissions import Role, role_of, suffices
from handlers.proposals import Proposal, Proposals, Rules, Saying
from handlers.talk import Talk

_OVER = ("ended", "cancelled")


@dataclass(frozen=True, slots=True)
class Weighed:
    """What became of it: whether it ``counts``, and what to ``say`` about that.

    ``refused`` says that somebody had no right to say it.
    """

    counts: bool
    say: str
    refused: bool = False


async def weigh(
    talk: Talk, proposals: Proposals, proposal: Proposal, saying: Saying, older: Sequence[Proposal]
) -> Weighed:
    """Store a decision if it may count. ``older`` are the proposals that were there before it.

    The permission is asked from GitHub at this moment, by user id. Raises ``Outage``.
    """
    if saying.by.type == "Bot":
        return Weighed(False, replies.people_only(saying.by), refused=True)
    role = await role_of(talk.github, repository=talk.repository, user=saying.by)
    rules = await proposals.rules(talk.repository, talk.installation_id)
    if not may_decide(proposal, saying, role, rules):
        return Weighed(False, replies.may_not_decide(saying, role, rules), refused=True)
    if proposal.state == "open" and (why := _obstacle(proposal, saying, older)):
        return Weighed(False, why)
    if proposal.state == "open":
        proposal = await proposals.decide(proposal, saying)
    if proposal.delivery == saying.delivery:
        return Weighed(True, replies.counted(proposal, saying))
    return Weighed(False, replies.too_late(proposal))


def may_decide(proposal: Proposal, saying: Saying, role: Role, rules: Rules) -> bool:
    """Say whether somebody's word counts.

    A merge is GitHub's own decision, guarded by the branch's protection: who may merge may approve.
    Who started a run may decide in it, as long as they could start it today.
    """
    if saying.channel == "merge":
        return suffices(role, "write")
    own = rules.own_runs and saying.by.id == proposal.starter and suffices(role, "write")
    return own or suffices(role, rules.need)


def chosen(word: str, here: Sequence[Proposal]) -> Proposal | None:
    """Return the one a word names: the beginning of its id, or its task while it is open."""
    named = word.lower().lstrip("#")
    if len(named) >= _SHORTEST and set(named) <= _HEX:
        found = [each for each in here if each.fingerprint.startswith(named)]
        if found:
            return found[0]
    return next((p for p in here if p.state == "open" and word in (p.task, p.name)), None)


def looks_like_id(word: str) -> bool:
    """Say whether a word can only be meant as the id of a proposal."""
    return (
        8 <= len(word) <= 64 and set(word.lower()) <= _HEX and bool(set(word) & set("0123456789"))
    )


_HEX = frozenset("0123456789abcdef")
_SHORTEST = 4


def _obstacle(proposal: Proposal, saying: Saying, older: Sequence[Proposal]) -> str:
    """Why an open proposal cannot be decided by this, '' when it can."""
    if proposal.run_status in _OVER:
        return replies.run_is_over(proposal)
    if saying.outdated:
        return replies.outdated_review(proposal)
    # GitHub counts whole seconds
    before = saying.at < proposal.made_at.replace(microsecond=0)
    return replies.stale(proposal) if before and older else ""
