"""Notices for people: a short text to each address of CAIRN_NOTIFY (mail, chat, …), by apprise.

Nothing of an address but its service's name is said or logged: the rest may be a secret. So what
apprise says of a failure is said without every part of the address.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
import threading
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any, Final
from urllib.parse import unquote

from cachetools import LRUCache
from pydantic import SecretStr

from app.jobs.event_sender import TIMEOUT, Delivered, wait_after
from app.settings import hide_apprise
from app.store.outbox import WaitingEvent
from app.terminal import one_line
from app.texts import notice_texts as texts
from runner.loop.announcing import EventSink
from runner.state.events import RunChanged, TaskChanged
from runner.state.outward import OutwardEvent, event_name
from runner.state.status_words import task_word

log = logging.getLogger(__name__)

RUN, TASK = event_name(RunChanged), event_name(TaskChanged)
_STOPPED = frozenset({"ended", "paused", "cancelled", "interrupted", "waiting"})
TRIES: Final = 3
"""How often a process that keeps nothing tries to send a notice."""


_PARTS: Final = re.compile(r"[^\w.%+-]+")
"""What is between the parts of an address, each of which may be a secret."""
_LONGEST: Final = 200


class Address:
    """Where notices go; ``channel`` is what this address is called in the database."""

    def __init__(self, url: SecretStr, *, timeout: float = TIMEOUT) -> None:
        from apprise import Apprise  # with its services 1.4 s

        hide_apprise()
        self._url = url.get_secret_value()
        after = self._url.partition("://")[2]
        parts = {part for text in (after, unquote(after)) for part in _PARTS.split(text)}
        hidden = sorted(filter(None, parts), key=len, reverse=True)
        # one of a letter or two can be part of any word
        words = (re.escape(p) if len(p) > 2 else rf"\b{re.escape(p)}\b" for p in hidden)
        self._secret = re.compile("|".join(words), re.IGNORECASE)
        self._timeout = timeout
        self._service = Apprise()
        self._service.add(self._url)
        self.name = str(self._service[0].service_name)
        self.channel = hashlib.sha256(self._url.encode()).hexdigest()[:16]

    async def send(self, event: WaitingEvent) -> Delivered:
        """Try once. Nobody waits for a service that hangs, not even the end of the process."""
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[str] = loop.create_future()
        title, _, body = str(json.loads(event.body)["text"]).partition("\n")

        def tell(trouble: str) -> None:
            if not ended.done():
                ended.set_result(trouble)

        def work() -> None:
            sent = self._service.notify(title=title, body=body or title, body_format="text")
            with suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(tell, "" if sent else self._trouble(sent.logs()))

        threading.Thread(target=work, daemon=True).start()
        try:
            async with asyncio.timeout(self._timeout):
                return Delivered(await ended)
        except TimeoutError:
            return Delivered(f"it did not answer in {self._timeout:g} seconds")

    def _trouble(self, logs: Iterable[Any]) -> str:
        said = " ".join(each.message for each in logs)
        cause = one_line(self._secret.sub("***", said)).rstrip(" .")[:_LONGEST]
        return f"it did not take the notice{f' ({cause})' if cause else ''}"


class Notices:
    """Puts into another sink only what people want to be told, as text.

    The end of a run comes with how its tasks ended, which whoever takes up a run is told again. A
    run that pauses again and again for the same reason is told once.
    """

    def __init__(self, sink: EventSink) -> None:
        self._sink = sink
        self._tasks: dict[str, dict[object, str]] = {}
        self._told: LRUCache[str, str] = LRUCache(1_000)

    async def put(self, events: Sequence[OutwardEvent]) -> None:
        """Put the notices of these events. Raises ``Outage``."""
        made = []
        for each in events:
            if each.name == TASK:
                tasks = self._tasks.setdefault(each.run, {})
                tasks[each.fields["task"]] = task_word(str(each.fields["status"]))
            ended = each.name == RUN and each.fields["status"] in _STOPPED
            tasks = self._tasks.pop(each.run, {}) if ended else {}
            text = texts.notice(each.fields, Counter(tasks.values()))
            if text and self._told.get(each.run) != text:
                self._told[each.run] = text
                made.append(replace(each, fields={"text": text}))
        if made:
            await self._sink.put(made)


class AtOnce:
    """Sends what is put here without keeping it: for a process that ends with its run."""

    def __init__(
        self, address: Address, rest: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._address = address
        self._rest = rest
        self._at_work: list[asyncio.Task[None]] = []

    async def put(self, events: Sequence[OutwardEvent]) -> None:
        """Begin to send; nobody waits for it before ``close``."""
        self._at_work += [asyncio.create_task(self._send(each)) for each in events]

    async def _send(self, event: OutwardEvent) -> None:
        for tries in range(TRIES):
            body = json.dumps(event.fields)
            found = await self._address.send(WaitingEvent(0, event.id, event.name, body, tries))
            if not found.problem:
                return
            if tries + 1 < TRIES:
                await self._rest(wait_after(tries, None))
        log.warning("%s was not told: %s.", self._address.name, found.problem)

    async def close(self) -> None:
        """Let what is at work end: each try has its time, and there are few."""
        await asyncio.gather(*self._at_work)


@asynccontextmanager
async def at_once(urls: Sequence[SecretStr]) -> AsyncIterator[tuple[EventSink, ...]]:
    """Notices to these addresses, without a database; leaving waits until they are sent."""
    senders = [AtOnce(address) for address in await asyncio.to_thread(addresses, urls)]
    try:
        yield tuple(Notices(each) for each in senders)
    finally:
        await asyncio.gather(*(each.close() for each in senders))


def addresses(urls: Sequence[SecretStr]) -> list[Address]:
    """The addresses of the settings; those of one service are numbered."""
    found = [Address(each) for each in urls]
    services = Counter(each.name for each in found)
    for place, each in enumerate(found, 1):
        if services[each.name] > 1:
            each.name += f" (address {place})"
    return found
