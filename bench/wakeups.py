"""1,000 queued wakeups: what they cost while they wait, and whether a free repository waits too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from time import monotonic, time

import sqlalchemy as sa

from app.store.database import Store, open_store
from app.store.queue import Queue
from app.store.runs import RunRequest
from app.store.schema import journal, runs
from app.store.wakeups import Wakeups
from bench.finding import Finding, Line, Peer
from bench.run_requests import run_request
from bench.served import BUSY, FREE, megabytes, processor_seconds, surroundings
from runner.ports import SystemClock
from tests.model_server import Held
from tests.scenarios.bot import Bot
from tests.scenarios.endings import ANSWER
from tests.scenarios.process import serving

_MANY, _SECONDS, _QUIET = 1_000, 10.0, 2.0
_NUMBERS = range(_MANY)
_FREE_RUNS = 5


async def measure(folder: Path) -> AsyncIterator[Line]:
    """First with the wakeups of one busy repository, then with those of a thousand others."""
    async with surroundings(folder / "one") as bot, _database(bot) as store, serving(bot) as server:
        idle = await _share(server.process.pid)
        async for line in _one_repository(bot, store, server.process.pid, idle):
            yield line
    async with surroundings(folder / "two") as bot, _database(bot) as store:
        share = await _other_repositories(bot, store)
    yield _waiting(f"{_MANY} wakeups of as many repositories wait", share, idle)


async def _one_repository(bot: Bot, store: Store, pid: int, idle: float) -> AsyncIterator[Line]:
    alone = await _first_nodes(bot, store)
    async with _working(bot, BUSY):
        busy = bot.github.repo(BUSY).id
        await _queue(store, (run_request(f"r{n}", repository_id=busy) for n in _NUMBERS))
        held = megabytes(pid)
        share = await _share(pid)
        beside = await _first_nodes(bot, store)
    yield _waiting(f"{_MANY} wakeups of one repository wait", share, idle)
    yield Finding(
        what="memory of the server meanwhile", value=held, unit="MB", goal="< 200 MB", ok=held < 200
    )
    yield Finding(
        what="webhook to first node done, another repository",
        value=beside,
        unit="s",
        peer=Peer(what="none queued", value=alone),
        goal="< 1 s",
        ok=beside < 1,
    )


async def _other_repositories(bot: Bot, store: Store) -> float:
    """Both places are taken, so that wakeups whose stacks are free wait all the same."""
    async with serving(bot) as server, _working(bot, BUSY), _working(bot, FREE):
        await _queue(store, (run_request(f"r{n}", repository_id=n + 10**6) for n in _NUMBERS))
        return await _share(server.process.pid)


def _waiting(what: str, share: float, idle: float) -> Finding:
    return Finding(
        what=what,
        value=share * 100,
        unit="% of a core",
        peer=Peer(what="an idle server", value=idle * 100),
        goal="< 5 % above it",
        ok=share < idle + 0.05,
    )


@asynccontextmanager
async def _database(bot: Bot) -> AsyncIterator[Store]:
    """The server's database from outside, to queue what nobody may work on yet."""
    store = await open_store(bot.settings.database_url.get_secret_value())
    yield store
    await store.close()


@asynccontextmanager
async def _working(bot: Bot, repository: str) -> AsyncIterator[None]:
    """Keep a run of a repository at work: its model thinks for as long as this is open."""
    thinking = Held(ANSWER)
    bot.model.says(thinking)
    assert await bot.github.comment(repository, 1, "/execute", by="writer") == 202
    await asyncio.wait_for(thinking.asked.wait(), timeout=30)
    yield
    thinking.go.set()


async def _queue(store: Store, requests: Iterable[RunRequest]) -> None:
    clock = SystemClock()
    queue = Queue(store, clock, Wakeups(clock, _not_sent, at_once=0))
    for request in requests:
        await queue.start(request)


def _not_sent(connection: sa.Connection, wakeup: str) -> None:
    raise AssertionError(f"{wakeup} was sent, though none may work")


async def _share(pid: int) -> float:
    """The share of a core a process uses, once it is quiet."""
    await asyncio.sleep(_QUIET)
    used, began = processor_seconds(pid), monotonic()
    await asyncio.sleep(_SECONDS)
    return (processor_seconds(pid) - used) / (monotonic() - began)


async def _first_nodes(bot: Bot, store: Store) -> float:
    """The median seconds from a comment on the free repository to its run's first saved node."""
    seconds = []
    for _ in range(_FREE_RUNS):
        if not bot.github.repo(FREE).pulls:
            bot.model.says(ANSWER)
        known = await _ended(bot, store)
        began = time()
        assert await bot.github.comment(FREE, 1, "/execute", by="writer") == 202
        async with asyncio.timeout(30):
            while len(ended := await _ended(bot, store)) == len(known):  # noqa: ASYNC110 - another process
                await asyncio.sleep(0.1)
        seconds.append(max(ended.values()) - began)
    return median(seconds)


async def _ended(bot: Bot, store: Store) -> dict[str, float]:
    """The free repository's runs that are over, and when the first node of each was saved."""
    saved = sa.func.min(journal.c.saved_at)
    query = (
        sa.select(runs.c.id, saved)
        .join(journal, journal.c.run == runs.c.id)
        .where(runs.c.repository_id == bot.github.repo(FREE).id, runs.c.status == "ended")
        .group_by(runs.c.id)
    )
    return {run: moment.timestamp() for run, moment in await store.rows(query)}
