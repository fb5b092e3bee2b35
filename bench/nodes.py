"""Nodes a second through the server's engine: DBOS, the queue and the journal in the database.

The nodes do nothing, so what is left is what each of them costs. Beside it the steps a second that
DBOS itself makes, when nothing of ours is done in them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import sqlalchemy as sa

from app.jobs.engine import Engine
from app.jobs.worker import Outcome, Segment, Worker
from app.store.database import Store, open_store
from app.store.queue import Queue
from app.store.runs import StoredAnswers, StoredJournal, StoredRuns
from app.store.schema import journal
from app.store.wakeups import Wakeups
from bench.finding import Finding, Line, Peer
from bench.run_requests import run_request
from runner.loop.deps import Deps, TaskWork
from runner.loop.driver import Node, driving
from runner.loop.task_pool import Ended
from runner.ports import Fanout, SystemClock
from runner.roadmap.parse import parse_roadmap
from runner.state.options import Options, Request, Scope
from runner.state.run_state import RunState, Step
from tests.runner.memory_repository import START, MemoryRepository
from tests.runner.recording_box import RecordingSandbox
from tests.runner.scripted import ScriptedModel, deps
from tests.runner.scripted_nodes import ScriptedNodes
from tests.scenarios.template import used_database

_TASKS, _STEPS = 40, 300
_ROADMAP = "".join(f"- [ ] 1.{n} Write `note{n}.md`\n" for n in range(_TASKS)).encode()


async def measure(folder: Path) -> AsyncIterator[Line]:
    """One run of many tasks, and one workflow of as many empty steps."""
    url = f"sqlite:///{folder}/cairn.db"
    await used_database(folder)
    store = await open_store(url)
    async with _working(store, url) as line:
        await line.queue.start(run_request("r1"))
        await line.worker.look()
        await asyncio.wait_for(line.worker.idle(), timeout=60)
        seconds = perf_counter() - line.began
        await _over(line.engine, "r1-0")
    assert line.nodes == 3 + 8 * _TASKS, line.nodes
    rows = await store.value(sa.select(sa.func.count()).select_from(journal))
    empty = await _empty_steps(store, url)
    await store.close()
    yield Finding(
        what=f"nodes through the engine ({line.nodes} nodes, {rows} rows)",
        value=line.nodes / seconds,
        unit="/s",
        peer=Peer(what="empty steps of DBOS", value=empty),
    )


async def _empty_steps(store: Store, url: str) -> float:
    """Steps a second of the engine alone."""
    times: list[float] = []
    done = asyncio.Event()

    async def step(_wakeup: str) -> bool:
        times.append(perf_counter())
        if len(times) == _STEPS:
            done.set()
        return len(times) < _STEPS

    engine = Engine(url)
    await engine.start(step)
    await store.write(lambda connection: engine.enqueue(connection, "empty"))
    await asyncio.wait_for(done.wait(), timeout=60)
    await _over(engine, "empty")
    await engine.stop()
    return (len(times) - 1) / (times[-1] - times[0])


async def _over(engine: Engine, wakeup: str) -> None:
    """Wait until the engine has written down the end of a wakeup, so that it can stop quietly."""
    async with asyncio.timeout(10):
        while not await engine.lost([wakeup]):  # noqa: ASYNC110 - only its table knows
            await asyncio.sleep(0.01)


@dataclass
class _Line:
    """The engine with what feeds it; ``nodes`` counts what was saved since ``began``."""

    engine: Engine
    queue: Queue
    worker: Worker
    nodes: int = 0
    began: float = 0.0


@asynccontextmanager
async def _working(store: Store, url: str) -> AsyncIterator[_Line]:
    """Put queue, engine and worker together as the server does."""
    clock = SystemClock()
    engine = Engine(url)
    queue = Queue(store, clock, Wakeups(clock, engine.enqueue, at_once=2))

    async def segment(run: str) -> Segment:
        line.began = line.began or perf_counter()
        async with aclosing(driving(_request(run), _NODES, _deps(store))) as steps:
            async for step in steps:
                line.nodes += isinstance(step, RunState)
                yield Outcome("ended") if isinstance(step, Ended) else step

    worker = Worker(queue, segment, lost=engine.lost, clock=clock)
    line = _Line(engine, queue, worker)
    await engine.start(worker.step)
    await worker.start()
    try:
        yield line
    finally:
        await engine.stop()
        await worker.stop()


def _request(run: str) -> Request:
    return Request(run, options=Options(scope=Scope(max_tasks=_TASKS)))


def _deps(store: Store) -> Deps:
    clock = SystemClock()
    return replace(
        deps(),
        model=ScriptedModel(*["code"] * _TASKS),
        sandbox=RecordingSandbox(),
        repository=MemoryRepository({}),
        journal=StoredJournal(store, clock),
        events=Fanout(),
        clock=clock,
        control=StoredRuns(store, clock),
        answers=StoredAnswers(store, clock),
    )


async def _read(state: RunState, _ports: Deps, _work: TaskWork) -> Step:
    roadmap = parse_roadmap("ROADMAP.md", _ROADMAP)
    return Step(
        replace(
            replace(state, stack=replace(state.stack, tip=START, branch="main")), roadmap=roadmap
        ),
        "ok",
    )


_NODES: dict[str, Node] = {**ScriptedNodes(), "parse_roadmap": _read}
