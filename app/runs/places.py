"""What the comments of runs that wait say about their position; edited once a minute at most."""

from __future__ import annotations

import logging

from gidgethub import GitHubException

from app.background import BackgroundWork
from app.progress.waiting import WaitEstimate
from app.runs.parts import ServerParts
from runner.errors import Outage

log = logging.getLogger(__name__)

EVERY = 60.0
MOST = 30
"""Comments that are edited in one round, those of the next runs first."""


class Places(BackgroundWork):
    """A run that did some work already keeps its comment: that shows what was done."""

    def __init__(self, parts: ServerParts, waiting: WaitEstimate) -> None:
        super().__init__("The positions in the comments", parts.around.on_bug)
        self._parts = parts
        self._waiting = waiting
        self._told: dict[str, tuple[str, int]] = {}

    async def start(self) -> None:
        """Begin to tell."""
        self.begin(self._work())

    async def _work(self) -> None:
        while True:
            self.quiet.clear()
            try:
                await self.tell()
            except (Outage, GitHubException) as error:
                log.warning("Positions are told later: %s", error)
            self.quiet.set()
            await self._parts.around.rest(EVERY)

    async def tell(self) -> None:
        """Edit the comments whose positions changed. Raises ``Outage`` and GitHub's refusals."""
        turns = await self._waiting.turns()
        first = {
            run: (each.id, turn.position) for run, (turn, each) in turns.items() if not each.begun
        }
        news = [run for run, place in first.items() if self._told.get(run) != place]
        self._told = {run: self._told[run] for run in first if run not in news}
        chosen = sorted(news, key=lambda run: first[run][1])[:MOST]
        if not chosen:
            return
        turns = await self._waiting.turns(chosen)
        for run in await self._parts.runs.by_status("queued"):
            if run.id in chosen and run.id in turns and run.progress_comment_id:
                progress = await self._parts.progress(run, run.progress_comment_id)
                await progress.wait(turns[run.id][0])
        self._told |= {run: first[run] for run in chosen}
