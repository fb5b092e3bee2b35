"""``/approve``, ``/reject`` and ``/edit``: which proposal is meant, and what is said to it."""

from __future__ import annotations

from collections.abc import Sequence

from handlers import replies_decisions as replies
from handlers.decisions import Weighed, chosen, looks_like_id, weigh
from handlers.events import IssueCommentCreated
from handlers.orders import Approve, Deciding, Edit, Reject
from handlers.proposals import Proposal, Proposals, Saying, Verdict
from handlers.replies import quoted
from handlers.talk import Talk
from runner.recovery.listing import problems_of
from runner.roadmap.listed import listed
from runner.roadmap.new_task import NewTask

_VERDICTS: dict[type[Deciding], Verdict] = {Approve: "approve", Reject: "reject", Edit: "edit"}


async def decide_by_reply(
    event: IssueCommentCreated, order: Deciding, nth: int, talk: Talk, proposals: Proposals
) -> Weighed:
    """Take a comment as a decision; return what became of it. Raises ``Outage``."""
    here = await _here(event, proposals)
    meant, why = _meant(order, here, by_itself=event.is_pull_request)
    if meant is None:
        return Weighed(False, await _not_found(_word(order), event, here, proposals))
    tasks = listed(order.below) if isinstance(order, Edit) else ()
    if isinstance(order, Edit) and (problem := _unusable(order, tasks)):
        return Weighed(False, problem)
    saying = Saying(
        delivery=f"{event.delivery}#{nth}" if nth else event.delivery,
        by=event.author,
        at=event.created_at,
        channel="reply",
        verdict=_VERDICTS[type(order)],
        why=why,
        tasks=tasks,
    )
    named = why != _said(order) if isinstance(order, Reject) else bool(_word(order))
    older = () if named else [each for each in here if each.number == meant.number][1:]
    return await weigh(talk, proposals, meant, saying, older)


async def _here(event: IssueCommentCreated, proposals: Proposals) -> tuple[Proposal, ...]:
    """Those of this pull request, or of the runs of this issue."""
    repository = event.repository.id
    found = await proposals.on_pull(repository, event.issue)
    return found or await proposals.of_issue(repository, event.issue)


def _meant(
    order: Deciding, here: Sequence[Proposal], *, by_itself: bool
) -> tuple[Proposal | None, str]:
    """Return the proposal an order is about and the reason that is given.

    On its own pull request a proposal needs no name. The first word of a rejection names one only
    if there is one of this name: else it is part of the reason.
    """
    word, said = _word(order), _said(order)
    if word and (found := chosen(word, here)):
        return found, said.removeprefix(word).lstrip(" :,") if isinstance(order, Reject) else ""
    if word and not (isinstance(order, Reject) and not looks_like_id(word)):
        return None, ""
    on_pull = by_itself and bool(here) and all(p.number == here[0].number for p in here)
    return (here[0] if on_pull else None), said


def _word(order: Deciding) -> str:
    if isinstance(order, Reject):
        return order.words.partition(" ")[0].rstrip(":,")
    return order.proposal


def _said(order: Deciding) -> str:
    return order.words if isinstance(order, Reject) else ""


async def _not_found(
    word: str, event: IssueCommentCreated, here: Sequence[Proposal], proposals: Proposals
) -> str:
    if looks_like_id(word) and (known := await proposals.named(event.repository.id, word.lower())):
        return replies.elsewhere(known[0])
    open_ones = [each for each in here if each.state == "open"]
    if open_ones and not looks_like_id(word):
        return replies.which(open_ones)
    return replies.no_proposal(word, open_ones)


def _unusable(order: Edit, tasks: Sequence[NewTask]) -> str:
    """Say what is wrong with the list of an edit, '' when it can be used."""
    if not tasks:
        return replies.no_list(order.proposal)
    problems = list(problems_of(tasks, quoted=quoted))
    return replies.bad_list(problems) if problems else ""
