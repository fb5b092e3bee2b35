"""Reactions to a proposal's comment as decisions: the earliest that counts decides."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from datetime import datetime

from handlers import replies_decisions as replies
from handlers.decisions import weigh
from handlers.payloads import User
from handlers.proposals import Proposal, Proposals, Saying, Verdict
from handlers.talk import Talk

MEANS: Mapping[str, Verdict] = {
    "THUMBS_UP": "approve",
    "ROCKET": "approve",
    "THUMBS_DOWN": "reject",
}
"""GitHub's words for 👍, 🚀 and 👎; others say nothing."""

_MOST_REFUSALS = 3
"""Sentences to people who may not decide, a proposal: anybody can react to anything."""


@dataclass(frozen=True, slots=True)
class Reaction:
    """One reaction of one account."""

    id: int
    content: str
    at: datetime
    user_id: int
    login: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reacted:
    """A comment, when it was made and edited, and the reactions on it."""

    made_at: datetime
    edited_at: datetime | None
    reactions: tuple[Reaction, ...]


Refused = MutableMapping[int, str]
"""Reactions that were weighed and do not count: their ids, and the proposal each was to."""


async def weigh_reactions(
    proposal: Proposal,
    comment: Reacted | None,
    *,
    talk: Talk,
    proposals: Proposals,
    refused: Refused,
) -> None:
    """Decide by the earliest reaction of somebody who may. Raises ``Outage``.

    A comment that is gone (None), or was edited by anybody, is not what was approved: reactions on
    it do not count. A reaction older than the comment cannot be about it.
    """
    if comment is None or comment.edited_at is not None:
        if await proposals.lose_comment(proposal):
            say = replies.lost_comment if comment is None else replies.edited_comment
            await talk.reply(say(proposal), to=f"lost-{proposal.id}")
        return
    for reaction in sorted(comment.reactions, key=lambda each: (each.at, each.id)):
        if reaction.content not in MEANS or reaction.at < comment.made_at:
            continue
        if reaction.id in refused:
            continue
        weighed = await weigh(talk, proposals, proposal, _saying(reaction), ())
        if weighed.counts:
            return
        told = sum(id == proposal.id for id in refused.values())
        refused[reaction.id] = proposal.id
        if told < _MOST_REFUSALS:
            await talk.reply(weighed.say, to=f"reaction-{proposal.id}-{reaction.user_id}")


def _saying(reaction: Reaction) -> Saying:
    return Saying(
        delivery=f"reaction:{reaction.id}",
        by=User(id=reaction.user_id, login=reaction.login),
        at=reaction.at,
        channel="reaction",
        verdict=MEANS[reaction.content],
    )
