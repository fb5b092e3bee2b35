"""The worker: drives the segments of runs, one node at a time, as the engine asks for them.

A segment is one stretch of work on a run, until it ends, waits, pauses or gives way to another. It
holds nothing that a restart could not make again from the journal.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol, TypeVar

from gidgethub import GitHubException
from sqlalchemy.engine import Connection
from tenacity import AsyncRetrying, retry_if_exception_type, wait_exponential_jitter

from app.progress.text import why
from app.store.queue import Queue
from app.store.runs import Status
from runner.errors import DATABASE, Outage
from runner.loop.journal import BORDER
from runner.ports import Clock
from runner.state.run_state import RunState
from runner.text.logged import about

T = TypeVar("T")
RUNS = "runs"
"""The topic of what other processes tell the one that keeps the time of paused runs."""

log = logging.getLogger(__name__)

SOONEST = timedelta(seconds=30)
"""A paused run waits at least this long before it continues, whatever was promised."""

DATABASE_AGAIN = timedelta(seconds=5)
"""How long a run waits that the database stopped: a restart takes it away for seconds."""

DATABASE_LONGEST = timedelta(minutes=5)
"""What that grows to, doubled each time in a row: where a disk is full, each try is paid for."""

_BACKOFF = wait_exponential_jitter(initial=1, max=DATABASE_AGAIN.total_seconds())


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run stopped: ``status`` as in the runs table, ``result`` what it did (JSON).

    ``reported`` is False if people could not be told; ``cause``: the kind of outage of a pause.
    """

    status: Status
    reason: str = ""
    until: datetime | None = None
    result: dict[str, object] | None = None
    reported: bool = True
    cause: str = ""


Segment = AsyncGenerator[RunState | Outcome]
"""Yields the state after every saved node, and last how the run stopped."""


@dataclass(frozen=True, slots=True)
class _Open:
    run: str
    steps: Segment


async def leads(_topic: str) -> bool:
    """There is no other process to leave anything to."""
    return False


class SegmentEngine(Protocol):
    """What starts the segment of each wakeup once, and again after a crash."""

    async def start(self, step: Callable[[str], Awaitable[bool]]) -> None: ...

    async def check(self) -> None: ...

    def enqueue(self, connection: Connection, wakeup: str) -> None: ...

    def enqueue_stop(self, connection: Connection, wakeup: str) -> None: ...

    async def lost(
        self, wakeups: Collection[str], living: Mapping[str, str], /
    ) -> Collection[str]: ...

    async def recover(self, living: Collection[str], /) -> int: ...

    async def stop(self) -> None: ...


class Worker:
    """Takes steps of the segments that ``begin`` makes (``Segments``); these may raise ``Outage``.

    ``lost`` says which wakeups the engine will never work on. ``rest`` waits (seconds) for a paused
    run's time to come. ``pass_on`` leaves the times of paused runs to the process that leads.
    ``on_bug`` gets every exception that is a bug (tests fail on it).
    """

    def __init__(
        self,
        queue: Queue,
        begin: Callable[[str], Segment],
        *,
        lost: Callable[[list[str]], Awaitable[Collection[str]]],
        clock: Clock,
        rest: Callable[[float], Awaitable[None]] = asyncio.sleep,
        pass_on: Callable[[str], Awaitable[bool]] = leads,
        on_bug: Callable[[Exception], None] | None = None,
    ) -> None:
        self._queue = queue
        self._begin = begin
        self._lost = lost
        self._clock = clock
        self._rest = rest
        self._pass_on = pass_on
        self._on_bug = on_bug
        self._segments: dict[str, _Open] = {}
        self._stopped_by_database: dict[str, int] = {}
        self._timer: asyncio.Task[None] | None = None
        self._idle = asyncio.Event()
        self._stopped = asyncio.Event()
        self._looking = asyncio.Lock()

    async def start(self) -> None:
        """Take up what earlier processes left, and keep the time. Raises ``Outage``."""
        self._stopped.clear()
        sent = await self._queue.sent()
        await self._queue.take_up(await self._lost(sent))
        await self.look()

    async def look(self) -> None:
        """See whether all is quiet, and set the timer for the next run that rests."""
        async with self._looking:  # or what one saw earlier could be said after a later one's word
            due = await self._queue.due()
            if self._timer is not None and self._timer is not asyncio.current_task():
                self._timer.cancel()
            if await self._pass_on(RUNS):
                due = None
            self._timer = asyncio.create_task(self._ring(due)) if due else None
            if await self._queue.is_quiet():
                self._idle.set()
            else:
                self._idle.clear()

    async def idle(self) -> None:
        """Wait until no run works and none can start (those that wait for a time do not count)."""
        await self._idle.wait()

    async def keep_no_time(self) -> None:
        """Let another process set the timers."""
        if self._timer is not None:
            self._timer.cancel()
            await asyncio.gather(self._timer, return_exceptions=True)

    async def stop(self) -> None:
        """Let go of everything; what was at work is taken up at the next start."""
        self._stopped.set()
        await self.keep_no_time()
        for segment in self._segments.values():
            await segment.steps.aclose()

    async def step(self, wakeup: str) -> bool:
        """Take one node of a wakeup's run; False when the wakeup is settled, or another's."""
        known = wakeup in self._segments
        run = await self._until_done(self._queue.open_run if known else self._queue.take, wakeup)
        if run is None:
            if known:
                await self._segments.pop(wakeup).steps.aclose()
            return False
        if not known:
            self._segments[wakeup] = _Open(run, self._begin(run))
        outcome = await self._next(self._segments[wakeup])
        if isinstance(outcome, RunState):
            # whoever gives way while tasks are at work would pay for their answers twice
            crossed = outcome.node == BORDER and outcome.current and not outcome.at_work
            if not crossed or not await self._until_done(self._queue.give_way, wakeup, run):
                return True
        await self._segments.pop(wakeup).steps.aclose()
        if isinstance(outcome, Outcome):
            await self._settle(wakeup, run, outcome)
        await self._until_done(self.look)
        return False

    async def _next(self, segment: _Open) -> RunState | Outcome:
        """The job boundary: a bug in one run must not stop the others, nor lose this one."""
        try:
            with about(run=segment.run):
                return await anext(segment.steps)
        except Outage as outage:
            return Outcome("paused", why(outage), outage.until, reported=False, cause=outage.kind)
        except GitHubException as refusal:
            return Outcome("paused", why(refusal), reported=False)
        except Exception as bug:  # see above; what was saved stays and is resumable
            log.exception("Run %s stopped because of a bug", segment.run)
            if self._on_bug:
                self._on_bug(bug)
            return Outcome("paused", why(bug), reported=False)

    async def _settle(self, wakeup: str, run: str, outcome: Outcome) -> None:
        """Store how the run stopped."""
        soonest = self._clock.now() + SOONEST
        until = max(outcome.until, soonest) if outcome.until else None
        times = self._stopped_by_database.pop(run, 0)
        if outcome.cause == DATABASE:
            self._stopped_by_database[run] = times + 1
            wait = DATABASE_AGAIN * 2 ** min(times, 10)
            until = self._clock.now() + min(wait, DATABASE_LONGEST)
        await self._until_done(
            self._queue.settle,
            wakeup,
            run,
            outcome.status,
            reason=outcome.reason,
            until=until,
            result=outcome.result,
            cancel_at=until or (soonest if outcome.reported else None),
            cause=outcome.cause,
        )
        log.info("Run %s: %s: %s", run, outcome.status, outcome.reason)

    async def _until_done(self, what: Callable[..., Awaitable[T]], *values: Any, **named: Any) -> T:
        """Do it however long the database is away: a segment must not end unrecorded.

        Raises ``Outage`` when the worker stops before the database is back.
        """
        trying = AsyncRetrying(
            retry=retry_if_exception_type(Outage),
            wait=_BACKOFF,
            sleep=self._rest_or_stop,
            stop=lambda _: self._stopped.is_set(),
            reraise=True,
        )
        return await trying(what, *values, **named)

    async def _rest_or_stop(self, seconds: float) -> None:
        """Wait some seconds, or until the worker stops."""
        ways = [
            asyncio.ensure_future(self._rest(seconds)),
            asyncio.ensure_future(self._stopped.wait()),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)

    async def _ring(self, due: datetime) -> None:
        # clocks differ a little: never again and again for the last millisecond
        await self._rest(max(1.0, (due - self._clock.now()).total_seconds()))
        self._idle.clear()  # so that nobody takes it for quiet while it is looked
        await self._until_done(self.look)
