"""Engines on a used database, steps for them, and waiting for what they do."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from dbos import DBOS

from app.jobs.engine import Engine
from app.jobs.worker import SegmentEngine
from app.store.database import Store

Step = Callable[[str], Awaitable[bool]]


class Steps:
    """Steps that count themselves; a wakeup takes as many as ``says`` has True for, and one."""

    def __init__(self, *says: bool) -> None:
        self._says = list(says)
        self.taken: list[str] = []
        self.done = asyncio.Event()

    async def take(self, wakeup: str) -> bool:
        self.taken.append(wakeup)
        more = bool(self._says) and self._says.pop(0)
        if not more:
            self.done.set()
        return more


class Stuck:
    """A step that begins and never ends."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()

    async def take(self, wakeup: str) -> bool:
        self.begun.set()
        await asyncio.Event().wait()
        return False


class Data:
    """A used database, and engines of one make on it, one after the other."""

    def __init__(
        self, folder: Path, store: Store, make: Callable[[str], SegmentEngine] = Engine
    ) -> None:
        self.file = folder / "cairn.db"
        self.store = store
        self._make = make

    @asynccontextmanager
    async def engine(self, step: Step) -> AsyncIterator[SegmentEngine]:
        engine = self._make(f"sqlite:///{self.file}")
        await engine.start(step)
        try:
            yield engine
        finally:
            await engine.stop()

    async def enqueue(self, engine: SegmentEngine, *wakeups: str) -> None:
        await self.store.write(lambda here: [engine.enqueue(here, each) for each in wakeups])

    def rows(self, query: str) -> list[tuple[object, ...]]:
        connection = sqlite3.connect(self.file)
        try:
            with connection:
                return connection.execute(query).fetchall()
        finally:
            connection.close()


async def worked(event: asyncio.Event) -> None:
    """Wait for what the engine does."""
    await asyncio.wait_for(event.wait(), 60)


async def ended(engine: SegmentEngine, wakeup: str) -> None:
    """Wait until an engine knows that a wakeup came to its end."""
    async with asyncio.timeout(60):
        while not await engine.lost([wakeup]):
            pass


async def recorded(wakeup: str) -> None:
    """Wait until the engine wrote down that a wakeup came to its end."""
    handle = await DBOS.retrieve_workflow_async(wakeup)
    await asyncio.wait_for(handle.get_result(polling_interval_sec=0.02), 60)
