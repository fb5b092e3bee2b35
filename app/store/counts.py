"""How much of what there is: runs, wakeups, deliveries, proposals and events, for operators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from app.store.database import Store
from app.store.schema import deliveries, outbox, proposals, runs, wakeups


@dataclass(frozen=True, slots=True)
class StoreCounts:
    """Rows by their status; ``waits_since`` is when the oldest wakeup that waits was made."""

    runs: Mapping[str, int]
    wakeups: Mapping[str, int]
    deliveries: Mapping[str, int]
    open_proposals: int
    waits_since: datetime | None
    events: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WakeupRow:
    """One wakeup: ``waiting``, ``sent`` (its run works) or ``done``.

    ``position`` counts those that wait up to this one in the order they go, 0 when it does not
    wait.
    """

    id: str
    run: str
    repository_id: int
    roadmap: str
    status: str
    made_at: datetime
    sent_at: datetime | None
    done_at: datetime | None
    position: int = 0


class Counting:
    """Reads the numbers. Every method raises ``Outage`` when the database fails."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def now(self) -> StoreCounts:
        """Return all numbers, as of one moment."""
        oldest = sa.select(sa.func.min(wakeups.c.made_at)).where(wakeups.c.status == "waiting")
        waiting = sa.select(sa.func.count()).select_from(proposals)
        async with self._store.reading() as connection:
            return StoreCounts(
                runs=await _by_status(connection, runs),
                wakeups=await _by_status(connection, wakeups),
                deliveries=await _by_status(connection, deliveries),
                open_proposals=int(
                    await connection.scalar(waiting.where(proposals.c.state == "open")) or 0
                ),
                waits_since=await connection.scalar(oldest),
                events=await _by_status(connection, outbox),
            )

    async def wakeup(self, id: str) -> WakeupRow | None:
        """Return one wakeup with its place in the queue."""
        names = ("id", "run", "repository_id", "roadmap", "status", "made_at", "sent_at", "done_at")
        query = sa.select(*(wakeups.c[name] for name in names))
        async with self._store.reading() as connection:
            row = (await connection.execute(query.where(wakeups.c.id == id))).first()
            if row is None:
                return None
            place = await position(connection, row.run) if row.status == "waiting" else 0
        return WakeupRow(**dict(row._mapping), position=place)


async def _by_status(connection: AsyncConnection, table: sa.Table) -> dict[str, int]:
    query = sa.select(table.c.status, sa.func.count()).group_by(table.c.status)
    return {status: number for status, number in await connection.execute(query)}


async def position(connection: AsyncConnection, run: str) -> int:
    """Count the waiting wakeups up to the run's own, 0 when it does not wait."""
    mine = sa.select(wakeups.c.priority, wakeups.c.seq).where(
        wakeups.c.run == run, wakeups.c.status == "waiting"
    )
    own = (await connection.execute(mine)).first()
    if own is None:
        return 0
    before = (wakeups.c.priority > own.priority) | (
        (wakeups.c.priority == own.priority) & (wakeups.c.seq <= own.seq)
    )
    query = sa.select(sa.func.count()).select_from(wakeups)
    return int(await connection.scalar(query.where(wakeups.c.status == "waiting", before)) or 0)
