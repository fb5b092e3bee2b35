"""What happens on a recovery pull request besides comments: reviews, clicks, merge, close."""

from __future__ import annotations

from dataclasses import replace

from handlers import replies_decisions as replies
from handlers.decisions import weigh
from handlers.events import (
    ButtonClicked,
    CommentDeleted,
    Event,
    PullClosed,
    PullPushed,
    PullReviewed,
)
from handlers.proposals import Proposal, Proposals, Saying, Verdict
from handlers.talk import Talk
from runner.ports import Clock

_BUTTONS: dict[str, Verdict] = {"approve": "approve", "reject": "reject", "skip": "skip"}
_SETTLED = ("merge", "close")


async def handle_pull(event: Event, *, talk: Talk, proposals: Proposals, clock: Clock) -> None:
    """Take an event as a decision if it is one, and look for reactions. Raises ``Outage``.

    On a pull request that shows no proposal it is none of our business.
    """
    here = await _here(event, proposals)
    if not here:
        return
    talk = replace(talk, issue=here[0].number or event.issue)
    if isinstance(event, CommentDeleted):
        await _lost(event, talk, proposals, here)
    elif isinstance(event, PullPushed):
        if here[0].state == "open":
            await proposals.pushed(here[0], by=event.sender, delivery=event.delivery)
    elif saying := _saying(event, clock):
        await _said(event, talk, proposals, here, saying)
    await proposals.touch(event.repository.id, here[0].number or 0)


async def _here(event: Event, proposals: Proposals) -> tuple[Proposal, ...]:
    """The proposals an event is about, the newest first; a button names its own."""
    repository = event.repository.id
    if isinstance(event, ButtonClicked):
        return await proposals.named(repository, event.external_id) if event.external_id else ()
    return await proposals.on_pull(repository, event.issue)


def _saying(event: Event, clock: Clock) -> Saying | None:
    match event:
        case PullReviewed():
            approved = event.verdict == "approved"
            return Saying(
                delivery=event.delivery,
                by=event.author,
                at=event.submitted_at,
                channel="review",
                verdict="approve" if approved else "reject",
                why=event.body,
                outdated=event.outdated and approved,
            )
        case ButtonClicked() if event.button in _BUTTONS:
            verdict = _BUTTONS[event.button]
            by, now = event.sender, clock.now()
            id = event.delivery
            return Saying(delivery=id, by=by, at=now, channel="check", verdict=verdict)
        case PullClosed():
            return Saying(
                delivery=event.delivery,
                by=event.sender,
                at=event.closed_at,
                channel="merge" if event.merged else "close",
                verdict="approve" if event.merged else "reject",
                why="" if event.merged else "its pull request was closed",
            )
    return None


async def _said(
    event: Event,
    talk: Talk,
    proposals: Proposals,
    here: tuple[Proposal, ...],
    saying: Saying,
) -> None:
    """Weigh it; what counts is shown by what the run does next, the rest gets a sentence."""
    newest = here[0]
    if newest.state != "open" and saying.channel in _SETTLED:
        return  # what becomes of a pull request after the decision decides nothing
    weighed = await weigh(talk, proposals, newest, saying, here[1:])
    if weighed.refused and not await talk.may_refuse(saying.by, to=saying.delivery):
        return
    if not weighed.counts:
        await talk.reply(weighed.say, to=saying.delivery, since=None)


async def _lost(
    event: CommentDeleted, talk: Talk, proposals: Proposals, here: tuple[Proposal, ...]
) -> None:
    gone = next((p for p in here if p.comment_id == event.comment_id and p.state == "open"), None)
    if gone and await proposals.lose_comment(gone):
        await talk.reply(replies.lost_comment(gone), to=f"lost-{gone.id}")
