"""A queue on a real database, and an engine that only keeps what it is handed."""

from __future__ import annotations

import sqlalchemy as sa

from app.store.line import WaitingLine
from app.store.queue import Queue
from app.store.runs import StoredRuns
from app.store.schema import wakeups as table
from app.store.wakeups import Wakeups
from runner.errors import Outage
from tests.app.store.test_runs import asked


class Sent:
    """An engine that keeps what it was handed; ``fails`` makes it refuse."""

    def __init__(self):
        self.wakeups = []
        self.fails = False

    def enqueue(self, connection, wakeup):
        assert connection.in_transaction()
        if self.fails:
            raise Outage("engine", "the disk is full")
        self.wakeups.append(wakeup)


class Bench:
    """A queue on a real database, and what it sent."""

    def __init__(self, store, clock, *, at_once):
        self.sent = Sent()
        self.store, self.clock = store, clock
        self.wakeups = Wakeups(clock, self.sent.enqueue, at_once=at_once)
        self.queue = Queue(store, clock, self.wakeups)
        self.runs = StoredRuns(store, clock)

    async def start(self, *ids, **changes):
        """Start runs, a second after each other; each has a repository of its own unless told."""
        for id in ids:
            self.clock.forward(1)
            own = {"repository_id": sum(map(ord, id))} | changes
            assert await self.queue.start(asked(id, **own))

    async def end(self, run, status="ended", **named):
        """Settle the open wakeup of a run."""
        self.clock.forward(1)
        await self.queue.settle(await self.order_of(run), run, status, **named)

    async def order_of(self, run):
        """The open wakeup of a run."""
        query = sa.select(table.c.id).where(table.c.run == run, table.c.status != "done")
        return await self.store.value(query)

    async def status(self, run):
        return (await self.runs.get(run)).status

    async def position(self, run):
        place, _ = (await WaitingLine(self.store).places([run])).get(run, (0, None))
        return place

    async def wake(self, run):
        await self.store.write(lambda connection: self.wakeups.wake(connection, run))
