"""Send the events of runs to watchers as they happen; slow readers are dropped, so no run waits.

The newest messages of each run are kept in this process's memory, so that a reader who comes back
can continue, and the newest state of the runs at work. Messages are small JSON without prompts,
answers and outputs.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from runner.errors import Outage
from runner.ports import Clock
from runner.state.events import (
    Advanced,
    Event,
    ModelAnswered,
    NodeFinished,
    NodeStarted,
    RunChanged,
    Verified,
)
from runner.state.run_state import RunState

_LONGEST = 2_000
"""Characters of one text in a message."""

_TOLD = 300
"""Characters of one text that other processes are told: PostgreSQL takes 8 kB at once."""

LIVE = "live"
"""The topic of what happens in runs."""


@dataclass(frozen=True, slots=True)
class LiveMessage:
    """One thing that happened; ``id`` is that of the event stream, ``data`` is JSON."""

    id: str
    at: datetime
    data: Mapping[str, object]


def event_data(
    event: Event, state: RunState | None, mask: Callable[[str], str]
) -> dict[str, object] | None:
    """Return what an event says to watchers, None for nothing; ``state`` names its task."""
    data = _data(event)
    if data is None:
        return None
    tasks = state.tasks if state else ()
    name = next((task.name for task in tasks if task.key == event.task), event.task)
    whole = {"task": name, **data}
    return {
        key: mask(value)[:_LONGEST] if isinstance(value, str) else value
        for key, value in whole.items()
    }


def _data(event: Event) -> dict[str, object] | None:
    match event:
        case NodeStarted():
            return {"event": "node_started", "node": event.node}
        case NodeFinished(usage=used):
            return {
                "event": "node_finished",
                "node": event.node,
                "outcome": event.outcome,
                "tokens": used.tokens,
                "cost": used.known_cost,
                "seconds": round(used.seconds, 3),
            }
        case ModelAnswered(exchange=exchange):
            tokens = exchange.prompt_tokens + exchange.completion_tokens
            return {
                "event": "model_answered",
                "node": event.node,
                "model": exchange.model,
                "tokens": tokens,
                "cost": exchange.cost,
                "seconds": round(exchange.seconds, 3),
            }
        case Verified(verification=found):
            return {
                "event": "verified",
                "tested": event.tested,
                "passed": found.passed,
                "by_tests": found.verified,
            }
        case Advanced(state=state):
            return {"event": "advanced", "node": state.node}
        case RunChanged():
            return {"event": "run_changed", "status": event.status, "detail": event.detail}
    return None


KEEP = 500
"""Messages kept of a run."""

RUNS = 200
"""Runs whose messages are kept; the one silent for longest goes first."""

OVER = frozenset({"ended", "cancelled", "timed_out", "waiting"})
"""After one of these a run says nothing more."""


class Channel:
    """The newest messages of one run; the first one ever has the number 1."""

    def __init__(self, keep: int) -> None:
        self.ring: deque[LiveMessage] = deque(maxlen=keep)
        self.last = 0
        self.state: RunState | None = None
        self.status = ""
        self.closed = False
        self._news = asyncio.Event()

    @property
    def first(self) -> int:
        """The number of the oldest message that is kept."""
        return self.last - len(self.ring) + 1

    @property
    def over(self) -> bool:
        """Nothing more will come, as far as one can know."""
        return self.closed or self.status in OVER

    def add(self, message: LiveMessage) -> None:
        """Keep a message and wake the readers."""
        self.ring.append(message)
        self.last += 1
        self.wake()

    def wake(self) -> None:
        """Let every reader look again."""
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def news(self, seconds: float) -> bool:
        """Wait until there is something new, at most so long; say whether there is."""
        try:
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            return False
        return True

    def after(self, number: int) -> list[LiveMessage]:
        """Return the messages that are newer than ``number``."""
        return list(islice(self.ring, max(0, number + 1 - self.first), None))


class Hub:
    """The ``Events`` port of all watchers; ``mask`` hides secrets in their messages.

    ``tell`` tells the hubs of other processes, which ``hear`` it.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        mask: Callable[[str], str] = str,
        keep: int = KEEP,
        runs: int = RUNS,
        tell: Callable[..., Awaitable[None]] | None = None,
    ) -> None:
        self._tell = tell
        self._clock = clock
        self._mask = mask
        self._keep = keep
        self._runs = runs
        self._channels: OrderedDict[str, Channel] = OrderedDict()
        # each process numbers from 1: a reader of another one must not confuse them
        self._start = secrets.token_hex(4)
        self._closed = False

    async def emit(self, event: Event) -> None:
        """Send an event; never waits for a reader."""
        channel = self._channel(event.run)
        if isinstance(event, Advanced):
            channel.state = event.state
        elif isinstance(event, RunChanged):
            channel.status = event.status
            channel.state = channel.state if event.status == "started" else None
        data = event_data(event, channel.state, self._mask)
        if data is not None:
            self._add(channel, data)
            if self._tell:
                short = {k: v[:_TOLD] if isinstance(v, str) else v for k, v in data.items()}
                status = event.status if isinstance(event, RunChanged) else ""
                with suppress(Outage):  # whoever watches there reloads the page
                    await self._tell(LIVE, run=event.run, data=short, status=status)

    async def hear(self, said: Mapping[str, Any]) -> None:
        """Show what happened in a run that another process works on."""
        channel = self._channel(str(said["run"]))
        channel.status = said["status"] or channel.status
        channel.state = None
        self._add(channel, said["data"])

    def _add(self, channel: Channel, data: Mapping[str, object]) -> None:
        number = f"{self._start}-{channel.last + 1}"
        channel.add(LiveMessage(number, self._clock.now(), data))

    def newest(self, run: str, most: int) -> list[LiveMessage]:
        """Return the newest messages of a run, newest first."""
        channel = self._channels.get(run)
        return list(islice(reversed(channel.ring), most)) if channel else []

    def state(self, run: str) -> RunState | None:
        """Return the state of a run that is at work in this process."""
        channel = self._channels.get(run)
        return channel.state if channel else None

    def status(self, run: str) -> str:
        """Return what the run last reported about itself; '' before its first report."""
        channel = self._channels.get(run)
        return channel.status if channel else ""

    def is_over(self, run: str) -> bool:
        """Say whether the run has spoken its last word."""
        return self.status(run) in OVER

    def has_more(self, run: str, after: str) -> bool:
        """Say whether a reader who has read up to ``after`` has missed anything."""
        channel = self._channels.get(run)
        return channel is not None and self._number(after) < channel.last

    async def follow(
        self, run: str, *, after: str = "", patience: float
    ) -> AsyncIterator[LiveMessage | None]:
        """Yield messages newer than ``after`` (an id; '' for all), None for so long a silence.

        Ends when the run is over, the server stops, or the reader is too slow: a reader who comes
        back with the id of the last message continues there.
        """
        channel, at = self._channel(run), self._number(after)
        at = max(at, channel.first - 1)
        while not self._closed:
            if at < channel.first - 1:
                return
            for message in channel.after(at):
                yield message
                at += 1
                if at < channel.first - 1:
                    return
            if at < channel.last:
                continue
            if channel.over:
                return
            if not await channel.news(patience):
                yield None

    async def close(self) -> None:
        """End every stream; for the server's stop."""
        self._closed = True
        for channel in self._channels.values():
            channel.wake()

    def _channel(self, run: str) -> Channel:
        if run not in self._channels:
            self._channels[run] = Channel(self._keep)
            while len(self._channels) > self._runs:
                _, oldest = self._channels.popitem(last=False)
                oldest.closed = True
                oldest.wake()
        self._channels.move_to_end(run)
        return self._channels[run]

    def _number(self, id: str) -> int:
        start, _, number = id.partition("-")
        known = start == self._start and number.isascii() and number.isdigit() and len(number) < 10
        return int(number) if known else 0
