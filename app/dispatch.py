"""From a stored delivery to the handler of its event."""

from __future__ import annotations

import json
import logging
from collections.abc import Set
from dataclasses import replace

from app.github.identity import AppIdentity, Gone
from app.github.scopes import CONVERSE
from app.store.deliveries import Delivery
from handlers.events import IssueCommentCreated, MalformedPayload, read_event
from handlers.respond import handle
from handlers.runs import Runs

log = logging.getLogger(__name__)


class Dispatch:
    """Works one delivery; doing it twice changes nothing. Raises ``Outage``."""

    def __init__(self, identity: AppIdentity, runs: Runs, *, allowed_bots: Set[str]) -> None:
        self._identity = identity
        self._runs = runs
        self._allowed_bots = allowed_bots

    async def __call__(self, delivery: Delivery) -> None:
        """Reduce the payload and hand the event to its handler; what is of no use is dropped."""
        payload = json.loads(delivery.payload)
        try:
            event = read_event(name=delivery.event, delivery=delivery.id, payload=payload)
        except MalformedPayload as error:
            log.warning("Delivery %s is not worked: %s", delivery.id, error)
            return
        if event is None:
            return
        try:
            await self._handle(event)
        except Gone as gone:
            await self._handle_anew(event, gone)

    async def _handle_anew(self, event: IssueCommentCreated, gone: Gone) -> None:
        """Take the installation there is now; without one nobody can be answered."""
        try:
            now = await self._identity.installation_for(event.repository.full_name)
        except Gone:
            now = event.installation_id
        if now == event.installation_id:
            log.warning("Delivery %s is not worked: %s", event.delivery, gone.message)
            return
        await self._handle(replace(event, installation_id=now))

    async def _handle(self, event: IssueCommentCreated) -> None:
        github = self._identity.client(
            installation_id=event.installation_id,
            repository_id=event.repository.id,
            permissions=CONVERSE,
        )
        await handle(
            event,
            github=github,
            runs=self._runs,
            own_login=await self._identity.bot_login(),
            allowed_bots=self._allowed_bots,
        )
