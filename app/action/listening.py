"""Who listens to the runs of a workflow run: what they did, and when it is worth keeping."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from runner.errors import Outage, TaskError
from runner.events import Advanced, Event, NodeFinished
from runner.state import RunState

log = logging.getLogger(__name__)

_WORTH = frozenset({"checkpoint", "propose_recovery", "apply_recovery"})


class Heard:
    """The runs that did anything, in order, each with the newest state that is known."""

    def __init__(self) -> None:
        self.runs: dict[str, RunState | None] = {}

    async def emit(self, event: Event) -> None:
        """Take in what happened."""
        known = self.runs.get(event.run)
        self.runs[event.run] = event.state if isinstance(event, Advanced) else known


class Keeper:
    """Saves after every checkpoint and proposal, beside the run, so that a killed job loses little.

    Used with ``async with``. A save that fails is told and tried again with the next.
    """

    def __init__(self, save: Callable[[], Awaitable[None]]) -> None:
        self._save = save
        self._due = False
        self._wanted = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None

    async def __aenter__(self) -> None:
        self._worker = asyncio.create_task(self._work())

    async def __aexit__(self, *error: object) -> None:
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)

    async def emit(self, event: Event) -> None:
        """A node that is worth keeping is kept as soon as its row is saved."""
        if isinstance(event, NodeFinished) and event.node in _WORTH:
            self._due = True
        elif isinstance(event, Advanced) and self._due:
            self._due = False
            self._wanted.set()

    async def _work(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            try:
                await self._save()
            except (Outage, TaskError) as error:
                log.warning("The state was not kept: %s", error.message)
