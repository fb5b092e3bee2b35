"""From a stored delivery to the handler of its event."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Set
from dataclasses import replace
from functools import partial
from typing import TypeGuard, assert_never

from app.dashboard.keeper import Dashboards
from app.github.api import BestEffort, RepositoryApi
from app.github.checks import CheckRuns, answer_queue
from app.github.comments import marked
from app.github.config import Configurations
from app.github.identity import Gone
from app.github.pulls import PREFIX
from app.github.required import RequiredChecks, missing
from app.github.token_identity import (
    CHECK,
    CONVERSE,
    CONVERSE_ON_LINES,
    READ,
    Identity,
    Permissions,
)
from app.progress.comment import ReadOnlyCheck, writable_everywhere
from app.store.deliveries import Delivery
from handlers.answering import handle_comment
from handlers.commands import COMMANDS
from handlers.decisions import handle_pull
from handlers.events import (
    ButtonClicked,
    CheckEnded,
    CommentDeleted,
    Event,
    IssueCommentCreated,
    IssueEdited,
    IssueReopened,
    IssueUnlocked,
    MalformedPayload,
    MergeQueued,
    PullChanged,
    PullClosed,
    PullHead,
    PullPushed,
    PullReopened,
    PullReviewed,
    PullTouched,
    RerunRequested,
    ReviewCommented,
    is_from_bot,
)
from handlers.grammar import Commands
from handlers.issue_thread import IssueThread, Refusals
from handlers.ports import Proposals, Runs
from handlers.pushes import BranchPushed, InstallationChanged, RepositoryChanged
from handlers.reviews import handle_check, handle_end, handle_review, handle_verify
from handlers.webhooks import read_webhook
from runner.ports import Clock

log = logging.getLogger(__name__)


class Dispatch:
    """Handles one delivery; doing it twice changes nothing. Raises ``Outage``.

    ``pushed`` handles pushes, ``changed`` a pull request from one of our branches that was merged,
    closed or opened again, or that a native stack changed, even by bots; ``installed`` handles
    events about installations and what becomes of repositories;
    ``dashboards`` do what people tick there; ``refusals`` remembers who was refused something,
    ``read_only`` says where we write nothing; ``configs`` are read again for each one.
    """

    def __init__(
        self,
        identity: Identity,
        runs: Runs,
        proposals: Proposals,
        *,
        clock: Clock,
        commands: Commands = COMMANDS,
        allowed_bots: Set[str],
        pushed: Callable[[BranchPushed], Awaitable[None]],
        refusals: Refusals,
        changed: Callable[[PullChanged], Awaitable[None]],
        installed: Callable[[InstallationChanged | RepositoryChanged], Awaitable[None]],
        dashboards: Dashboards,
        configs: Configurations,
        read_only: ReadOnlyCheck = writable_everywhere,
    ) -> None:
        self._identity = identity
        self._runs = runs
        self._proposals = proposals
        self._clock = clock
        self._commands = commands
        self._allowed_bots = allowed_bots
        self._pushed = pushed
        self._refusals = refusals
        self._changed = changed
        self._installed = installed
        self._dashboards = dashboards
        self._configs = configs
        self._read_only = read_only

    async def __call__(self, delivery: Delivery) -> None:
        """Reduce the payload and give the event to its handler; drop events without a handler."""
        payload = json.loads(delivery.payload)
        try:
            event = read_webhook(name=delivery.event, delivery=delivery.id, payload=payload)
        except MalformedPayload as error:
            log.warning("Delivery %s is ignored: %s", delivery.id, error)
            return
        if event is None:
            return
        if isinstance(event, InstallationChanged | RepositoryChanged):
            if isinstance(event, RepositoryChanged):
                self._configs.forget(event.repository.full_name)
            await self._installed(event)
            return
        try:
            await self._handle(event)
        except Gone as gone:
            await self._handle_anew(event, gone)

    async def _handle_anew(self, event: Event | BranchPushed, gone: Gone) -> None:
        """Take the installation there is now; without one nobody can be answered."""
        try:
            now = await self._identity.installation_for(event.repository.full_name)
        except Gone:
            now = event.installation_id
        if now == event.installation_id:
            log.warning("Delivery %s is ignored: %s", event.delivery, gone.message)
            return
        await self._handle(replace(event, installation_id=now))

    async def _handle(self, event: Event | BranchPushed) -> None:
        if isinstance(event, BranchPushed):
            self._configs.forget(event.repository.full_name)
            await self._pushed(event)
            return
        if isinstance(event, IssueUnlocked):
            await self._runs.say_again(repository_id=event.repository.id, issue=event.issue)
            return
        own = await self._identity.bot_login(event.installation_id)
        if isinstance(event, IssueReopened):
            await self._dashboards.reopened(event, own=own)
            return
        if isinstance(event, MergeQueued):
            await self._answer_queue(event, own)
            return
        if isinstance(event, CheckEnded):
            await handle_check(event, own=own, runs=self._runs)
            return
        if (
            event.sender.login.lower() != own.lower()
        ):  # what we do ourselves changes no configuration
            self._configs.forget(event.repository.full_name)
        if not is_from_bot(event, own=own, allowed=self._allowed_bots):
            await self._handled(event, self._thread(event, own))
        if shown := _newly_shown(event):
            await self._answer_rules(event, shown, own)
        if event.sender.login.lower() != own.lower() and _restacks(event, own):
            await self._changed(event)
        if isinstance(event, PullClosed):
            await handle_end(event, thread=self._thread(event, own), runs=self._runs)

    async def _answer_queue(self, event: MergeQueued, own: str) -> None:
        scope = (event.installation_id, event.repository.id, event.repository.full_name)
        if await self._read_only(*scope):
            return
        await answer_queue(CheckRuns(self._api(event, CHECK), bot_login=own), event.head)

    async def _answer_rules(self, event: Event, shown: PullHead, own: str) -> None:
        """Make the checks that rules require where nobody else makes them; bots are blocked too."""
        names = missing(shown, own)
        scope = (event.installation_id, event.repository.id, event.repository.full_name)
        if not (names and self._identity.is_app) or await self._read_only(*scope):
            return
        runs = CheckRuns(self._api(event, CHECK), bot_login=own)
        with BestEffort()():
            await RequiredChecks(self._api(event, READ), runs).answer(shown, names)

    def _api(self, event: Event, permissions: Permissions) -> RepositoryApi:
        github = self._identity.client(
            installation_id=event.installation_id,
            repository_id=event.repository.id,
            permissions=permissions,
        )
        return RepositoryApi(github, event.repository.full_name)

    def _thread(self, event: Event, own: str) -> IssueThread:
        github = self._identity.client(
            installation_id=event.installation_id,
            repository_id=event.repository.id,
            permissions=CONVERSE_ON_LINES if isinstance(event, ReviewCommented) else CONVERSE,
        )
        return IssueThread(
            github=github,
            repository=event.repository,
            installation_id=event.installation_id,
            issue=event.issue,
            own_login=own,
            refusals=self._refusals,
            read_only=partial(
                self._read_only,
                event.installation_id,
                event.repository.id,
                event.repository.full_name,
            ),
        )

    async def _handled(self, event: Event, thread: IssueThread) -> None:
        runs, proposals = self._runs, self._proposals
        match event:
            case IssueCommentCreated():
                rows = self._commands
                await handle_comment(
                    event, thread=thread, runs=runs, proposals=proposals, rows=rows
                )
            case IssueEdited():
                dashboards = self._dashboards
                await dashboards.ticked(event, thread=thread, runs=runs, proposals=proposals)
            case RerunRequested():
                await handle_verify(event, thread=thread, runs=runs)
            case ReviewCommented():
                await handle_review(event, thread=thread, runs=runs)
            case PullReviewed():
                await handle_pull(event, thread=thread, proposals=proposals, clock=self._clock)
                await handle_review(event, thread=thread, runs=runs)
            case PullPushed():
                await handle_pull(event, thread=thread, proposals=proposals, clock=self._clock)
                if not _restacks(event, thread.own_login):  # which verifies new heads itself
                    await handle_verify(event, thread=thread, runs=runs)
            case CommentDeleted() | ButtonClicked() | PullClosed() | PullReopened() | PullTouched():
                await handle_pull(event, thread=thread, proposals=proposals, clock=self._clock)
            case MergeQueued() | CheckEnded() | IssueReopened() | IssueUnlocked():
                pass  # were handled before anybody was heard
            case other:
                assert_never(other)


def _newly_shown(event: Event) -> PullHead | None:
    """The pull request of an event that may want checks which nobody else makes."""
    if isinstance(event, PullTouched) and not event.moved:
        return None
    return event.shows if isinstance(event, PullPushed | PullReopened | PullTouched) else None


def _restacks(event: Event, own: str) -> TypeGuard[PullChanged]:
    """Say whether an event about a branch of ours can change how pull requests build on each other.

    In a native stack GitHub moves members itself. That one joined or left is seen by the number
    that our description names: GitHub tells only of joining, and events come twice and in any
    order.
    """
    if isinstance(event, PullClosed | PullReopened):
        return event.branch.startswith(PREFIX)
    shows = event.shows if isinstance(event, PullPushed | PullTouched) else None
    if shows is None or not shows.branch.startswith(PREFIX) or shows.author != own:
        return False
    if isinstance(event, PullPushed) and shows.stack:
        return True
    return (marked(shows.body, "native") or "0") != str(shows.stack)
