"""Answer a comment: parse, check permission, react, ask the runner, reply once.

A redelivered comment is answered again with the same effect: reactions are idempotent, a run is
named by its delivery, and a reply is looked for before it is written.
"""

from __future__ import annotations

import logging
from collections.abc import Set
from dataclasses import dataclass

from gidgethub import BadRequest
from gidgethub.abc import GitHubAPI

from handlers import replies
from handlers.commands import parse
from handlers.events import IssueCommentCreated, is_from_bot
from handlers.orders import Cancel, Execute, Help, Misunderstood, Order, Pause, Resume, Status
from handlers.permissions import Role, role_of, suffices
from handlers.runs import RunRequested, Runs
from handlers.table import row_of

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One comment and those who are needed to answer it; ``own_login`` is our App's bot account."""

    event: IssueCommentCreated
    github: GitHubAPI
    runs: Runs
    own_login: str


async def handle(
    event: IssueCommentCreated,
    *,
    github: GitHubAPI,
    runs: Runs,
    own_login: str,
    allowed_bots: Set[str] = frozenset(),
) -> None:
    """Do what a new comment asks for. Raises ``Outage`` of the client; doing it again is safe."""
    if is_from_bot(event, own=own_login, allowed=allowed_bots):
        return
    orders = parse(event.body)
    if orders:
        talk = Conversation(event=event, github=github, runs=runs, own_login=own_login)
        await _answer(talk, orders)


async def _answer(talk: Conversation, orders: tuple[Order, ...]) -> None:
    role = await _role(talk, orders)
    if any(_allowed(order, role) for order in orders):
        await _react(talk)
    texts = [await _obey(talk, order, nth, role) for nth, order in enumerate(orders)]
    if any(texts):
        await _reply(talk, "\n\n---\n\n".join(text for text in texts if text))


async def _role(talk: Conversation, orders: tuple[Order, ...]) -> Role:
    rows = [row_of(order) for order in orders]
    if all(row is None or row.needs == "anyone" for row in rows):
        return "none"
    return await role_of(talk.github, repository=talk.event.repository, user=talk.event.author)


def _allowed(order: Order, role: Role) -> bool:
    row = row_of(order)
    return row is not None and suffices(role, row.needs)


async def _obey(talk: Conversation, order: Order, nth: int, role: Role) -> str:
    """Carry out one order; return what to reply, '' when the run itself will speak."""
    row = row_of(order)
    if row is not None and not suffices(role, row.needs):
        return replies.refused(row, talk.event.author, role)
    here = {"repository_id": talk.event.repository.id, "issue": talk.event.issue}
    match order:
        case Misunderstood():
            return replies.misunderstood(order)
        case Help():
            return replies.help_text()
        case Status():
            return replies.status(await talk.runs.status(**here))
        case Cancel():
            return replies.cancelling(await talk.runs.cancel(**here, by=talk.event.author))
        case Pause():
            return replies.pausing(await talk.runs.pause(**here, by=talk.event.author))
        case Resume():
            return replies.resuming(await talk.runs.resume(**here, by=talk.event.author))
        case Execute():
            await _start(talk, order, nth)
            return ""  # the run speaks for itself, in a comment of its own


async def _start(talk: Conversation, order: Execute, nth: int) -> None:
    event = talk.event
    request = RunRequested(
        delivery=event.delivery,
        repository=event.repository,
        installation_id=event.installation_id,
        issue=event.issue,
        comment_id=event.comment_id,
        by=event.author,
        command=order,
        nth=nth,
    )
    await talk.runs.start(request)


async def _react(talk: Conversation) -> None:
    """Show 👀 on the comment; doing it twice leaves one (GitHub answers 200 instead of 201)."""
    event = talk.event
    path = "/repos/{+full_name}/issues/comments/{comment}/reactions"
    where = {"full_name": event.repository.full_name, "comment": str(event.comment_id)}
    try:
        await talk.github.post(path, where, data={"content": "eyes"})
    except BadRequest as refusal:
        # the comment may be deleted or the conversation locked; the work is wanted all the same
        _LOG.warning("no reaction on comment %s: %s", event.comment_id, refusal)


async def _reply(talk: Conversation, text: str) -> None:
    """Leave one comment for this delivery, however often it is worked."""
    event = talk.event
    mark = replies.marker(event.delivery)
    path = "/repos/{+full_name}/issues/{issue}/comments"
    where = {"full_name": event.repository.full_name, "issue": str(event.issue)}
    try:
        if not await _is_written(talk, mark):
            await talk.github.post(path, where, data={"body": f"{text}\n\n{mark}"})
    except BadRequest as refusal:
        _LOG.warning("no reply to delivery %s: %s", event.delivery, refusal)


async def _is_written(talk: Conversation, mark: str) -> bool:
    """Look for our mark; it counts only on comments our own App wrote."""
    event = talk.event
    path = "/repos/{+full_name}/issues/{issue}/comments{?since,per_page}"
    where = {
        "full_name": event.repository.full_name,
        "issue": str(event.issue),
        "since": event.created_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "per_page": "100",
    }
    async for comment in talk.github.getiter(path, where):
        author = comment.get("user") or {}
        if author.get("login") == talk.own_login and mark in (comment.get("body") or ""):
            return True
    return False
