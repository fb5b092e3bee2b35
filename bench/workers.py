"""Several workers on one PostgreSQL: what each adds, and how soon a dead one's runs go on.

The nodes of a run wait a tenth of a second, as if for a model; each worker has two slots.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import sqlalchemy as sa

from app.jobs.engine import Engine
from app.jobs.member import DEAD_AFTER, ClusterMember, Duty
from app.jobs.worker import RUNS, Outcome, Segment, Worker
from app.store.database import Store, open_store
from app.store.queue import Queue
from app.store.schema import runs, wakeups
from app.store.wakeups import Wakeups
from bench.finding import Finding, Line, Unmeasured
from bench.run_requests import run_request
from bench.served import processor_seconds
from runner.ports import SystemClock
from runner.state.options import Request
from runner.state.run_state import RunState
from tests.fake_github import WallClock
from tests.postgresql import is_installed, postgresql
from tests.scenarios.bot import conversation
from tests.scenarios.process import serving, working
from tests.scenarios.projects import notes

_RUNS, _NODES, _SLOTS, _NODE = 24, 10, 2, 0.1
_GOALS = {2: 1.8, 3: 2.5}
_IDLE, _QUIET, _SECONDS = 1.5, 3.0, 20.0


async def measure(folder: Path) -> AsyncIterator[Line]:
    """Work off the same runs with one, two and three workers; kill one of two; let one idle."""
    if not is_installed():
        yield Unmeasured("workers on one PostgreSQL", "PostgreSQL is not installed")
        return
    with postgresql("") as cluster:
        alone = 0.0
        for number in (1, 2, 3):
            seconds = await _worked_off(cluster.database(), number)
            rate = _RUNS * _NODES / seconds
            alone = alone or rate
            goal = _GOALS.get(number)
            yield Finding(
                what=f"nodes with {number} workers, against one",
                value=rate / alone,
                unit="times",
                goal=f">= {goal}" if goal else "",
                ok=rate / alone >= goal if goal else None,
            )
        found = await _recovered(cluster.database())
        most = DEAD_AFTER + 2
        yield Finding(
            what="from a kill to the next node elsewhere",
            value=found,
            unit="s",
            goal=f"<= {most:g}",
            ok=found <= most,
        )
        idle = 100 * await _idle(folder, cluster.database())
        yield Finding(
            what="cairn worker, idle",
            value=idle,
            unit="% of a core",
            goal=f"<= {_IDLE:g} %",
            ok=idle <= _IDLE,
        )


async def _idle(folder: Path, url: str) -> float:
    """The share of a core that a worker takes while there is nothing to do."""
    talk = conversation(folder / "idle", notes(""), WallClock(), DATABASE_URL=url)
    async with talk as bot, serving(bot), working(bot, folder=folder / "worker") as worker:
        await asyncio.sleep(_QUIET)
        used, began = processor_seconds(worker.process.pid), perf_counter()
        await asyncio.sleep(_SECONDS)
        return (processor_seconds(worker.process.pid) - used) / (perf_counter() - began)


async def _worked_off(url: str, number: int) -> float:
    async with AsyncExitStack() as stack:
        bench = await stack.enter_async_context(_bench(url))
        for _ in range(number):
            await stack.enter_async_context(_process(url))
        began = perf_counter()
        for each in range(_RUNS):
            await bench.ask(each)
        while await bench.left():  # noqa: ASYNC110 - another's work
            await asyncio.sleep(0.05)
        return perf_counter() - began


async def _recovered(url: str) -> float:
    """Kill one of two workers with a run each; seconds until the other takes it up."""
    async with _bench(url) as bench, _process(url) as one, _process(url):
        for each in range(2 * _SLOTS):
            await bench.ask(each)
        while len(before := await bench.holders()) < 2 * _SLOTS:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.02)
        one.kill()
        killed = perf_counter()
        while await bench.holders() == before:  # noqa: ASYNC110 - another's work
            await asyncio.sleep(0.02)
        return perf_counter() - killed


@dataclass
class _Bench:
    """What only asks for runs."""

    store: Store
    queue: Queue

    async def ask(self, number: int) -> None:
        """Ask for a run in a repository of its own."""
        await self.queue.start(run_request(f"r{number}", repository_id=number + 1))

    async def left(self) -> int:
        """How many runs have not ended."""
        query = sa.select(sa.func.count()).select_from(runs).where(runs.c.status != "ended")
        return int(await self.store.value(query) or 0)

    async def holders(self) -> dict[str, str]:
        """Which worker works, or worked last, on which wakeup."""
        query = sa.select(wakeups.c.id, wakeups.c.worker).where(wakeups.c.worker.is_not(None))
        return {id: worker for id, worker in await self.store.rows(query)}


@asynccontextmanager
async def _bench(url: str) -> AsyncIterator[_Bench]:
    store, engine = await open_store(url), Engine(url, executor="bench", slots=1, works=False)
    await engine.start(_nothing)
    try:
        wakeups = Wakeups(SystemClock(), engine.enqueue, at_once=None, worker="bench")
        yield _Bench(store, Queue(store, SystemClock(), wakeups))
    finally:
        await engine.stop()
        await store.close()


@asynccontextmanager
async def _process(url: str) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.workers", url),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert process.stdout is not None
    await process.stdout.readline()
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _nothing(wakeup: str) -> bool:
    raise AssertionError(f"nobody works on {wakeup} here")


async def _work(url: str) -> None:
    """Work as a process of its own, until it is killed."""
    store, clock = await open_store(url), SystemClock()
    member = ClusterMember(store, url, slots=_SLOTS, outdated=lambda: None)
    engine = Engine(url, executor=member.id, slots=_SLOTS)
    queue = Queue(store, clock, Wakeups(clock, engine.enqueue, at_once=None, worker=member.id))

    async def segment(run: str) -> Segment:
        for _ in range(_NODES):
            await asyncio.sleep(_NODE)
            yield RunState(Request(run))
        yield Outcome("ended")

    async def lost(wakeups: list[str]) -> list[str]:
        return await engine.lost(wakeups, await member.living())

    async def bury() -> None:
        await engine.recover(await member.living())

    worker = Worker(queue, segment, lost=lost, clock=clock, pass_on=member.pass_on)
    member.bury = bury
    await member.join()
    await engine.start(worker.step)
    await member.begin(Duty(worker.start, worker.keep_no_time, RUNS, worker.look))
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_work(sys.argv[1]))
