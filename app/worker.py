"""The worker: takes queued runs, a few at a time, and drives each to its end or to a pause."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from gidgethub import GitHubException

from app.store.runs import Run, Runs, Status
from runner.errors import Outage

log = logging.getLogger(__name__)


_LEFT: tuple[Status, ...] = ("running", "paused")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run stopped: ``status`` as in the runs table, ``result`` what it did (JSON)."""

    status: Status
    reason: str = ""
    until: datetime | None = None
    result: dict[str, object] | None = None


class Worker:
    """Drives up to ``at_once`` runs with ``execute``, which may raise ``Outage``.

    ``on_bug`` hears of every exception that is a bug (tests fail on it).
    """

    def __init__(
        self,
        runs: Runs,
        execute: Callable[[Run], Awaitable[Outcome]],
        *,
        at_once: int,
        on_bug: Callable[[Exception], None] | None = None,
    ) -> None:
        self._runs = runs
        self._execute = execute
        self._at_once = at_once
        self._on_bug = on_bug
        self._tasks: set[asyncio.Task[None]] = set()
        self._work = asyncio.Event()
        self._idle = asyncio.Event()
        self._main: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Take up what an earlier process left, then work until ``stop``."""
        # whatever paused a run may be whole again; if not, it pauses as it did before
        for run in await self._runs.by_status(*_LEFT):
            await self._runs.set_status(run.id, "queued", allowed=_LEFT)
        self._work.set()
        self._main = asyncio.create_task(self._take())

    def wake(self) -> None:
        """Look for work."""
        self._idle.clear()
        self._work.set()

    async def idle(self) -> None:
        """Wait until no run works and none can start."""
        await self._idle.wait()

    async def stop(self) -> None:
        """Stop at once; what was at work is taken up at the next start."""
        tasks = [*self._tasks, *([self._main] if self._main else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _take(self) -> None:
        while True:
            await self._work.wait()
            self._work.clear()
            for run in await self._runs.by_status("cancelling"):
                await self._begin(run)
            while len(self._tasks) < self._at_once and (next_run := await self._runs.claim_next()):
                await self._begin(next_run)
            if not self._tasks and not self._work.is_set():
                self._idle.set()

    async def _begin(self, run: Run) -> None:
        if any(task.get_name() == run.id for task in self._tasks):
            return
        task = asyncio.create_task(self._until_it_stops(run), name=run.id)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._work.set()

    async def _until_it_stops(self, run: Run) -> None:
        """The job boundary: a bug in one run must not stop the others, nor lose this one."""
        try:
            outcome = await self._execute(run)
        except (Outage, GitHubException) as outage:
            outcome = Outcome("paused", str(outage))
        except Exception as bug:  # see above; what was saved stays and is resumable
            log.exception("Run %s of %s stopped by a bug", run.id, run.repository)
            if self._on_bug:
                self._on_bug(bug)
            outcome = Outcome("paused", "an internal error stopped it; the operator's log has more")
        await self._runs.set_status(
            run.id,
            outcome.status,
            allowed=("running", "cancelling"),
            reason=outcome.reason,
            until=outcome.until,
            result=outcome.result,
        )
