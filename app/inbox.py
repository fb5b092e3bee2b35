"""The inbox: works stored deliveries, in order for each repository.

Deliveries of one repository are worked one after another (GitHub's order is kept as far as it
came in order); those of different repositories side by side, up to a limit. A delivery leaves the
inbox when its work is done or has failed by a bug; an outage keeps it, and those behind it. One
that says what another one said, whose work is done, is not worked again.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Protocol

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_exponential_jitter

from app.store.deliveries import Arrival, Deliveries, Delivery
from runner.errors import Outage
from runner.ports import Clock

logger = logging.getLogger(__name__)
LONGEST_WAIT = 300.0
Sleep = Callable[[float], Awaitable[None]]


class Handle(Protocol):
    async def __call__(self, delivery: Delivery, /) -> None:
        """Do a delivery's work; doing it twice changes nothing. Raises ``Outage``."""


class Inbox:
    """Hands stored deliveries to ``handle``.

    ``on_bug`` hears of every exception that is no ``Outage`` (tests collect them and fail); it must
    not raise. ``sleep`` and
    ``clock`` serve the waits after an outage: from a second, doubling, at most ``LONGEST_WAIT``
    seconds, or until the outage says it heals if that is sooner than the longest.
    """

    def __init__(
        self,
        deliveries: Deliveries,
        handle: Handle,
        *,
        clock: Clock,
        sleep: Sleep = asyncio.sleep,
        at_once: int = 8,
        on_bug: Callable[[Exception], None] | None = None,
    ) -> None:
        self._deliveries = deliveries
        self._handle = handle
        self._clock = clock
        self._sleep = sleep
        self._slots = asyncio.Semaphore(at_once)
        self._on_bug = on_bug
        self._lanes: dict[int | None, deque[Arrival]] = {}
        self._present: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._started = False
        self._idle = asyncio.Event()
        self._idle.set()

    async def start(self) -> None:
        """Begin to work, first on what an earlier process left. Raises ``Outage``."""
        stored = await self._deliveries.unfinished()
        came_meanwhile = [arrival for lane in self._lanes.values() for arrival in lane]
        self._lanes.clear()
        self._present.clear()
        self._started = True
        for arrival in (*stored, *came_meanwhile):
            self.put(arrival)

    def put(self, arrival: Arrival) -> None:
        """Take a stored delivery; one that is here already is not taken twice."""
        if arrival.id in self._present:
            return
        self._present.add(arrival.id)
        self._idle.clear()
        lane = self._lanes.get(arrival.repository_id)
        if lane is None:
            lane = self._lanes[arrival.repository_id] = deque()
            if self._started:
                self._begin(arrival.repository_id, lane)
        lane.append(arrival)

    async def idle(self) -> None:
        """Wait until nothing is here: all work is done or has failed."""
        await self._idle.wait()

    async def stop(self) -> None:
        """Stop working; what is not done stays stored for the next start."""
        self._started = False
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self, key: int | None, lane: deque[Arrival]) -> None:
        task = asyncio.create_task(self._work(key, lane))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _work(self, key: int | None, lane: deque[Arrival]) -> None:
        while lane:
            await self._until_done(lane[0])
            self._present.discard(lane.popleft().id)
        del self._lanes[key]
        if not self._present:
            self._idle.set()

    async def _until_done(self, arrival: Arrival) -> None:
        retrying = AsyncRetrying(
            sleep=self._sleep,
            retry=retry_if_exception_type(Outage),
            wait=self._wait,
            before_sleep=_tell(arrival),
        )
        await retrying(self._attempt, arrival)

    async def _attempt(self, arrival: Arrival) -> None:
        async with self._slots:
            error = await self._error_of(arrival)
            await self._deliveries.finish(arrival.id, "failed" if error else "done", error)

    async def _error_of(self, arrival: Arrival) -> str:
        """The event boundary: a bug in one event's work must not stop the others."""
        try:
            if same := await self._deliveries.done_as(arrival.id):
                logger.warning("Delivery %s is not worked: it repeats %s", arrival.id, same)
                return ""
            await self._handle(await self._deliveries.get(arrival.id))
        except Outage:
            raise
        except Exception as bug:  # one of the program's two broad excepts; the reason is above
            logger.exception("Delivery %s failed by a bug", arrival.id)
            if self._on_bug:
                self._on_bug(bug)
            return "".join(traceback.format_exception_only(bug)).strip()
        return ""

    def _wait(self, state: RetryCallState) -> float:
        until = _outage(state).until
        if until is None:
            return _BACKOFF(state)
        return min(max((until - self._clock.now()).total_seconds(), 1.0), LONGEST_WAIT)


_BACKOFF = wait_exponential_jitter(initial=1, max=LONGEST_WAIT)


def _outage(state: RetryCallState) -> Outage:
    error = state.outcome.exception() if state.outcome else None
    if not isinstance(error, Outage):
        raise TypeError(f"{error!r} is no outage")
    return error


def _tell(arrival: Arrival) -> Callable[[RetryCallState], None]:
    def tell(state: RetryCallState) -> None:
        logger.warning(
            "Delivery %s waits %.0f s: %s", arrival.id, state.upcoming_sleep, _outage(state).message
        )

    return tell
