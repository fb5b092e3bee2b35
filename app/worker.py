"""The worker: takes queued runs, a few at a time, and drives each to its end or to a pause.

A run that is paused until a time is queued again when that time has come; one timer waits for the
nearest. A run that a bug paused has no such time: a person or the next start lets it go on.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from gidgethub import GitHubException
from tenacity import AsyncRetrying, retry_if_exception_type, wait_exponential_jitter

from app.progress_text import why
from app.store.runs import Run, Runs, Status
from runner.errors import Outage
from runner.ports import Clock

log = logging.getLogger(__name__)

SOONEST = timedelta(seconds=30)
"""A paused run rests at least this long before it goes on by itself, whatever was promised."""

_CANCELLING: tuple[Status, ...] = ("cancelling",)
_BACKOFF = wait_exponential_jitter(initial=1, max=300)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run stopped: ``status`` as in the runs table, ``result`` what it did (JSON).

    ``told`` is False when nobody could be told of it.
    """

    status: Status
    reason: str = ""
    until: datetime | None = None
    result: dict[str, object] | None = None
    told: bool = True


class Worker:
    """Drives up to ``at_once`` runs with ``execute``, which may raise ``Outage``.

    ``rest`` waits (seconds) for a paused run's time to come. ``on_bug`` hears of every exception
    that is a bug (tests fail on it).
    """

    def __init__(
        self,
        runs: Runs,
        execute: Callable[[Run], Awaitable[Outcome]],
        *,
        at_once: int,
        clock: Clock,
        rest: Callable[[float], Awaitable[None]] = asyncio.sleep,
        on_bug: Callable[[Exception], None] | None = None,
    ) -> None:
        self._runs = runs
        self._execute = execute
        self._at_once = at_once
        self._clock = clock
        self._rest = rest
        self._on_bug = on_bug
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._work = asyncio.Event()
        self._idle = asyncio.Event()
        self._main: asyncio.Task[None] | None = None
        self._timer: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Take up what an earlier process left, then work until ``stop``."""
        await self._runs.requeue_left()
        self._work.set()
        self._main = asyncio.create_task(self._take())

    def wake(self) -> None:
        """Look for work."""
        self._idle.clear()
        self._work.set()

    async def idle(self) -> None:
        """Wait until no run works and none can start (those that wait for a time do not count)."""
        await self._idle.wait()

    async def stop(self) -> None:
        """Stop at once; what was at work is taken up at the next start."""
        own = [task for task in (self._main, self._timer) if task]
        tasks = [*self._tasks.values(), *own]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _take(self) -> None:
        while True:
            await self._work.wait()
            self._work.clear()
            now = self._clock.now()
            try:
                await self._begin_all(now)
                self._set_timer(await self._runs.next_due(now))
            except Outage as outage:
                log.warning("No run can be started: %s", outage.message)
                self._set_timer(now + SOONEST)
            if not self._tasks and not self._work.is_set():
                self._idle.set()

    async def _begin_all(self, now: datetime) -> None:
        await self._runs.requeue_due(now)
        for run in await self._runs.by_status("cancelling"):
            if run.id not in self._tasks and not (run.until and run.until > now):
                self._begin(run)
        while len(self._tasks) < self._at_once and (chosen := await self._runs.claim_next()):
            self._begin(chosen)

    def _begin(self, run: Run) -> None:
        before = self._tasks.get(run.id)
        task = asyncio.create_task(self._until_it_stops(run, before), name=run.id)
        self._tasks[run.id] = task
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        if self._tasks.get(task.get_name()) is task:
            del self._tasks[task.get_name()]
        self._work.set()

    def _set_timer(self, due: datetime | None) -> None:
        """Let the one timer wait for ``due``, the nearest time there is."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.create_task(self._ring(due)) if due else None

    async def _ring(self, due: datetime) -> None:
        # clocks differ a little: never again and again for the last millisecond
        await self._rest(max(1.0, (due - self._clock.now()).total_seconds()))
        self._timer = None  # it has done its work, so that nobody cancels it
        self.wake()

    async def _until_it_stops(self, run: Run, before: asyncio.Task[None] | None) -> None:
        if before is not None:  # it was resumed while it was still being put to rest
            await asyncio.wait({before})
        outcome = await self._outcome(run)
        stopped = run.id, run.repository, outcome.status, outcome.reason
        tries = AsyncRetrying(
            retry=retry_if_exception_type(Outage), wait=_BACKOFF, sleep=self._rest
        )
        await tries(self._settle, run.id, outcome)
        log.info("Run %s of %s: %s %s", *stopped)

    async def _outcome(self, run: Run) -> Outcome:
        """The job boundary: a bug in one run must not stop the others, nor lose this one."""
        try:
            return await self._execute(run)
        except Outage as outage:
            return Outcome("paused", why(outage), outage.until, told=False)
        except GitHubException as refusal:
            return Outcome("paused", why(refusal), told=False)
        except Exception as bug:  # see above; what was saved stays and is resumable
            log.exception("Run %s of %s stopped by a bug", run.id, run.repository)
            if self._on_bug:
                self._on_bug(bug)
            return Outcome("paused", why(bug), told=False)

    async def _settle(self, run: str, outcome: Outcome) -> None:
        """Store how the run stopped; an order to cancel outlives a pause."""
        soonest = self._clock.now() + SOONEST
        until = max(outcome.until, soonest) if outcome.until else None
        if outcome.status == "paused":
            again = until or (soonest if outcome.told else None)
            status: Status = "cancelling" if again else "cancelled"
            if await self._runs.set_status(run, status, allowed=_CANCELLING, until=again):
                return
        await self._runs.set_status(
            run,
            outcome.status,
            allowed=("running", "cancelling"),
            reason=outcome.reason,
            until=until,
            result=outcome.result,
        )
