"""An engine without DBOS: what conversations need of one, on SQLite and within one process.

It keeps the promises that ``tests/app/jobs/test_engine.py`` asks of both. Those that are about
kills, about PostgreSQL and about servers that are processes of their own are kept by DBOS, and
tested with it.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Collection
from contextlib import closing
from typing import TextIO

import sqlalchemy as sa
from sqlalchemy.engine import Connection, make_url

from app.jobs.engine import claim
from runner.errors import Outage

TABLE = "CREATE TABLE IF NOT EXISTS in_process (wakeup TEXT PRIMARY KEY, ended INTEGER DEFAULT 0)"


class InProcessEngine:
    """Runs the segment of each wakeup whose transaction was committed, and again after a stop."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._claim: TextIO | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._step: Callable[[str], Awaitable[bool]] | None = None
        self._segments: dict[str, asyncio.Task[None]] = {}
        self._looks: set[asyncio.Task[None]] = set()
        self._ends: set[asyncio.Task[None]] = set()

    async def start(self, step: Callable[[str], Awaitable[bool]]) -> None:
        """Take the database and work on what is there and on what comes."""
        self._claim = await asyncio.to_thread(claim, self._url)
        await self._sql(TABLE)
        self._loop = asyncio.get_running_loop()
        self._step = step
        await self._look()

    async def check(self) -> None:
        """Raise ``Outage`` unless it works on segments."""
        if self._step is None:
            raise Outage("engine", "The engine is not running: the server is starting or stopping.")

    def enqueue(self, connection: Connection, wakeup: str) -> None:
        """Enqueue a wakeup inside the caller's transaction; twice is once."""
        insert = "INSERT OR IGNORE INTO in_process (wakeup) VALUES (:wakeup)"
        connection.execute(sa.text(insert), {"wakeup": wakeup})
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._look_soon)

    enqueue_stop = enqueue

    async def recover(self, living: Collection[str]) -> int:
        """There is no other process."""
        return 0

    async def lost(self, wakeups: Collection[str], living: object = None) -> list[str]:
        """Return the wakeups that will never be worked on."""
        return sorted(set(wakeups) - await self._waiting())

    async def stop(self) -> None:
        """Stop at once; what was at work continues at the next start."""
        self._step = None
        cut = [*self._looks, *self._segments.values()]
        for task in cut:
            task.cancel()
        await asyncio.gather(*cut, return_exceptions=True)
        await asyncio.gather(*self._ends)
        if self._claim:
            self._claim.close()

    def _look_soon(self) -> None:
        look = asyncio.get_running_loop().create_task(self._look())
        self._looks.add(look)
        look.add_done_callback(self._looks.discard)

    async def _look(self) -> None:
        for wakeup in await self._waiting() - self._segments.keys():
            self._segments[wakeup] = asyncio.create_task(self._segment(wakeup))

    async def _segment(self, wakeup: str) -> None:
        try:
            while self._step and await self._step(wakeup):
                pass
        except asyncio.CancelledError:
            return
        self._ends.add(asyncio.create_task(self._ended(wakeup)))

    async def _ended(self, wakeup: str) -> None:
        await self._sql("UPDATE in_process SET ended = 1 WHERE wakeup = ?", wakeup)

    async def _waiting(self) -> set[str]:
        return {row[0] for row in await self._sql("SELECT wakeup FROM in_process WHERE NOT ended")}

    async def _sql(self, statement: str, *values: str) -> list[tuple[str, ...]]:
        """Run a statement once no other transaction is under way: none is seen half."""

        def run() -> list[tuple[str, ...]]:
            file = make_url(self._url).database or ""
            with closing(sqlite3.connect(file, timeout=60, isolation_level=None)) as connection:
                connection.execute("BEGIN IMMEDIATE")
                rows = connection.execute(statement, values).fetchall()
                connection.execute("COMMIT")
                return rows

        return await asyncio.to_thread(run)
