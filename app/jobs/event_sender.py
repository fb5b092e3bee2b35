"""Send events to the operator's webhook, signed, until it takes them; no run ever waits for it.

Notices for people are sent in the same way, each address having its own channel in the outbox.

At least once, and in order for each run: an event is sent again until the receiver answers with
2xx, and the next one of its run waits meanwhile. Those of other runs do not.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import hmac
import logging
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import aiohttp

from app.background import BackgroundWork
from app.github.client import why_not
from app.store.outbox import Outbox, WaitingEvent
from app.version import version_of_cairn
from runner.errors import Outage
from runner.ports import Clock
from runner.state.outward import OutwardEvent

log = logging.getLogger(__name__)

OUTBOX: Final = "outbox"
"""The topic of what other processes tell the one that sends events."""

AT_ONCE: Final = 8
TIMEOUT: Final = 10.0
"""Seconds that the receiver has for its answer."""

_STANDARD: Final = b"whsec_"
LONGEST_WAIT: Final = 3600.0
_TIDIED: Final = timedelta(minutes=10)
_AGAIN: Final = 5.0
"""Seconds before the database is asked again after it failed."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """What became of one try: ``problem`` is '' when the event was taken.

    ``wait`` is in how many seconds the receiver wants to be asked again, if it said so.
    """

    problem: str = ""
    wait: float | None = None


class EventWebhook:
    """The receiver: an address from the settings, and the secret it shares with us."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        url: str,
        secret: str,
        clock: Clock,
        *,
        timeout: float = TIMEOUT,
    ) -> None:
        self._timeout = timeout
        self._session = session
        self._url = url
        self._secret = secret.encode()
        self._clock = clock

    async def send(self, event: WaitingEvent) -> Delivered:
        """Try once. A redirect is not followed: the address is the operator's alone."""
        body, at = event.body.encode(), str(int(self._clock.now().timestamp()))
        headers = {
            "webhook-id": event.id,
            "webhook-timestamp": at,
            "webhook-signature": standard_signature(self._secret, event.id, at, body),
            "Content-Type": "application/json",
            "User-Agent": f"Cairn/{version_of_cairn()}",
            "X-Cairn-Event": event.event,
            "X-Cairn-Delivery": event.id,
            "X-Cairn-Timestamp": at,
            "X-Hub-Signature-256": signature(self._secret, body),
        }
        timeout = aiohttp.ClientTimeout(total=self._timeout)
        try:
            async with self._session.post(
                self._url, data=body, headers=headers, timeout=timeout, allow_redirects=False
            ) as answer:
                return _judged(answer.status, answer.headers)
        except TimeoutError:
            return Delivered(f"it did not answer in {self._timeout:g} seconds")
        except (aiohttp.ClientError, OSError) as error:
            return Delivered(f"it cannot be reached ({why_not(error)})")


def signature(secret: bytes, body: bytes) -> str:
    """Sign a body as GitHub signs its webhooks.

    https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
    """
    return "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()


def standard_signature(secret: bytes, id: str, at: str, body: bytes) -> str:
    """Sign a body as Standard Webhooks does; a secret that begins with whsec_ is base64.

    https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
    """
    with suppress(binascii.Error):
        if secret.startswith(_STANDARD):
            secret = base64.b64decode(secret.removeprefix(_STANDARD), validate=True)
    made = hmac.new(secret, f"{id}.{at}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(made).decode()}"


def _judged(status: int, headers: Mapping[str, str]) -> Delivered:
    if 200 <= status < 300:
        return Delivered()
    asked = headers.get("Retry-After", "")
    wait = min(float(asked), LONGEST_WAIT) if asked.isascii() and asked.isdigit() else None
    return Delivered(f"it answered with {status}", wait)


def wait_after(tries: int, asked: float | None) -> float:
    """Seconds until the next try: about twice as long each time, or as the receiver asked."""
    doubled: float = min(2.0 ** min(tries, 20), LONGEST_WAIT)
    return max(asked or 0.0, doubled * random.uniform(0.75, 1.0))  # noqa: S311 - no secret


class EventSender(BackgroundWork):
    """Sends what is in the outbox. ``rest`` waits (seconds) for the next try.

    It is a sink, too: what is put here is kept in the outbox and sent, by the process that leads
    (``pass_on``). ``on_bug`` gets an exception that is a bug; nothing is sent after it before the
    next start. ``receiver`` is what the log calls who gets the events.
    """

    def __init__(
        self,
        outbox: Outbox,
        send: Callable[[WaitingEvent], Awaitable[Delivered]],
        *,
        clock: Clock,
        rest: Callable[[float], Awaitable[None]] = asyncio.sleep,
        pass_on: Callable[[str], Awaitable[bool]],
        on_bug: Callable[[Exception], None] | None = None,
        receiver: str = "Your webhook",
    ) -> None:
        self._pass_on = pass_on
        self._receiver = receiver
        self._outbox = outbox
        self._send = send
        self._clock = clock
        super().__init__("The sending of events", on_bug)
        self._rest = rest
        self._news = asyncio.Event()
        self._tidied: datetime | None = None
        self._failing = False

    async def put(self, events: Sequence[OutwardEvent]) -> None:
        """Keep events and send them soon. Raises ``Outage``."""
        await self._outbox.put(events)
        if not await self._pass_on(OUTBOX):
            await self.look()

    async def look(self) -> None:
        """Something may be sent now."""
        self.quiet.clear()
        self._news.set()

    async def start(self) -> None:
        """Begin with what an earlier process left."""
        await self.look()
        self.begin(self._working())

    async def _working(self) -> None:
        while True:
            self._news.clear()
            try:
                seconds = await self._round()
            except Outage as outage:
                log.warning("Events for others are waiting: %s", outage.message)
                seconds = _AGAIN
            if seconds > 0:
                await self._until_news(seconds)

    async def _round(self) -> float:
        """Try what is due; return the seconds until more is."""
        await self._tidy()
        due = await self._outbox.due(AT_ONCE)
        if due:
            tried = await asyncio.gather(*(self._send(event) for event in due))
            await self._settle(dict(zip(due, tried, strict=True)))
            return 0.0
        next_at = await self._outbox.next_at()
        if next_at is None:
            return LONGEST_WAIT
        return min(max(0.1, (next_at - self._clock.now()).total_seconds()), LONGEST_WAIT)

    async def _settle(self, tried: Mapping[WaitingEvent, Delivered]) -> None:
        now = self._clock.now()
        sent = [event.seq for event, found in tried.items() if not found.problem]
        later = [
            (event.seq, now + timedelta(seconds=wait_after(event.tries, found.wait)))
            for event, found in tried.items()
            if found.problem
        ]
        await self._outbox.settle(sent, later)
        problems = [found.problem for found in tried.values() if found.problem]
        if problems and not self._failing:
            log.warning(
                "%s does not accept events, so they are waiting: %s.", self._receiver, problems[0]
            )
        elif self._failing and not problems:
            log.info("%s accepts events again.", self._receiver)
        self._failing = bool(problems)

    async def _tidy(self) -> None:
        now = self._clock.now()
        if self._tidied and now - self._tidied < _TIDIED:
            return
        if dropped := await self._outbox.tidy():
            log.warning("%d events were not accepted in time. They are lost.", dropped)
        self._tidied = now

    async def _until_news(self, seconds: float) -> None:
        ways = [
            asyncio.ensure_future(self._rested(seconds)),
            asyncio.ensure_future(self._news.wait()),
        ]
        if not self._news.is_set():
            self.quiet.set()
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.quiet.clear()
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)

    async def _rested(self, seconds: float) -> None:
        await self._rest(seconds)
        self.quiet.clear()  # so that nobody takes it for quiet while it is looked
