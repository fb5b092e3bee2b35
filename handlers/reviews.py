"""Reviews and checks of the pull requests that Cairn made, and the runs that answer them."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from handlers.commands import table
from handlers.events import (
    CheckEnded,
    PullClosed,
    PullPushed,
    PullReviewed,
    RerunRequested,
    ReviewCommented,
    User,
)
from handlers.grammar import Argument, Commands, ExecuteCommand, ReviseCommand, row_of
from handlers.issue_thread import IssueThread, role_of, suffices
from handlers.parsing import may_hold_command, parse
from handlers.ports import RunRequested, Runs
from handlers.texts import replies
from runner.state.revising import RevisionRequest

_COMMANDS = table(())
_REVISE = row_of(ReviseCommand(), _COMMANDS)


async def handle_review(
    event: PullReviewed | ReviewCommented, *, thread: IssueThread, runs: Runs
) -> None:
    """Start a run where a review asks for changes. Raises ``Outage``; twice leaves one run.

    GitHub sends an event for a review and one for each of its comments, in any order: all of them
    name the same run, which reads the whole review. A review that only comments starts nothing,
    unless it speaks to us.
    """
    verdict = event.verdict if isinstance(event, PullReviewed) else "commented"
    if verdict != "changes_requested" and not await _speaks_to_us(event.body, thread.own_login):
        return
    request = _request(event)
    offer = None
    if await runs.checkpoint(request) is None:
        offer = await runs.offer(request)
        if offer is None:
            return
    role = await role_of(thread.github, event.repository.full_name, event.author)
    if not suffices(role, _REVISE.needs):
        if await thread.may_refuse(event.author, to=request.delivery):
            reply = replies.may_not_ask(_REVISE.needs, event.author, role)
            await thread.reply(reply, to=request.delivery, since=None)
        return
    if offer:
        await thread.reply(replies.not_revised(offer), to=request.delivery, since=None)
        return
    if isinstance(event, ReviewCommented):
        await thread.react(event.comment_id, on="pulls")
    asked = RevisionRequest(event.issue, event.author.login, review=event.review)
    if reply := replies.revising(await runs.revise(request, asked)):
        await thread.reply(reply, to=request.delivery, since=None)


async def handle_check(event: CheckEnded, *, own: str, runs: Runs) -> None:
    """Start a run where checks of others fail on a checkpoint, once for each commit.

    Each check and each status sends an event when it ends; the last one finds all of them ended.
    """
    if f"{event.app}[bot]".lower() == own.lower():
        return
    request = RunRequested(
        delivery=f"check-{event.repository.id}-{event.head}",
        repository=event.repository,
        issue=event.issue,
        by=User(id=0, login=own, type="Bot"),
        command=ExecuteCommand(),
    )
    await runs.repair(request, event.head, branches=event.branches)


async def handle_verify(
    event: RerunRequested | PullPushed, *, thread: IssueThread, runs: Runs
) -> None:
    """Verify a checkpoint again: somebody pushed to it, or clicked *Re-run* at our check on it.

    GitHub shows that button to those who may write; for others nothing happens. Raises ``Outage``.
    """
    ours = isinstance(event, PullPushed) or f"{event.app}[bot]".lower() == thread.own_login.lower()
    if not (event.issue and ours):
        return
    role = await role_of(thread.github, event.repository.full_name, event.sender)
    if suffices(role, _REVISE.needs):
        await runs.verify(asked_by_sender(event))


def asked_by_sender(event: RerunRequested | PullPushed | PullClosed) -> RunRequested:
    """What somebody caused by a click or a push, about the pull request where it happened."""
    return RunRequested(
        delivery=event.delivery,
        repository=event.repository,
        issue=event.issue,
        by=event.sender,
        command=ExecuteCommand(),
    )


async def _speaks_to_us(body: str, own: str) -> bool:
    """Say whether a text has ``/execute revise``, or our name, at the start of a line."""
    rows = _rows(own)
    if not may_hold_command(body, rows):
        return False
    found = await asyncio.to_thread(parse, body, rows)
    return any(isinstance(each, ReviseCommand) for each in found)


def _rows(own: str) -> Commands:
    """The commands, and our name as one that takes a text."""
    text = Argument(field="text", value="what to change", kind="text", help=_REVISE.description)
    name = f"@{own.removesuffix('[bot]')}"
    return (*_COMMANDS, replace(_REVISE, name="", trigger=name, arguments=(text,)))


def _request(event: PullReviewed | ReviewCommented) -> RunRequested:
    at = event.submitted_at if isinstance(event, PullReviewed) else event.created_at
    return RunRequested(
        delivery=f"review-{event.repository.id}-{event.review}",
        repository=event.repository,
        issue=event.issue,
        created_at=at,
        by=event.author,
        command=ExecuteCommand(),
    )
