"""The memory of ``cairn serve`` after a burst of deliveries, and after thousands of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import sqlalchemy as sa

from app.store.database import open_store
from app.store.schema import deliveries
from bench.finding import Finding, Line
from bench.served import FREE, megabytes, surroundings
from tests.scenarios.process import serving

_MARKS = (180, 1_000, 2_000, 4_000)
_AT_ONCE, _MOST = 20, 25.0
_LEFT = sa.select(sa.func.count()).where(deliveries.c.finished_at.is_(None))


async def measure(folder: Path) -> AsyncIterator[Line]:
    """People talk to each other on an issue: each comment is stored, read, and not answered."""
    async with surroundings(folder) as bot, serving(bot) as server:
        store = await open_store(bot.settings.database_url.get_secret_value())
        sent, start = 0, megabytes(server.process.pid)
        yield Finding(what="cairn serve at its start", value=start, unit="MB")
        for mark in _MARKS:
            for first in range(sent, mark, _AT_ONCE):
                words = (f"I agree with number {first + n}." for n in range(_AT_ONCE))
                said = (bot.github.comment(FREE, 1, each, by="writer") for each in words)
                await asyncio.gather(*said)
            while await store.value(_LEFT):  # noqa: ASYNC110 - another process
                await asyncio.sleep(0.1)
            sent, more = mark, megabytes(server.process.pid) - start
            yield Finding(
                what=f"after {mark:,} comments, above its start",
                value=more,
                unit="MB",
                goal=f"<= {_MOST:g} MB",
                ok=more <= _MOST,
            )
        await store.close()
