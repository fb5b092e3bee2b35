"""A full disk and a clock that goes backwards: a clear error or none, and no damage."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa

from app.store.database import open_store
from app.store.deliveries import Deliveries
from runner.errors import Outage
from runner.ports import SystemClock
from tests.app.store.rows import unfinished
from tests.scenarios.bot import Bot
from tests.scenarios.endings import ANSWER, ONE_NOTE, check_finished


def limit(engine: sa.Engine, pages: int) -> None:
    """Let a database grow no further, as a full disk does (SQLITE_FULL)."""

    def refuse(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages}").close()

    sa.event.listen(engine, "connect", refuse)


async def arrive(deliveries: Deliveries, number: int) -> bool:
    """Store a delivery of some size."""
    return await deliveries.store(
        id=f"d{number}",
        event="issue_comment",
        repository_id=1,
        headers={},
        payload=b"x" * 50_000,
    )


async def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path) -> None:
    """What was stored stays, what was refused was never answered for, and room heals it."""
    url = f"sqlite:///{tmp_path}/cairn.db"
    store = await open_store(url)
    await arrive(Deliveries(store, SystemClock()), 1)
    await store.close()
    store = await open_store(url)
    store._engine.dispose()
    limit(store._engine, 1)

    with pytest.raises(Outage, match="free space"):
        await arrive(Deliveries(store, SystemClock()), 2)
    await store.close()

    store = await open_store(url)
    deliveries = Deliveries(store, SystemClock())
    assert await unfinished(store) == ["d1"]
    assert await arrive(deliveries, 2)
    await store.close()


@ONE_NOTE
async def test_a_clock_that_goes_backwards_loses_nothing(bot: Bot) -> None:
    """Order comes from sequence numbers: an hour back in the middle changes no end."""
    await bot.comment("/execute help")
    bot.says()
    bot.github.clock.advance(-3600)
    bot.model.says(ANSWER)

    await bot.comment("/execute")

    check_finished(bot)
