"""What becomes of runs when the App's installation is suspended, changed or deleted.

While an installation is suspended GitHub answers 403 to everything, edits of comments too. So runs
rest with a cause of their own, and go on when the suspension is lifted; a run that goes on makes
its comment true again. Nothing can be done where the App was uninstalled: the runs are cancelled.
(https://docs.github.com/en/apps/maintaining-github-apps/suspending-a-github-app-installation)
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from app.github.faults import SUSPENDED
from app.github.identity import Gone
from app.github.token_identity import Identity
from app.store.queue import Affected, Queue
from app.store.runs import REMOVED
from handlers.installations import InstallationChanged

log = logging.getLogger(__name__)

_SUSPENDED = (
    "the App's installation on GitHub is suspended; the run goes on by itself when whoever "
    "suspended it lifts that on the installation's settings page"
)
_REMOVED = (
    "the App's installation does not cover this repository any more; the run goes on by itself "
    "when the repository is added again on the installation's settings page"
)
_GONE = "the App was uninstalled"

_HEALED = (SUSPENDED, "permission", "credential")
"""What may be over once an installation is active, or was given permissions."""


class Installations:
    """Works an event about an installation; doing it twice changes nothing.

    ``look`` tells the worker that something changed.
    """

    def __init__(
        self, identity: Identity, queue: Queue, *, look: Callable[[], Awaitable[None]]
    ) -> None:
        self._identity = identity
        self._queue = queue
        self._look = look

    async def __call__(self, event: InstallationChanged) -> None:
        """Ask GitHub how it stands, and let the runs follow. Raises ``Outage``."""
        if event.repositories:
            moved = await self._selected(event)
        else:
            moved = await self._changed(event)
        log.info("Installation %s: %s, %s runs", event.installation_id, event.action, moved)
        await self._look()

    async def _changed(self, event: InstallationChanged) -> int:
        all_of_it = Affected(event.installation_id)
        standing = await self._identity.standing(event.installation_id)
        if standing == "gone":
            return await self._queue.cancel_where(all_of_it, reason=_GONE)
        if standing == "suspended":
            return await self._queue.pause_where(all_of_it, cause=SUSPENDED, reason=_SUSPENDED)
        return await self._queue.wake_where(all_of_it, _HEALED)

    async def _selected(self, event: InstallationChanged) -> int:
        """Look at the repositories in which a run is unfinished; nothing becomes of the others."""
        known = await self._queue.repositories(event.installation_id)
        moved = 0
        for id in set(event.repositories) & set(known):
            here = Affected(event.installation_id, id)
            if await self._covers(event.installation_id, known[id]):
                moved += await self._queue.wake_where(here, (REMOVED,))
            else:
                moved += await self._queue.pause_where(here, cause=REMOVED, reason=_REMOVED)
        return moved

    async def _covers(self, installation: int, repository: str) -> bool:
        try:
            return await self._identity.installation_for(repository) == installation
        except Gone:
            return False
