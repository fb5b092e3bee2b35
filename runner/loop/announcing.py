"""Tell the operator's own systems what happens: a listener that can harm nothing.

What a state tells is told again when a process takes the run up, so that a death in between loses
none of it; whoever keeps the events drops those that it has.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from runner.errors import PortError
from runner.ports import Clock
from runner.state.events import Advanced, Event, RunRecalled, happened
from runner.state.outward import OUTWARD, OutwardEvent, lasting_id, outward

log = logging.getLogger(__name__)

_MOST_HELD: Final = 1_000
"""Events of one run that wait here while they cannot be kept; the oldest go first."""


class EventSink(Protocol):
    """Where events are kept until they are delivered."""

    async def put(self, events: Sequence[OutwardEvent]) -> None:
        """Keep events, in order; one that is there already is not kept twice.

        Raises ``Outage``.
        """


class _Kept:
    """Hands events to a sink in order; what it does not take waits here for the next ones."""

    def __init__(self, sink: EventSink) -> None:
        self._sink = sink
        self._held: list[OutwardEvent] = []
        self._reported = False
        self._turn = asyncio.Lock()

    async def put(self, events: Sequence[OutwardEvent]) -> None:
        self._held += events
        async with self._turn:  # tasks that work side by side must not overtake each other
            events, self._held = self._held, []
            if not events:
                return
            try:
                await self._sink.put(events)
                self._reported = False
            except PortError as error:
                self._held = [*events, *self._held][-_MOST_HELD:]
                if not self._reported:
                    self._reported = True
                    log.warning("Events for your own systems are waiting: %s", error.message)


class Announcer:
    """The ``Events`` port of the operator's own systems, for one run or for what belongs to none.

    The run never waits for a receiver: each sink only keeps what is sent later.
    """

    def __init__(
        self,
        sinks: Sequence[EventSink],
        repository: str,
        clock: Clock,
        *,
        mask: Callable[[str], str],
    ) -> None:
        self._kept = [_Kept(sink) for sink in sinks]
        self._repository = repository
        self._clock = clock
        self._mask = mask
        self._names: dict[str, str] = {}

    async def emit(self, event: Event) -> None:
        """Keep what the event says to others."""
        if isinstance(event, RunRecalled | Advanced):
            tasks = (*event.state.replaced.tasks, *event.state.tasks)
            self._names = {task.key: task.name for task in tasks}
        told = happened(None, event.state) if isinstance(event, RunRecalled) else (event,)
        made = [
            outward(
                each,
                id=lasting_id(each, self._repository) or secrets.token_hex(16),
                at=self._clock.now().isoformat(timespec="milliseconds"),
                repository=self._repository,
                task=self._names.get(each.task, each.task),
                mask=self._mask,
            )
            for each in told
            if isinstance(each, OUTWARD)
        ]
        for kept in self._kept if made else ():
            await kept.put(made)
