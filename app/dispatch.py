"""From a stored delivery to the handler of its event."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeGuard, assert_never

from app.dashboard.keeper import Dashboards
from app.github.comments import marked
from app.github.identity import Gone
from app.github.pulls import PREFIX
from app.runs.feature import Feature
from app.runs.following import pull_changed
from app.runs.service import RunService
from app.store.deliveries import Deliveries, Delivery
from app.store.proposals import StoredProposals
from handlers.answering import handle_comment
from handlers.decisions import handle_pull
from handlers.events import (
    ButtonClicked,
    CheckEnded,
    CommentDeleted,
    Event,
    IssueClosed,
    IssueCommentCreated,
    IssueEdited,
    IssueLabelled,
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
from handlers.parsing import may_hold_command
from handlers.pushes import BranchPushed, InstallationChanged, RepositoryChanged
from handlers.reviews import handle_check, handle_review, handle_verify
from handlers.webhooks import RESTACK, read_webhook
from runner.config.model import CONFIG_PATH

log = logging.getLogger(__name__)


async def has_work(
    commands: Commands, proposals: StoredProposals, name: str, payload: Mapping[str, Any]
) -> bool:
    """Say whether an event could have work here: what people say to each other has none.

    Only where a proposal is open may somebody have reacted to it, too. Raises ``Outage``.
    """
    try:
        event = read_webhook(name=name, delivery="", payload=payload)
    except MalformedPayload:
        return True  # its work tells what is wrong
    if not isinstance(event, IssueCommentCreated) or may_hold_command(event.body, commands):
        return event is not None
    return event.is_pull_request and await proposals.is_open_on(event.repository.id, event.issue)


@dataclass(frozen=True)
class Dispatch:
    """Handles one delivery; doing it twice changes nothing. Raises ``Outage``.

    ``pushed`` handles pushes, ``installed`` events about installations and what becomes of
    repositories; ``dashboards`` do what people tick there.
    """

    service: RunService
    features: Sequence[Feature]
    commands: Commands
    pushed: Callable[[BranchPushed], Awaitable[None]]
    installed: Callable[[InstallationChanged | RepositoryChanged], Awaitable[None]]
    dashboards: Dashboards
    deliveries: Deliveries

    async def __call__(self, delivery: Delivery) -> None:
        """Reduce the payload and give the event to its handler; drop events without a handler."""
        payload, restacks = json.loads(delivery.payload), delivery.event == RESTACK
        name = "pull_request" if restacks else delivery.event
        try:
            event = read_webhook(name=name, delivery=delivery.id, payload=payload)
        except MalformedPayload as error:
            log.warning("Delivery %s is ignored: %s", delivery.id, error)
            return
        if event is None:
            return
        if isinstance(event, InstallationChanged | RepositoryChanged):
            if isinstance(event, RepositoryChanged):
                self.service.parts.configs.forget(event.repository.full_name)
            await self.installed(event)
            await self._tell(event)
            return
        handle = self._restack if restacks else partial(self._handle, delivery)
        try:
            await handle(event)
        except Gone as gone:
            await self._handle_anew(event, gone, handle)

    async def _restack(self, event: Event | BranchPushed) -> None:
        """Keep true what builds on a pull request; it may take long."""
        if isinstance(event, PullChanged):
            for feature in self.features:
                if feature.restacking:
                    await feature.restacking(self.service, event)
            await pull_changed(self.service, event)
            await self.dashboards.mark(event.repository)
            for feature in self.features:
                if feature.restacked:
                    await feature.restacked(self.service, event)

    async def _handle_anew(
        self,
        event: Event | BranchPushed,
        gone: Gone,
        handle: Callable[[Event | BranchPushed], Awaitable[None]],
    ) -> None:
        """Take the installation there is now; without one nobody can be answered."""
        here = event.repository
        try:
            now = await self.service.parts.identity.installation_for(here.full_name)
        except Gone:
            now = here.installation_id
        if now == here.installation_id:
            log.warning("Delivery %s is ignored: %s", event.delivery, gone.message)
            return
        await handle(replace(event, repository=replace(here, installation_id=now)))

    async def _tell(
        self, event: Event | BranchPushed | InstallationChanged | RepositoryChanged
    ) -> None:
        for feature in self.features:
            if heard := feature.events.get(type(event)):
                await heard(self.service, event)

    async def _handle(self, delivery: Delivery, event: Event | BranchPushed) -> None:
        await self._known(delivery, event)
        await self._tell(event)

    async def _known(self, delivery: Delivery, event: Event | BranchPushed) -> None:
        if isinstance(event, BranchPushed):
            self.service.parts.configs.forget(event.repository.full_name)
            if event.configures:
                what, id = f"{CONFIG_PATH} in {event.after}", event.repository.id
                await self.service.parts.audit.add(
                    "configured", id, event.sender.login, what, key=f"{id} {what}"
                )
            await self.pushed(event)
            return
        if isinstance(event, IssueUnlocked):
            await self.service.say_again(repository_id=event.repository.id, issue=event.issue)
            return
        if isinstance(event, MergeQueued):
            return
        own = await self.service.parts.identity.bot_login(event.repository.installation_id)
        if isinstance(event, IssueReopened):
            await self.dashboards.reopened(event, own=own)
            return
        moved, id = isinstance(event, CheckEnded | PullPushed | PullClosed), event.repository.id
        if moved and await self.service.queue.look_again(id, event.issue):
            await self.service.look()
        if isinstance(event, CheckEnded):
            await handle_check(event, own=own, runs=self.service)
            return
        if (
            event.sender.login.lower() != own.lower()
        ):  # what we do ourselves changes no configuration
            self.service.parts.configs.forget(event.repository.full_name)
        if not is_from_bot(event.accounts, own=own, allowed=self.service.parts.allowed_bots):
            await self._handled(event, await self.service.parts.thread(event))
        # GitHub merges in our name what people approved, where auto-merge is enabled
        in_our_name = isinstance(event, PullClosed) and event.merged
        ours = event.sender.login.lower() == own.lower() and not in_our_name
        if not ours and _restacks(event, own):
            # work of its own: no comment waits behind it, and in a repository one follows another
            await self.deliveries.store(
                id=f"{delivery.id} {RESTACK}",
                event=RESTACK,
                repository_id=event.repository.id,
                headers={},
                payload=delivery.payload,
                line=RESTACK,
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
                pass
            case IssueLabelled() | IssueClosed():
                pass  # were handled before anybody was heard, or are a feature's
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
