"""The progress comment of a run before it is queued: its first words, so that it has only one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from gidgethub import GitHubException

from app.github.scopes import CONVERSE
from app.github.token_identity import Identity
from app.progress.comment import Place, Progress
from app.progress.quiet import Quiet, aloud
from app.runs.waiting import Waiting
from app.store.runs import RunRequest
from runner.errors import Outage
from runner.ports import Clock

log = logging.getLogger(__name__)


class FirstWords:
    """Makes the comment of a run that will be queued, once; it says the turn if there is one.

    ``quiet`` tells where nothing may be said.
    """

    def __init__(
        self,
        identity: Identity,
        waiting: Waiting,
        *,
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        quiet: Quiet = aloud,
    ) -> None:
        self._identity = identity
        self._quiet = quiet
        self._waiting = waiting
        self._clock = clock
        self._sleep = sleep

    async def say(self, run: RunRequest) -> int | None:
        """Return the comment's id; None when GitHub does not take it now: the run tries again."""
        if run.issue is None:
            return None
        turn = await self._waiting.turn_of_new(run)
        try:
            if await self._quiet(run.installation_id, run.repository_id, run.repository):
                return None
            progress = await self._progress(run, run.issue)
            return await progress.begin(turn)
        except (Outage, GitHubException) as error:
            log.warning("Run %s has no comment yet: %s", run.id, error)
            return None

    async def _progress(self, run: RunRequest, issue: int) -> Progress:
        github = self._identity.client(
            installation_id=run.installation_id,
            repository_id=run.repository_id,
            permissions=CONVERSE,
        )
        place = Place(run.repository, issue, await self._identity.bot_login())
        return Progress(run.id, place, github=github, clock=self._clock, sleep=self._sleep)
