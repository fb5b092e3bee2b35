"""What Cairn does when it can reach repositories again: it catches up on what it did not hear.

While an installation is suspended, or does not cover a repository, GitHub sends no events. What
happened there in the meantime is looked at once: pull requests that were merged, and pushes. It
starts no run, because nobody knows any more who pushed what.
(https://docs.github.com/en/apps/maintaining-github-apps/suspending-a-github-app-installation)
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass

from app.github.config import Contents
from app.github.token_identity import READ
from app.runs.service import RunService
from app.store.queue import Affected
from handlers.events import InstalledRepository, Repo, User
from handlers.pushes import BranchPushed
from runner.errors import TaskError

log = logging.getLogger(__name__)

MOST = 50
"""Repositories of one installation that are looked at: those of the newest runs."""


@dataclass(frozen=True)
class Returning:
    """Catches up on repositories in which there were runs; doing it twice changes nothing.

    ``pushed`` keeps plan and pull requests true to the default branch, ``board`` the dashboard.
    """

    service: RunService
    pushed: Callable[[BranchPushed], Awaitable[None]]
    board: Callable[[InstalledRepository], Awaitable[None]]

    async def __call__(self, installation_id: int, only: Collection[int] = ()) -> None:
        """Catch up on ``only`` these repositories (by id), or on all. Raises ``Outage``."""
        known = await self.service.parts.runs.repositories(installation_id, most=MOST)
        for id, name in known.items():
            if not only or id in only:
                try:
                    await self._one(installation_id, id, name)
                except TaskError as error:  # one that is gone must not stop the others
                    log.warning("%s is not caught up on: %s", name, error.message)

    async def _one(self, installation_id: int, id: int, name: str) -> None:
        api = self.service.parts.api(InstalledRepository(id, name, installation_id), READ)
        found = await api.repository()
        here = Repo.model_validate(found).under(installation_id)
        head = await Contents(api).head(here.default_branch)
        if head and not found["archived"]:
            # a push that changes nothing: what is out of date is noticed, and nothing is started
            bot = await self.service.parts.identity.bot_login(installation_id)
            push = BranchPushed(
                delivery=f"return of {here.id}",
                repository=here,
                before=head,
                after=head,
                sender=User(id=0, login=bot, type="Bot"),
            )
            await self.pushed(push)
            # runs go on that waited for the end of pull requests
            await self.service.queue.pull_ended(Affected(installation_id, id))
        await self.board(here)
