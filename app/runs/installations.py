"""What becomes of runs when an installation or a repository changes.

While an installation is suspended, GitHub answers 403 to everything, even edits of comments. So
its runs pause with a cause of their own and continue when the suspension is lifted. If the App is
uninstalled, its runs are cancelled.
(https://docs.github.com/en/apps/maintaining-github-apps/suspending-a-github-app-installation)

An archived repository can be read and not written, comments included: its runs pause until somebody
unarchives it. A renamed or transferred one has another name, or another installation, from then on.
When one becomes private, the links to its runs' pages that everybody could read end.
(https://docs.github.com/en/repositories/archiving-a-github-repository/archiving-repositories)
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from app.github.client import ARCHIVED, SUSPENDED
from app.github.identity import Gone
from app.runs.service import RunService
from app.store.queue import Affected
from app.store.runs import REMOVED
from handlers.pushes import InstallationChanged, RepositoryChanged

log = logging.getLogger(__name__)

_SUSPENDED = (
    "the App's installation on GitHub is suspended; the run continues automatically when "
    "the suspension is lifted on the installation's settings page"
)
_REMOVED = (
    "the App's installation no longer covers this repository; the run continues automatically "
    "when the repository is added again on the installation's settings page"
)
_GONE = "the App was uninstalled"
_ARCHIVED = (
    "this repository is archived, so GitHub lets nobody change it; the run continues automatically "
    "when somebody unarchives it in the repository's settings"
)

_HEALED = (SUSPENDED, "permission", "credential")
"""What may be over once an installation is active, or was given permissions."""


_BACK = ("renamed", "transferred", "unarchived")
"""What happens to a repository that we could not reach, or not under its name."""


@dataclass(frozen=True)
class Installations:
    """Works an event about an installation; doing it twice changes nothing.

    ``reach`` hears whether an installation is active, ``returned`` catches up on what happened in
    repositories while we did not hear of it.
    """

    service: RunService
    reach: Callable[..., None]
    returned: Callable[..., Awaitable[None]]

    async def __call__(self, event: InstallationChanged | RepositoryChanged) -> None:
        """Ask GitHub for its status, and let the runs follow. Raises ``Outage``."""
        if isinstance(event, RepositoryChanged):
            moved = await self._repository(event)
        elif event.repositories:
            moved = await self._selected(event)
        else:
            moved = await self._changed(event)
        log.info("Installation %s: %s, %s runs", event.installation_id, event.action, moved)
        await self.service.look()
        await self._catch_up(event)

    async def _changed(self, event: InstallationChanged) -> int:
        all_of_it = Affected(event.installation_id)
        standing = await self.service.parts.identity.standing(event.installation_id)
        self.reach(event.installation_id, active=standing == "active")
        if standing == "gone":
            return await self.service.queue.cancel_where(all_of_it, reason=_GONE)
        if standing == "suspended":
            return await self.service.queue.pause_where(
                all_of_it, cause=SUSPENDED, reason=_SUSPENDED
            )
        return await self.service.queue.wake_where(all_of_it, _HEALED)

    async def _selected(self, event: InstallationChanged) -> int:
        """Look at the repositories in which a run is unfinished; nothing becomes of the others."""
        known = await self.service.queue.repositories(event.installation_id)
        moved = 0
        for id in set(event.repositories) & set(known):
            here = Affected(event.installation_id, id)
            if await self._covers(event.installation_id, known[id]):
                moved += await self.service.queue.wake_where(here, (REMOVED,))
            else:
                moved += await self.service.queue.pause_where(here, cause=REMOVED, reason=_REMOVED)
        return moved

    async def _repository(self, event: RepositoryChanged) -> int:
        """Let the runs of a repository follow it to another name, owner or status."""
        here = Affected(event.installation_id, event.repository.id)
        if event.action == "archived":
            return await self.service.queue.pause_where(here, cause=ARCHIVED, reason=_ARCHIVED)
        if event.action in ("privatized", "publicized"):
            private = event.action == "privatized"
            return await self.service.queue.hide(event.repository.id, private=private)
        if event.action == "unarchived":
            return await self.service.queue.wake_where(here, (ARCHIVED,))
        moved = await self.service.queue.follow(event.repository)
        woken = await self.service.queue.wake_where(here, (REMOVED, *_HEALED))
        return moved + woken

    async def _catch_up(self, event: InstallationChanged | RepositoryChanged) -> None:
        """Look at what we did not hear of, where we can look again. Raises ``Outage``."""
        installation = event.installation_id
        if isinstance(event, RepositoryChanged):
            if event.action in _BACK:
                await self.returned(installation, [event.repository.id])
        elif event.repositories:
            if event.added:
                await self.returned(installation, [each.id for each in event.added])
        elif await self.service.parts.identity.standing(installation) == "active":
            await self.returned(installation)

    async def _covers(self, installation: int, repository: str) -> bool:
        try:
            return await self.service.parts.identity.installation_for(repository) == installation
        except Gone:
            return False
