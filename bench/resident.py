"""What comments that nobody answers cost ``cairn serve``: processor each, memory after many."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import sqlalchemy as sa

from app.store.database import Store, open_store
from app.store.schema import deliveries
from bench.finding import Finding, Line
from bench.served import FREE, megabytes, processor_seconds, surroundings
from tests.scenarios.bot import Bot
from tests.scenarios.endings import ANSWER
from tests.scenarios.process import serving

_MARKS = (180, 1_000, 2_000, 4_000)
_AT_ONCE, _MOST, _MOST_MS = 20, 25.0, 2.0
_LEFT = sa.select(sa.func.count()).where(deliveries.c.finished_at.is_(None))


async def measure(folder: Path) -> AsyncIterator[Line]:
    """People talk to each other: on an issue, where it is decided at the door, and on a pull
    request, where each comment is stored and worked, for a reaction may come with it."""
    async with surroundings(folder) as bot, serving(bot) as server:
        pid = server.process.pid
        store = await open_store(bot.settings.database_url.get_secret_value())
        bot.model.says(ANSWER)
        assert await bot.github.comment(FREE, 1, "/execute", by="writer") == 202
        async with asyncio.timeout(60):
            while not bot.github.repo(FREE).pulls or await store.value(_LEFT):  # noqa: ASYNC110 - another process
                await asyncio.sleep(0.1)
        (pull,) = bot.github.repo(FREE).pulls
        sent, start = 0, megabytes(pid)
        yield Finding(what="cairn serve after its first run", value=start, unit="MB")
        for number, what in ((1, "an issue"), (pull.number, "a pull request")):
            used = processor_seconds(pid)
            await _talk(bot, store, number, range(_MARKS[0]))
            spent = (processor_seconds(pid) - used) / _MARKS[0] * 1e3
            yield Finding(
                what=f"processor for a comment on {what}",
                value=spent,
                unit="ms",
                goal=f"<= {_MOST_MS:g} ms",
                ok=spent <= _MOST_MS,
            )
        for mark in _MARKS:
            await _talk(bot, store, pull.number, range(sent, mark))
            sent, more = mark, megabytes(pid) - start
            yield Finding(
                what=f"memory after {mark:,} comments, above its start",
                value=more,
                unit="MB",
                goal=f"<= {_MOST:g} MB",
                ok=more <= _MOST,
            )
        await store.close()


async def _talk(bot: Bot, store: Store, number: int, which: range) -> None:
    """Comment, some at a time, and wait until all of it is worked."""
    for first in range(which.start, which.stop, _AT_ONCE):
        words = (f"I agree with number {n}." for n in range(first, first + _AT_ONCE))
        said = (bot.github.comment(FREE, number, each, by="writer") for each in words)
        await asyncio.gather(*said)
    while await store.value(_LEFT):  # noqa: ASYNC110 - another process
        await asyncio.sleep(0.1)
