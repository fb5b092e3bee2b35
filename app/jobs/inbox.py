"""The inbox: works stored deliveries in order for each line, and fetches missed ones.

Deliveries of one line (``handlers/webhooks.py``) are worked one after another, those of different
lines side by side, up to a limit, by whichever process claims them. A delivery leaves the inbox
when its work is done or has failed by a bug; an outage keeps it, and those behind it. GitHub sends
each delivery only once
(https://docs.github.com/en/webhooks/using-webhooks/handling-failed-webhook-deliveries), so at start
and every five minutes its list of deliveries is compared with what is stored here.
"""

from __future__ import annotations

import asyncio
import json
import logging
import traceback
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from gidgethub import BadRequest, GitHubException
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_exponential_jitter

from app.background import BackgroundWork
from app.github.deliveries import KEPT, HookDeliveries, HookDelivery
from app.server.webhook import repository_of
from app.store.deliveries import Deliveries, Delivery, Worked
from handlers.webhooks import SLOW, line_of, meaning_of
from runner.errors import DATABASE, Outage
from runner.ports import Clock
from runner.text.logged import about

logger = logging.getLogger(__name__)
LONGEST_WAIT = 300.0
DATABASE_WAIT = 5.0
"""Most seconds between two tries while the database is away: a restart takes seconds."""

KEPT_FREE = 2
"""Of the deliveries that are worked at once: these are not for what is slow."""

LONGEST_SILENCE = 15.0
"""Seconds after which it is looked again, though nobody told of a delivery."""

Sleep = Callable[[float], Awaitable[None]]


class Inbox:
    """Claims stored deliveries, as ``worker``, and hands them to ``handle``.

    ``on_bug`` gets every exception that is not an ``Outage`` (tests collect them and fail); it must
    not raise. ``sleep`` and ``clock`` serve the waits after an outage: from a second, doubling, at
    most ``LONGEST_WAIT`` seconds, or until the outage ends by its own account, if that is sooner.
    """

    def __init__(
        self,
        deliveries: Deliveries,
        handle: Callable[[Delivery], Awaitable[None]],
        *,
        clock: Clock,
        sleep: Sleep = asyncio.sleep,
        at_once: int = 8,
        worker: str = "local",
        on_bug: Callable[[Exception], None] | None = None,
    ) -> None:
        self._deliveries = deliveries
        self._handle = handle
        self._clock = clock
        self._sleep = sleep
        self._at_once = at_once
        self._slots = asyncio.Semaphore(at_once)
        self._worker = worker
        self._on_bug = on_bug
        self._claiming = BackgroundWork("The inbox", on_bug)
        self._tasks: set[asyncio.Task[None]] = set()
        self._over: list[Worked] = []
        self._napping = 0
        self._news = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    async def start(self) -> None:
        """Begin to work, first on what an earlier process of this name left. Raises ``Outage``."""
        await self._deliveries.release(self._worker)
        self.look()
        self._claiming.begin(self._claim())

    def look(self) -> None:
        """There may be something to claim."""
        self._idle.clear()
        self._news.set()

    async def idle(self) -> None:
        """Wait until nothing is here: all work is done or has failed."""
        await self._idle.wait()

    async def stop(self) -> None:
        """Stop working; what is not done stays stored for the next start. Raises no ``Outage``."""
        await self._claiming.stop()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(Outage):  # else it is done once more, which changes nothing
            await self._deliveries.finish(self._over)

    async def _claim(self) -> None:
        """Claim as many as can be worked on now, whenever there may be some.

        What is over is recorded in the same transaction.
        """
        while True:
            self._news.clear()
            over = tuple(self._over)
            most, but = self._most()
            try:
                claimed = []
                if most or over:
                    claimed = await self._deliveries.claim(self._worker, most, but=but, over=over)
            except Outage as outage:
                logger.warning("Deliveries wait: %s", outage.message)
                await self._sleep(DATABASE_WAIT)
                continue
            del self._over[: len(over)]
            for delivery in claimed:
                task = asyncio.create_task(self._work(delivery))
                self._tasks.add(task)
                task.add_done_callback(self._ended)
            if not claimed or len(claimed) < most:
                if not self._tasks and not self._over and not self._news.is_set():
                    self._idle.set()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._news.wait(), LONGEST_SILENCE)

    def _most(self) -> tuple[int, Collection[str]]:
        """How many may be claimed, and which events not: places stay free for waiting people."""
        free = max(self._at_once - len(self._tasks) + self._napping, 0)
        kept = min(KEPT_FREE, self._at_once - 1)
        return (free - kept, ()) if free > kept else (free, SLOW)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._news.set()

    async def _work(self, delivery: Delivery) -> None:
        retrying = AsyncRetrying(
            sleep=self._nap,
            retry=retry_if_exception_type(Outage),
            wait=self._wait,
            before_sleep=_tell(delivery),
        )
        self._over.append(await retrying(self._attempt, delivery))

    async def _nap(self, seconds: float) -> None:
        """Wait for another try; others are worked on meanwhile."""
        self._napping += 1
        self._news.set()
        try:
            await self._sleep(seconds)
        finally:
            self._napping -= 1

    async def _attempt(self, delivery: Delivery) -> Worked:
        async with self._slots:
            with about(delivery=delivery.id):
                return Worked(delivery.id, await self._error_of(delivery))

    async def _error_of(self, delivery: Delivery) -> str:
        """The event boundary: a bug in one event's work must not stop the others."""
        try:
            if delivery.repeats:
                again = "Delivery %s is ignored: it repeats %s"
                logger.warning(again, delivery.id, delivery.repeats)
                return ""
            await self._handle(delivery)
        except Outage:
            raise
        except Exception as bug:  # one of the program's two broad excepts; the reason is above
            logger.exception("Delivery %s failed because of a bug", delivery.id)
            if self._on_bug:
                self._on_bug(bug)
            return "".join(traceback.format_exception_only(bug)).strip()
        return ""

    def _wait(self, state: RetryCallState) -> float:
        outage = _outage(state)
        until = outage.until
        if until is None:
            wait = _BACKOFF(state)
            return min(wait, DATABASE_WAIT) if outage.kind == DATABASE else wait
        return min(max((until - self._clock.now()).total_seconds(), 1.0), LONGEST_WAIT)


_BACKOFF = wait_exponential_jitter(initial=1, max=LONGEST_WAIT)


def _outage(state: RetryCallState) -> Outage:
    error = state.outcome.exception() if state.outcome else None
    if not isinstance(error, Outage):
        raise TypeError(f"{error!r} is no outage")
    return error


def _tell(delivery: Delivery) -> Callable[[RetryCallState], None]:
    def tell(state: RetryCallState) -> None:
        logger.warning(
            "Delivery %s waits %.0f s: %s",
            delivery.id,
            state.upcoming_sleep,
            _outage(state).message,
        )

    return tell


log = logging.getLogger(__name__)

EVERY = timedelta(minutes=5)

_OVERLAP = timedelta(minutes=10)
"""What was still on its way at the last look is seen at this one."""

MOST_LISTED = 10_000
MOST_TAKEN = 500
"""In one look; the rest is taken at the next one."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What one look found, in numbers."""

    listed: int
    missed: int
    taken: int


class CatchUp(BackgroundWork):
    """Compares ``hook`` with what is stored, and stores what is missed for ``take`` to work.

    ``events`` are those that are worked at all. ``rest`` waits (seconds) for the next look;
    ``on_bug`` hears of every exception that is a bug.
    """

    def __init__(
        self,
        hook: HookDeliveries,
        deliveries: Deliveries,
        *,
        take: Callable[[], None],
        events: Collection[str],
        clock: Clock,
        rest: Callable[[float], Awaitable[None]] = asyncio.sleep,
        on_bug: Callable[[Exception], None] | None = None,
    ) -> None:
        self._hook = hook
        self._deliveries = deliveries
        self._take = take
        self._events = frozenset(events)
        self._clock = clock
        super().__init__("The search for missed deliveries", on_bug)
        self._rest = rest
        self._complete: datetime | None = None

    async def start(self) -> None:
        """Begin to look; nothing that fails here fails the server's start."""
        self.begin(self._work())

    async def look(self) -> Looked:
        """Store what was missed, the oldest first. Raises ``Outage`` and ``GitHubException``."""
        now = self._clock.now()
        since = max(now - KEPT, self._complete - _OVERLAP) if self._complete else now - KEPT
        listed = await self._hook.since(since, most=MOST_LISTED)
        known = await self._deliveries.known({each.guid for each in listed})
        missed = missed_of(listed, known, self._events)
        taken = sum([await self._taken(each) for each in missed[:MOST_TAKEN]])
        if len(missed) <= MOST_TAKEN:
            self._complete = now
        return Looked(len(listed), len(missed), taken)

    async def _taken(self, missed: HookDelivery) -> bool:
        """Store one as if it had arrived; False if GitHub no longer has it, or it just arrived."""
        try:
            payload = await self._hook.payload(missed)
        except BadRequest as refusal:
            log.warning("Missed delivery %s cannot be fetched: %s", missed.guid, refusal)
            return False
        new = await self._deliveries.store(
            id=missed.guid,
            event=missed.event,
            repository_id=repository_of(payload),
            headers={"X-GitHub-Event": missed.event, "X-GitHub-Delivery": missed.guid},
            payload=json.dumps(payload).encode(),
            meaning=meaning_of(missed.event, payload),
            line=line_of(missed.event, payload),
        )
        if new:
            self._take()
        return new

    async def _work(self) -> None:
        while True:
            self.quiet.clear()
            wait = await self._looked()
            self.quiet.set()
            await self._rest(wait.total_seconds())

    async def _looked(self) -> timedelta:
        """Look, say what was found, and return how long to wait for the next look."""
        try:
            found = await self.look()
        except Outage as outage:
            log.warning("Cairn looks for missed deliveries later: %s", outage.message)
            return max(EVERY, outage.until - self._clock.now()) if outage.until else EVERY
        except GitHubException as refusal:
            log.warning("GitHub does not list the App's deliveries: %s", refusal)
            return EVERY
        level = logging.INFO if found.taken else logging.DEBUG
        message = "Missed deliveries: %s of the %s that GitHub lists; %s taken up now"
        log.log(level, message, found.missed, found.listed, found.taken)
        return EVERY


def missed_of(
    listed: Sequence[HookDelivery], known: Collection[str], events: Collection[str]
) -> list[HookDelivery]:
    """Return one attempt of each delivery that nobody took, the oldest first.

    One that was answered with 2xx but is not stored was another server's, or this one's before it
    lost its database: to work it again would start what was done long ago.
    """
    arrived = {each.guid for each in listed if each.arrived} | set(known)
    missed = {
        each.guid: each
        for each in reversed(listed)
        if each.guid not in arrived and each.event in events
    }
    return list(missed.values())
