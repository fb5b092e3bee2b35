"""What people say to a proposal, by whatever channel: who may, and who was first."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from handlers.events import (
    ButtonClicked,
    CommentDeleted,
    Event,
    IssueCommentCreated,
    PullClosed,
    PullPushed,
    PullReviewed,
    User,
)
from handlers.grammar import ApproveCommand, Deciding, EditCommand, RejectCommand
from handlers.issue_thread import IssueThread, Role, role_of, suffices
from handlers.ports import UNDO, Proposals, ProposalView, Rules, State, Verdict, Vote
from handlers.texts import decision_replies as replies
from handlers.texts import quoted
from runner.ports import Clock
from runner.roadmap.plans import form_of
from runner.roadmap.task import NewTask
from runner.roadmap.writing import listed
from runner.state.proposal import problems_of

_OVER = ("ended", "cancelled")


@dataclass(frozen=True, slots=True)
class Ruling:
    """What became of it: whether it ``counts``, and what to ``say`` about that ('' for nothing).

    ``refused`` says that somebody had no right to say it.
    """

    counts: bool
    say: str
    refused: bool = False


async def rule_on(
    thread: IssueThread,
    proposals: Proposals,
    proposal: ProposalView,
    vote: Vote,
    older: Sequence[ProposalView],
) -> Ruling:
    """Store a decision if it may count. ``older`` are the proposals that were there before it.

    The permission is asked from GitHub at this moment, by user id. Raises ``Outage``.
    """
    if vote.by.type == "Bot":
        return Ruling(False, replies.people_only(vote.by), refused=True)
    role = await role_of(thread.github, thread.repository.full_name, vote.by)
    rules = await proposals.rules(thread.repository)
    if not may_decide(proposal, vote, role, rules):
        return Ruling(False, replies.may_not_decide(vote, role, rules), refused=True)
    if proposal.state == "open" and (why := _obstacle(proposal, vote, older)):
        return Ruling(False, why)
    if proposal.state == "open":
        proposal = await proposals.decide(proposal, vote)
    if proposal.decision and proposal.decision.delivery == vote.delivery:
        return Ruling(True, replies.counted(proposal, vote))
    return Ruling(False, "" if _repeats(proposal, vote) else replies.too_late(proposal))


_LEADS_TO: Mapping[Verdict, State] = {
    "approve": "approved",
    "reject": "rejected",
    "skip": "rejected",
}


def _repeats(proposal: ProposalView, vote: Vote) -> bool:
    """Whether somebody pressed again what they had decided: a double click needs no answer."""
    first = proposal.decision
    is_theirs = first is not None and first.by == vote.by.login
    same = _LEADS_TO.get(vote.verdict) == proposal.state
    return is_theirs and same and vote.channel != "reply"


def may_decide(proposal: ProposalView, vote: Vote, role: Role, rules: Rules) -> bool:
    """Say whether somebody's word counts.

    A merge into the default branch is GitHub's own decision, guarded by its protection: who may
    merge may approve. Who started a run may decide in it, as long as they could start it today.
    """
    if vote.guarded:
        return suffices(role, "write")
    own = rules.own_runs and vote.by.id == proposal.starter and suffices(role, "write")
    return own or suffices(role, rules.need)


def chosen(word: str, here: Sequence[ProposalView]) -> ProposalView | None:
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


def _obstacle(proposal: ProposalView, vote: Vote, older: Sequence[ProposalView]) -> str:
    """Why an open proposal cannot be decided by this, '' when it can."""
    if proposal.run_status in _OVER:
        return replies.run_is_over(proposal)
    if vote.outdated:
        return replies.outdated_review(proposal)
    # GitHub counts whole seconds
    before = vote.at < proposal.made_at.replace(microsecond=0)
    return replies.stale(proposal) if before and older else ""


_VERDICTS: dict[type[Deciding], Verdict] = {
    ApproveCommand: "approve",
    RejectCommand: "reject",
    EditCommand: "edit",
}


async def decide_by_reply(
    event: IssueCommentCreated,
    command: Deciding,
    nth: int,
    thread: IssueThread,
    proposals: Proposals,
) -> Ruling:
    """Take a comment as a decision; return what became of it. Raises ``Outage``."""
    here = await _here(event, proposals)
    meant, why = _meant(command, here, by_itself=event.is_pull_request)
    if meant is None:
        return Ruling(False, await _not_found(_word(command), event, here, proposals))
    tasks = listed(command.below) if isinstance(command, EditCommand) else ()
    if isinstance(command, EditCommand) and (problem := _unusable(command, tasks, meant)):
        return Ruling(False, problem)
    vote = Vote(
        delivery=f"{event.delivery}#{nth}" if nth else event.delivery,
        by=event.author,
        at=event.created_at,
        channel="reply",
        verdict=_VERDICTS[type(command)],
        why=why,
        tasks=tasks,
    )
    named = why != _reason(command) if isinstance(command, RejectCommand) else bool(_word(command))
    older = () if named else [each for each in here if each.place.number == meant.place.number][1:]
    return await rule_on(thread, proposals, meant, vote, older)


async def _here(event: IssueCommentCreated, proposals: Proposals) -> tuple[ProposalView, ...]:
    """Those of this pull request, or of the runs of this issue."""
    found = await proposals.on_pull(event.repository.id, event.issue)
    return found or await proposals.of_issue(event.repository.id, event.issue)


def _meant(
    command: Deciding, here: Sequence[ProposalView], *, by_itself: bool
) -> tuple[ProposalView | None, str]:
    """Return the proposal a command is about and the reason that is given.

    On its own pull request a proposal needs no name. The first word of a rejection names one only
    if there is one of this name: else it is part of the reason.
    """
    word, reason = _word(command), _reason(command)
    if word and (found := chosen(word, here)):
        return found, reason.removeprefix(word).lstrip(" :,") if isinstance(
            command, RejectCommand
        ) else ""
    if word and not (isinstance(command, RejectCommand) and not looks_like_id(word)):
        return None, ""
    on_pull = by_itself and bool(here) and all(p.place.number == here[0].place.number for p in here)
    return (here[0] if on_pull else None), reason


def _word(command: Deciding) -> str:
    if isinstance(command, RejectCommand):
        return command.words.partition(" ")[0].rstrip(":,")
    return command.proposal


def _reason(command: Deciding) -> str:
    return command.words if isinstance(command, RejectCommand) else ""


async def _not_found(
    word: str, event: IssueCommentCreated, here: Sequence[ProposalView], proposals: Proposals
) -> str:
    if looks_like_id(word) and (known := await proposals.named(event.repository.id, word.lower())):
        return replies.elsewhere(known[0])
    open_ones = [each for each in here if each.state == "open"]
    if open_ones and not looks_like_id(word):
        return replies.which(open_ones)
    return replies.no_proposal(word, open_ones)


def _unusable(command: EditCommand, tasks: Sequence[NewTask], meant: ProposalView) -> str:
    """Say what is wrong with the list of an edit, '' when it can be used."""
    if form_of(meant.roadmap).read is not None or meant.strategy == UNDO:
        return replies.not_rewritten(meant)
    if not tasks:
        return replies.no_list(command.proposal)
    return replies.bad_list(found) if (found := list(problems_of(tasks, quoted=quoted))) else ""


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
"""Reactions that were looked at and do not count: their ids, and the proposal each was to."""


async def rule_on_reactions(
    proposal: ProposalView,
    comment: Reacted | None,
    *,
    thread: IssueThread,
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
            await thread.reply(say(proposal), to=f"lost-{proposal.id}")
        return
    for reaction in sorted(comment.reactions, key=lambda each: (each.at, each.id)):
        if reaction.content not in MEANS or reaction.at < comment.made_at:
            continue
        if reaction.id in refused:
            continue
        vote = _vote_of(reaction)
        ruling = await rule_on(thread, proposals, proposal, vote, ())
        if ruling.counts:
            return
        earlier = sum(id == proposal.id for id in refused.values())
        refused[reaction.id] = proposal.id
        if ruling.refused and not await thread.may_refuse(vote.by, to=vote.delivery):
            continue
        if ruling.say and earlier < _MOST_REFUSALS:
            await thread.reply(ruling.say, to=f"reaction-{proposal.id}-{reaction.user_id}")


def _vote_of(reaction: Reaction) -> Vote:
    return Vote(
        delivery=f"reaction:{reaction.id}",
        by=User(id=reaction.user_id, login=reaction.login),
        at=reaction.at,
        channel="reaction",
        verdict=MEANS[reaction.content],
    )


_BUTTONS: dict[str, Verdict] = {"approve": "approve", "reject": "reject", "skip": "skip"}
_SETTLED = ("merge", "close")


async def handle_pull(
    event: Event, *, thread: IssueThread, proposals: Proposals, clock: Clock
) -> None:
    """Take an event as a decision if it is one, and look for reactions. Raises ``Outage``.

    On a pull request without a proposal, nothing is done.
    """
    here = await _reviewed_here(event, proposals)
    if not here:
        return
    thread = replace(thread, issue=here[0].place.number or event.issue)
    if isinstance(event, CommentDeleted):
        await _lost(event, thread, proposals, here)
    elif isinstance(event, PullPushed):
        if here[0].state == "open":
            await proposals.pushed(here[0], by=event.sender, delivery=event.delivery)
    elif vote := _vote_of_review(event, clock):
        await _rule_on_review(thread, proposals, here, vote)
    await proposals.touch(event.repository.id, here[0].place.number or 0)


async def _reviewed_here(event: Event, proposals: Proposals) -> tuple[ProposalView, ...]:
    """The proposals an event is about, the newest first; a button names its own."""
    repository = event.repository.id
    if isinstance(event, ButtonClicked):
        return await proposals.named(repository, event.external_id) if event.external_id else ()
    return await proposals.on_pull(repository, event.issue)


def _vote_of_review(event: Event, clock: Clock) -> Vote | None:
    match event:
        case PullReviewed() if event.verdict != "commented":
            approved = event.verdict == "approved"
            return Vote(
                delivery=event.delivery,
                by=event.author,
                at=event.submitted_at,
                channel="review",
                verdict="approve" if approved else "reject",
                why=event.body,
                outdated=event.outdated and approved,
            )
        case ButtonClicked() if event.button in _BUTTONS:
            return Vote(
                delivery=event.delivery,
                by=event.sender,
                at=clock.now(),
                channel="check",
                verdict=_BUTTONS[event.button],
            )
        case PullClosed():
            return Vote(
                delivery=event.delivery,
                by=event.sender,
                at=event.closed_at,
                channel="merge" if event.merged else "close",
                verdict="approve" if event.merged else "reject",
                why="" if event.merged else "its pull request was closed",
                guarded=event.merged and event.base == event.repository.default_branch,
            )
    return None


async def _rule_on_review(
    thread: IssueThread,
    proposals: Proposals,
    here: tuple[ProposalView, ...],
    vote: Vote,
) -> None:
    """Weigh it; what counts is shown by what the run does next, the rest gets a sentence."""
    newest = here[0]
    if newest.state != "open" and vote.channel in _SETTLED:
        return  # what becomes of a pull request after the decision decides nothing
    ruling = await rule_on(thread, proposals, newest, vote, here[1:])
    if ruling.refused and not await thread.may_refuse(vote.by, to=vote.delivery):
        return
    if ruling.say and not ruling.counts:
        await thread.reply(ruling.say, to=vote.delivery, since=None)


async def _lost(
    event: CommentDeleted, thread: IssueThread, proposals: Proposals, here: tuple[ProposalView, ...]
) -> None:
    gone = next(
        (p for p in here if p.place.comment_id == event.comment_id and p.state == "open"), None
    )
    if gone and await proposals.lose_comment(gone):
        await thread.reply(replies.lost_comment(gone), to=f"lost-{gone.id}")
