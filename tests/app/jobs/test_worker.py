"""The worker: one node at a time, and each segment's end stored, however it ends."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http import HTTPStatus

import pytest
from gidgethub import BadRequest

from app.jobs.worker import DATABASE_AGAIN, SOONEST, Outcome, Worker
from app.store.database import open_store
from app.store.queue import Queue
from runner.errors import Outage
from runner.loop.journal import BORDER
from tests.app.store.bench import Bench
from tests.app.store.conftest import HandClock
from tests.app.store.test_runs import REQUEST
from tests.runner.states import run_state

NODE = replace(run_state(), node="plan_task", current="t1")
BETWEEN = replace(run_state(), node=BORDER, current="t1")
BEFORE_ALL = replace(run_state(), node=BORDER, current="")
FAR = datetime(2100, 1, 1, tzinfo=UTC)
ENDED = Outcome("ended", "all done")


class Segments:
    """Segments as told: what each run yields, or raises, in turn."""

    def __init__(self):
        self.scripts = {}
        self.begun, self.closed = [], []

    def says(self, run, *steps):
        self.scripts[run] = list(steps)

    def begin(self, run):
        self.begun.append(run)
        return self._segment(run)

    async def _segment(self, run):
        try:
            for step in self.scripts[run]:
                if isinstance(step, Exception):
                    raise step
                yield step
        finally:
            self.closed.append(run)


class Rests:
    """Waits that end when the test says so; ``all`` has how long each was to be."""

    def __init__(self):
        self.all = []
        self.waits = asyncio.Event()
        self.over = asyncio.Event()

    async def rest(self, seconds):
        self.all.append(seconds)
        self.waits.set()
        await self.over.wait()


class Flaky(Queue):
    """A queue whose database is away for the next ``away`` calls that write."""

    away = 0

    async def settle(self, *values, **named):
        if self.away:
            self.away -= 1
            raise Outage("database", "the disk is full")
        await super().settle(*values, **named)


class Desk(Bench):
    """A worker with one place on a real database."""

    def __init__(self, store, clock):
        super().__init__(store, clock, at_once=1)
        self.queue = Flaky(store, clock, self.wakeups)
        self.segments, self.rests = Segments(), Rests()
        self.bugs, self.lost = [], []
        self.worker = Worker(
            self.queue,
            self.segments.begin,
            lost=self.which_are_lost,
            clock=clock,
            rest=self.rests.rest,
            on_bug=self.bugs.append,
        )

    async def which_are_lost(self, wakeups):
        return [wakeup for wakeup in wakeups if wakeup in self.lost]

    async def run(self, run, *steps):
        """Start a run that goes like this; what its wakeup's steps said."""
        self.segments.says(run, *steps)
        await self.start(run)
        return await self.work(f"{run}-0")

    async def work(self, wakeup):
        """Take steps of a wakeup to its end, as the engine does."""
        said = [await self.worker.step(wakeup)]
        while said[-1]:
            said.append(await self.worker.step(wakeup))
        return said


@pytest.fixture
async def desk(tmp_path):
    store = await open_store(f"sqlite:///{tmp_path}/cairn.db")
    desk = Desk(store, HandClock())
    yield desk
    await desk.worker.stop()
    await store.close()


async def test_a_segment(desk):
    """A step is a node; the last one stores how the run ended, and the segment begins once."""
    result = {"tasks": [{"name": "t1"}]}
    said = await desk.run("a", NODE, NODE, replace(ENDED, result=result))
    run = await desk.runs.get("a")

    assert said == [True, True, False]
    assert (run.status, run.reason, run.result) == ("ended", "all done", result)
    assert (desk.segments.begun, desk.segments.closed) == (["a"], ["a"])


async def test_a_settled_order(desk):
    """A step of a wakeup that is settled or unknown is the last at once, and nothing begins."""
    await desk.run("a", ENDED)

    assert not await desk.worker.step("a-0")
    assert not await desk.worker.step("unknown")
    assert desk.segments.begun == ["a"]


async def test_segments_side_by_side(desk):
    """Steps of two wakeups are taken in any order, each of its own segment."""
    desk.segments.says("a", NODE, ENDED)
    desk.segments.says("b", NODE, NODE, ENDED)
    await desk.start("a", "b")
    await desk.queue.set_status("b", "cancelling", allowed=["queued"])
    said = [await desk.worker.step(wakeup) for wakeup in ("a-0", "b-0", "a-0", "b-0", "b-0")]

    assert said == [True, True, False, True, False]


async def test_a_bug(desk):
    """A bug pauses its run, is told, and stops nobody else."""
    bug = KeyError("oh")
    said = await desk.run("a", NODE, bug)

    assert said == [True, False]
    assert await desk.status("a") == "paused"
    assert desk.bugs == [bug]
    assert await desk.run("b", ENDED) == [False]


async def test_a_segment_without_an_end(desk):
    """A segment that ends without saying how is a bug, and its run paused."""
    await desk.run("a", NODE)

    assert await desk.status("a") == "paused"
    assert len(desk.bugs) == 1


@pytest.mark.parametrize("trouble", [Outage("github", "away"), BadRequest(HTTPStatus.CONFLICT)])
async def test_trouble_outside(desk, trouble):
    """What fails outside pauses the run for the reason it has, and is no bug."""
    await desk.run("a", trouble)
    run = await desk.runs.get("a")

    assert (run.status, run.until, desk.bugs) == ("paused", None, [])
    assert run.reason


@pytest.mark.parametrize(
    ("promised", "rests"), [(timedelta(seconds=1), SOONEST), (2 * SOONEST, 2 * SOONEST)]
)
async def test_how_long_a_run_rests(desk, promised, rests):
    """A run rests as long as was promised, and never less than it takes to be worth it."""
    began = desk.clock.now()
    desk.segments.says("a", Outage("github", "rate limit", until=began + promised))
    assert await desk.queue.start(replace(REQUEST, id="a"))
    await desk.work("a-0")

    assert (await desk.runs.get("a")).until == began + rests


async def test_a_database_that_was_away_is_tried_again_soon(desk):
    """A run that it stopped continues in seconds, not at the next start or in minutes."""
    await desk.run("a", Outage("database", "the server closed the connection"))

    assert (await desk.runs.get("a")).until == desk.clock.now() + DATABASE_AGAIN


async def test_a_database_that_stops_a_run_again_and_again_is_tried_less_often(desk):
    """Each wait in a row is twice the last, to a limit; another end of a segment begins anew."""
    full, away = Outage("database", "the disk is full"), Outage("github", "away", until=FAR)
    await desk.start("a")
    waits = []
    for turn, ends in enumerate([full] * 8 + [away, full]):
        desk.segments.says("a", ends)
        await desk.work(f"a-{turn}")
        until = (await desk.runs.get("a")).until
        waits.append(until - desk.clock.now())
        desk.clock.time = until
        await desk.worker.look()

    assert [wait.total_seconds() for wait in waits[:8]] == [5, 10, 20, 40, 80, 160, 300, 300]
    assert waits[9] == DATABASE_AGAIN


async def test_a_run_goes_on_when_its_time_comes(desk):
    """A run that rests is woken by the timer, and the wait for it is as long as it rests."""
    until = desk.clock.now() + timedelta(hours=1)
    await desk.run("a", Outage("github", "rate limit", until=until))
    await desk.rests.waits.wait()
    left = (until - desk.clock.now()).total_seconds()
    await desk.worker.idle()
    desk.clock.time = until
    desk.rests.over.set()
    await asyncio.wait_for(woken(desk, "a-1"), 60)

    assert desk.rests.all == [left]
    assert await desk.status("a") == "running"


async def woken(desk, wakeup):
    """Wait until a wakeup was sent, and the transaction that sends it is done."""
    while wakeup not in await desk.queue.sent():
        await desk.queue.is_quiet()


async def test_the_database_is_away(desk):
    """How a run ended is stored when the database is back, however long that takes."""
    desk.queue.away = 3
    desk.rests.over.set()
    said = await desk.run("a", ENDED)

    assert said == [False]
    assert await desk.status("a") == "ended"
    assert len(desk.rests.all) == 3
    assert desk.rests.all == sorted(desk.rests.all)


async def test_nothing_is_tried_again_after_a_stop(desk):
    """A worker that stops while the database is away tries a last time and gives up."""
    desk.queue.away = 1000
    trying = asyncio.create_task(desk.run("a", ENDED))
    await desk.rests.waits.wait()
    await desk.worker.stop()

    with pytest.raises(Outage):
        await asyncio.wait_for(trying, 60)
    assert desk.queue.away == 998
    assert await desk.queue.open_run("a-0") == "a"


async def test_idle(desk):
    """It is idle when no run works and none can start, not before."""
    await desk.worker.start()
    await asyncio.wait_for(desk.worker.idle(), 60)
    desk.segments.says("a", ENDED)
    await desk.start("a")
    await desk.worker.look()
    idle = asyncio.create_task(desk.worker.idle())
    await desk.queue.is_quiet()
    assert not idle.done()
    await desk.work("a-0")

    await asyncio.wait_for(idle, 60)


async def test_give_way_between_tasks(desk):
    """Between two tasks a run gives its place to one that waits, and begins again after it."""
    desk.segments.says("a", NODE, BETWEEN, ENDED)
    desk.segments.says("b", ENDED)
    await desk.start("a", "b")

    assert await desk.work("a-0") == [True, False]
    assert desk.segments.closed == ["a"]
    assert await desk.work("b-0") == [False]
    assert desk.sent.wakeups == ["a-0", "b-0", "a-1"]


@pytest.mark.parametrize("state", [NODE, BEFORE_ALL])
async def test_no_way_is_given_elsewhere(desk, state):
    """In the midst of a task, and before the first, a run keeps its place."""
    desk.segments.says("a", state, ENDED)
    await desk.start("a", "b")

    assert await desk.work("a-0") == [True, False]


async def test_no_way_is_given_to_nobody(desk):
    """A run that nobody waits behind goes on with its segment."""
    assert await desk.run("a", BETWEEN, BETWEEN, ENDED) == [True, True, False]
    assert desk.segments.begun == ["a"]


@pytest.mark.parametrize(("told", "status"), [(True, "cancelling"), (False, "cancelled")])
async def test_a_request_to_cancel_outlives_a_pause(desk, told, status):
    """A run to cancel that paused is tried again soon, unless nobody could be told of it."""
    desk.segments.says("a", Outcome("paused", "GitHub is away", reported=told))
    await desk.start("a")
    await desk.queue.set_status("a", "cancelling", allowed=["running"])
    soonest = desk.clock.now() + SOONEST
    await desk.work("a-0")
    run = await desk.runs.get("a")

    assert run.status == status
    assert run.until == (soonest if told else None)


async def test_start_takes_up_what_was_lost(desk):
    """At start a wakeup that the engine does not know is given anew, others are let be."""
    await desk.start("a", "b")
    await desk.worker.start()
    assert desk.sent.wakeups == ["a-0"]
    desk.lost = ["a-0"]
    await desk.worker.start()

    assert "a-0" not in await desk.queue.sent()
    assert len(desk.sent.wakeups) == 2


async def test_stop(desk):
    """Stopping closes the segments at work; their wakeups stay and nothing is settled."""
    desk.segments.says("a", NODE, ENDED)
    await desk.start("a")
    await desk.worker.step("a-0")
    await desk.worker.stop()

    assert desk.segments.closed == ["a"]
    assert await desk.queue.open_run("a-0") == "a"
    assert await desk.status("a") == "running"
