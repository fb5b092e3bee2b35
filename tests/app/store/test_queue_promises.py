"""What the queue promises, whatever happens in whatever order."""

from __future__ import annotations

import asyncio
import tempfile
from datetime import timedelta

import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.store.database import open_store
from app.store.schema import runs, wakeups
from tests.app.store.bench import Bench
from tests.app.store.conftest import HandClock


class Machine:
    """A few runs of two repositories to which things happen, with the promises checked after."""

    def __init__(self, store, clock, at_once):
        self.bench = Bench(store, clock, at_once=at_once)
        self.at_once = at_once
        self.names = []

    async def start(self, pick):
        name = f"r{len(self.names)}"
        self.names.append(name)
        place = {"repository_id": pick % 2, "roadmap": f"{pick % 3}.md", "priority": pick % 4 // 3}
        await self.bench.start(name, **place)

    async def settle(self, pick, status, **named):
        sent = await self.bench.queue.sent()
        if sent:
            wakeup = sent[pick % len(sent)]
            run = await self.bench.queue.open_run(wakeup)
            await self.bench.queue.settle(wakeup, run, status, **named)

    async def give_way(self, pick):
        sent = await self.bench.queue.sent()
        if sent:
            wakeup = sent[pick % len(sent)]
            await self.bench.queue.give_way(wakeup, await self.bench.queue.open_run(wakeup))

    async def asked(self, pick, status, allowed):
        if self.names:
            name = self.names[pick % len(self.names)]
            await self.bench.queue.set_status(name, status, allowed=allowed, reason="by bob")

    async def act(self, what, pick):
        self.bench.clock.forward(1)
        later = self.bench.clock.now() + timedelta(seconds=3)
        match what:
            case "start":
                await self.start(pick)
            case "end":
                await self.settle(pick, "ended")
            case "outage":
                await self.settle(pick, "paused", until=later, cancel_at=later)
            case "give way":
                await self.give_way(pick)
            case "cancel":
                await self.asked(pick, "cancelling", ["queued", "paused", "running", "pausing"])
            case "pause":
                await self.asked(pick, "pausing", ["queued", "running"])
            case "resume":
                await self.asked(pick, "queued", ["paused"])
            case "due":
                await self.bench.queue.due()
            case "crash":
                await self.bench.queue.take_up(await self.bench.queue.sent())

    async def check(self):
        query = sa.select(
            wakeups.c.run,
            wakeups.c.status,
            runs.c.status.label("wants"),
            runs.c.repository_id,
            runs.c.roadmap,
        ).join(runs, runs.c.id == wakeups.c.run)
        found = await self.bench.store.rows(query.where(wakeups.c.status != "done"))
        working = sa.select(runs.c.id, runs.c.repository_id, runs.c.roadmap).where(
            runs.c.status.in_(("running", "pausing", "cancelling")), runs.c.until.is_(None)
        )
        held = {(row.repository_id, row.roadmap): set() for row in found}
        for id, *stack in await self.bench.store.rows(working):
            held.setdefault(tuple(stack), set()).add(id)
        self.promises(found, held)

    def promises(self, found, held):
        stopping = ("cancelling", "pausing")
        sent = [row for row in found if row.status == "sent"]
        full = [row for row in sent if row.wants not in stopping]
        stacks = [(row.repository_id, row.roadmap) for row in full]
        waiting = [row for row in found if row.status == "waiting"]
        assert len(full) <= self.at_once
        assert len(set(stacks)) == len(stacks), "two runs of a stack work"
        assert all(row.wants not in stopping for row in waiting), "who is to stop is not told"
        free = [r for r in waiting if held[r.repository_id, r.roadmap] <= {r.run}]
        assert not free or len(sent) >= self.at_once, "a place is free"
        assert len({row.run for row in found}) == len(found), "two wakeups of a run"

    async def finish(self):
        """Let everything that may work end; nothing may be left that nobody wakes."""
        while await self.bench.queue.sent():
            await self.settle(0, "ended")
            await self.check()
        assert await self.bench.queue.is_quiet()


WHAT = ["start", "end", "outage", "give way", "cancel", "pause", "resume", "due", "crash"]
ACTS = st.lists(st.tuples(st.sampled_from([*WHAT, "start", "end"]), st.integers(0, 11)))


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(acts=ACTS, at_once=st.integers(1, 3))
def test_whatever_happens(acts, at_once):
    """Limits hold, a stack has one working run, and no wakeup waits while it could be worked."""

    async def happen():
        with tempfile.TemporaryDirectory() as folder:
            store = await open_store(f"sqlite:///{folder}/cairn.db")
            try:
                machine = Machine(store, HandClock(), at_once)
                for what, pick in acts:
                    await machine.act(what, pick)
                    await machine.check()
                await machine.finish()
            finally:
                await store.close()

    asyncio.run(happen())
