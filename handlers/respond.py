"""Answer a comment: check permission, parse, react, ask the runner, reply once.

A redelivered comment is answered again with the same effect: reactions are idempotent, a run is
named by its delivery, and a reply is looked for before it is written.

``/execute retry`` and ``/execute skip``: one task, named by its key or a unique written id.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from handlers import replies
from handlers.commands import (
    ApproveCommand,
    CancelCommand,
    Command,
    EditCommand,
    ExecuteCommand,
    HelpCommand,
    Misunderstood,
    Need,
    Order,
    PauseCommand,
    RejectCommand,
    ResumeCommand,
    RetryCommand,
    SkipCommand,
    StatusCommand,
    row_of,
)
from handlers.comments import may_hold_command
from handlers.decisions import decide_by_reply, weigh
from handlers.events import IssueCommentCreated
from handlers.parsing import parse
from handlers.ports import Ambiguous, NamedTask, Proposals, RunRequested, Runs, Unknown, Vote
from handlers.talk import IssueThread, Role, role_of, suffices


async def retry(order: RetryCommand, request: RunRequested, *, runs: Runs) -> str:
    """Start a run for one task again; return what to reply. Raises ``Outage``."""
    found = await runs.find_task(request, order.task)
    if not isinstance(found, NamedTask):
        return _not_found(order.task, found)
    command = replace(request.command, task=found.key, path=found.roadmap)
    superseded = await runs.retry(replace(request, command=command))
    return replies.retrying(request.run, superseded)


async def skip(
    order: SkipCommand, request: RunRequested, talk: IssueThread, runs: Runs, proposals: Proposals
) -> str:
    """Leave a task out: as a decision where it has a proposal. Raises ``Outage``."""
    found = await runs.find_task(request, order.task)
    if not isinstance(found, NamedTask):
        return _not_found(order.task, found)
    open_ones = await proposals.of_task(request.repository.id, found.roadmap, found.key)
    if open_ones:
        saying = Vote(
            delivery=f"{request.delivery}#{request.nth}" if request.nth else request.delivery,
            by=request.by,
            at=request.created_at,
            channel="reply",
            verdict="skip",
        )
        return (await weigh(talk, proposals, open_ones[0], saying, ())).say
    new = await runs.skip(request, found)
    return replies.skipping(found.name, found.title, new=new)


def _not_found(name: str, found: Unknown | Ambiguous) -> str:
    if isinstance(found, Ambiguous):
        return replies.ambiguous_task(name, found.candidates)
    return replies.no_task(name, found.roadmap, found.names)


@dataclass(frozen=True, slots=True)
class CommandReply:
    """What to say to one order, '' for nothing; a ``refusal`` is said to a person once an issue."""

    text: str
    refusal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One comment and those who are needed to answer it."""

    event: IssueCommentCreated
    talk: IssueThread
    runs: Runs
    proposals: Proposals


async def handle_comment(
    event: IssueCommentCreated, *, talk: IssueThread, runs: Runs, proposals: Proposals
) -> None:
    """Do what a new comment asks for. Raises ``Outage`` of the client; doing it again is safe.

    Anybody can write one: before the permission is known, it costs one search, and it is never
    parsed on the event loop.
    """
    if may_hold_command(event.body):
        role = await role_of(talk.github, repository=event.repository, user=event.author)
        orders = await asyncio.to_thread(parse, event.body)
        told = Conversation(event=event, talk=talk, runs=runs, proposals=proposals)
        await _answer(told, orders, role)
    if event.is_pull_request:
        await proposals.touch(event.repository.id, event.issue)


async def _answer(told: Conversation, orders: tuple[Order, ...], role: Role) -> None:
    if any(_allowed(order, role) for order in orders):
        await told.talk.react(told.event.comment_id)
    said = [await _obey(told, order, nth, role) for nth, order in enumerate(orders)]
    delivery, author = told.event.delivery, told.event.author
    if any(reply.refusal for reply in said) and not await told.talk.may_refuse(author, to=delivery):
        said = [reply for reply in said if not reply.refusal]
    text = "\n\n---\n\n".join(reply.text for reply in said if reply.text)
    if text:
        await told.talk.reply(text, to=delivery, since=told.event.created_at)


def _allowed(order: Order, role: Role) -> bool:
    """Whether it is worth a 👀; who may decide is known only when the proposal is."""
    row = row_of(order)
    if row is None:
        return False
    return suffices(role, "write" if row.configurable else _needs(row, order))


def _needs(row: Command, order: Order) -> Need:
    """The permission an order takes: an option that was used may ask for more."""
    blank = row.makes()
    for option in row.options:
        used = getattr(order, option.field) != getattr(blank, option.field)
        if used and option.needs:
            return option.needs
    return row.needs


async def _obey(told: Conversation, order: Order, nth: int, role: Role) -> CommandReply:
    """Carry out one order, or say that its author may not; what strangers get wrong is refused."""
    row = row_of(order)
    if row is not None and not row.configurable and not suffices(role, _needs(row, order)):
        return CommandReply(_refused(row, order, told, role), refusal=True)
    stranger = not suffices(role, "write")
    if isinstance(order, ApproveCommand | RejectCommand | EditCommand):
        weighed = await decide_by_reply(told.event, order, nth, told.talk, told.proposals)
        return CommandReply(weighed.say, weighed.refused or (stranger and not weighed.counts))
    return CommandReply(
        await _done(told, order, nth), stranger and isinstance(order, Misunderstood)
    )


async def _done(told: Conversation, order: Order, nth: int) -> str:
    """Do what somebody may; return what to reply, '' when the run itself will speak."""
    here = {"repository_id": told.event.repository.id, "issue": told.event.issue}
    by = told.event.author
    match order:
        case Misunderstood():
            return replies.misunderstood(order)
        case HelpCommand():
            return replies.help_text()
        case StatusCommand():
            return replies.status(await told.runs.status(**here))
        case CancelCommand():
            return replies.cancelling(await told.runs.cancel(**here, by=by))
        case PauseCommand():
            return replies.pausing(await told.runs.pause(**here, by=by))
        case ResumeCommand():
            return replies.resuming(await told.runs.resume(**here, by=by))
        case ExecuteCommand():
            await told.runs.start(_request(told, order, nth))
            return ""  # the run speaks for itself, in a comment of its own
        case RetryCommand():
            return await retry(order, _request(told, ExecuteCommand(), nth), runs=told.runs)
        case SkipCommand():
            request = _request(told, ExecuteCommand(), nth)
            return await skip(order, request, told.talk, told.runs, told.proposals)
        case _:
            raise TypeError(f"{order!r} is a decision")


def _refused(row: Command, order: Order, told: Conversation, role: Role) -> str:
    needs = _needs(row, order)
    options = [o.name for o in row.options if o.needs and o.needs == needs != row.needs]
    words = " ".join([row.words, *options])
    return replies.refused(words, needs, told.event.author, role)


def _request(told: Conversation, command: ExecuteCommand, nth: int) -> RunRequested:
    event = told.event
    return RunRequested(
        delivery=event.delivery,
        repository=event.repository,
        installation_id=event.installation_id,
        issue=event.issue,
        comment_id=event.comment_id,
        created_at=event.created_at,
        by=event.author,
        command=command,
        nth=nth,
    )
