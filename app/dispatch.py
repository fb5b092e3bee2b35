"""From a stored delivery to the handler of its event."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeGuard, assert_never

from gidgethub.abc import GitHubAPI

from app.dashboard.keeper import Dashboards
from app.github.api import BestEffort, RepositoryApi
from app.github.checks import CheckRuns, answer_queue
from app.github.comments import marked
from app.github.identity import Gone
from app.github.pulls import PREFIX
from app.github.required import answer_rules, missing
from app.github.token_identity import (
    CHECK,
    CONVERSE,
    CONVERSE_ON_LINES,
    READ,
    Permissions,
)
from app.runs.feature import Feature
from app.runs.service import RunService
from app.store.deliveries import Delivery
from handlers.answering import handle_comment
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
    PullPushed,
    PullReopened,
    PullReviewed,
    PullTouched,
    RerunRequested,
    ReviewCommented,
    is_from_bot,
)
from handlers.grammar import Commands
from handlers.issue_thread import IssueThread
from handlers.pushes import BranchPushed, InstallationChanged, RepositoryChanged
from handlers.reviews import handle_check, handle_end, handle_review, handle_verify
from handlers.webhooks import read_webhook

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Dispatch:
    """Handles one delivery; doing it twice changes nothing. Raises ``Outage``.

    ``pushed`` handles pushes, ``changed`` a pull request from one of our branches that was merged,
    closed or opened again, or that a native stack changed, even by bots; ``installed`` handles
    events about installations and what becomes of repositories; ``dashboards`` do what people tick
    there.
    """

    service: RunService
    features: Sequence[Feature]
    commands: Commands
    pushed: Callable[[BranchPushed], Awaitable[None]]
    changed: Callable[[PullChanged], Awaitable[None]]
    installed: Callable[[InstallationChanged | RepositoryChanged], Awaitable[None]]
    dashboards: Dashboards

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
                self.service.parts.configs.forget(event.repository.full_name)
            await self.installed(event)
        else:
            try:
                await self._handle(event)
            except Gone as gone:
                await self._handle_anew(event, gone)
        for feature in self.features:
            if heard := feature.events.get(type(event)):
                await heard(self.service, event)

    async def _handle_anew(self, event: Event | BranchPushed, gone: Gone) -> None:
        """Take the installation there is now; without one nobody can be answered."""
        try:
            now = await self.service.parts.identity.installation_for(event.repository.full_name)
        except Gone:
            now = event.installation_id
        if now == event.installation_id:
            log.warning("Delivery %s is ignored: %s", event.delivery, gone.message)
            return
        await self._handle(replace(event, installation_id=now))

    async def _handle(self, event: Event | BranchPushed) -> None:
        if isinstance(event, BranchPushed):
            self.service.parts.configs.forget(event.repository.full_name)
            await self.pushed(event)
            return
        if isinstance(event, IssueUnlocked):
            await self.service.say_again(repository_id=event.repository.id, issue=event.issue)
            return
        own = await self.service.parts.identity.bot_login(event.installation_id)
        if isinstance(event, IssueReopened):
            await self.dashboards.reopened(event, own=own)
            return
        if isinstance(event, MergeQueued):
            if not await self._is_read_only(event):
                runs = CheckRuns(self._api(event, CHECK), bot_login=own)
                await answer_queue(runs, event.head)
            return
        if isinstance(event, CheckEnded):
            await handle_check(event, own=own, runs=self.service)
            return
        if (
            event.sender.login.lower() != own.lower()
        ):  # what we do ourselves changes no configuration
            self.service.parts.configs.forget(event.repository.full_name)
        if not is_from_bot(event, own=own, allowed=self.service.parts.allowed_bots):
            await self._handled(event, self._thread(event, own))
        shown = event.shows if isinstance(event, PullPushed | PullReopened | PullTouched) else None
        if shown and not (isinstance(event, PullTouched) and not event.moved):
            names = missing(shown, own)
            # nobody else makes the checks that rules require; bots are blocked, too
            if names and self.service.parts.identity.is_app and not await self._is_read_only(event):
                runs = CheckRuns(self._api(event, CHECK), bot_login=own)
                with BestEffort()():
                    await answer_rules(self._api(event, READ), runs, shown, names)
        if event.sender.login.lower() != own.lower() and _restacks(event, own):
            await self.changed(event)
        if isinstance(event, PullClosed):
            await handle_end(event, thread=self._thread(event, own), runs=self.service)

    async def _is_read_only(self, event: Event) -> bool:
        here = event.repository
        return await self.service.parts.read_only(event.installation_id, here.id, here.full_name)

    def _api(self, event: Event, permissions: Permissions) -> RepositoryApi:
        return RepositoryApi(self._client(event, permissions), event.repository.full_name)

    def _client(self, event: Event, permissions: Permissions) -> GitHubAPI:
        return self.service.parts.identity.client(
            installation_id=event.installation_id,
            repository_id=event.repository.id,
            permissions=permissions,
        )

    def _thread(self, event: Event, own: str) -> IssueThread:
        on_lines = isinstance(event, ReviewCommented)
        return IssueThread(
            github=self._client(event, CONVERSE_ON_LINES if on_lines else CONVERSE),
            repository=event.repository,
            installation_id=event.installation_id,
            issue=event.issue,
            own_login=own,
            refusals=self.service.parts.refusals,
            read_only=partial(self._is_read_only, event),
        )

    async def _handled(self, event: Event, thread: IssueThread) -> None:
        runs, proposals, rows = self.service, self.service.proposals, self.commands
        clock = self.service.parts.around.clock
        match event:
            case IssueCommentCreated():
                await handle_comment(
                    event,
                    thread=thread,
                    runs=runs,
                    proposals=proposals,
                    rows=rows,
                )
            case IssueEdited():
                await self.dashboards.ticked(event, thread=thread, runs=runs, proposals=proposals)
            case RerunRequested():
                await handle_verify(event, thread=thread, runs=runs)
            case ReviewCommented():
                await handle_review(event, thread=thread, runs=runs)
            case PullReviewed():
                await handle_pull(event, thread=thread, proposals=proposals, clock=clock)
                await handle_review(event, thread=thread, runs=runs)
            case PullPushed():
                await handle_pull(event, thread=thread, proposals=proposals, clock=clock)
                if not _restacks(event, thread.own_login):  # which verifies new heads itself
                    await handle_verify(event, thread=thread, runs=runs)
            case CommentDeleted() | ButtonClicked() | PullClosed() | PullReopened() | PullTouched():
                await handle_pull(event, thread=thread, proposals=proposals, clock=clock)
            case MergeQueued() | CheckEnded() | IssueReopened() | IssueUnlocked():
                pass  # were handled before anybody was heard
            case other:
                assert_never(other)


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
