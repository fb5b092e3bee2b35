"""From a stored delivery to the handler of its event."""

from __future__ import annotations

import json
import logging
from collections.abc import Set

from app.github.identity import AppIdentity
from app.github.scopes import CONVERSE
from app.store.deliveries import Delivery
from handlers.events import MalformedPayload, read_event
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
