"""How much of what there is: runs, wakeups, deliveries, proposals and events, for operators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sa

from app.store.database import Store
from app.store.line import WaitingLine
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
class QueueShare:
    """How many wakeups of a repository (its full name) and priority wait or are at work."""

    repository: str
    priority: int
    waiting: int
    at_work: int


@dataclass(frozen=True, slots=True)
class WakeupRow:
    """One wakeup: ``waiting``, ``sent`` (its run works) or ``done``.

    ``position`` is its place in the line, 0 when it does not wait.
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


_OPEN = ("waiting", "sent")


@dataclass(frozen=True)
class Counting:
    """Reads the numbers. Every method raises ``Outage`` when the database fails."""

    _store: Store

    async def now(self) -> StoreCounts:
        """Return all numbers, as of one moment."""
        oldest = sa.select(sa.func.min(wakeups.c.made_at)).where(wakeups.c.status == "waiting")
        waiting = sa.select(sa.func.count()).select_from(proposals)

        def counted(connection: sa.Connection) -> StoreCounts:
            return StoreCounts(
                runs=_by_status(connection, runs),
                wakeups=_by_status(connection, wakeups),
                deliveries=_by_status(connection, deliveries),
                open_proposals=int(
                    connection.scalar(waiting.where(proposals.c.state == "open")) or 0
                ),
                waits_since=connection.scalar(oldest),
                events=_by_status(connection, outbox),
            )

        return await self._store.read(counted)

    async def shares(self) -> list[QueueShare]:
        """Return what waits and works, by repository and priority."""
        number = [sa.func.sum(sa.case((wakeups.c.status == s, 1), else_=0)) for s in _OPEN]
        query = sa.select(runs.c.repository, wakeups.c.priority, *number)
        query = query.join(runs, runs.c.id == wakeups.c.run).where(wakeups.c.status.in_(_OPEN))
        by = (runs.c.repository, wakeups.c.priority)
        return [
            QueueShare(*row) for row in await self._store.rows(query.group_by(*by).order_by(*by))
        ]

    async def wakeup(self, id: str) -> WakeupRow | None:
        """Return one wakeup with its place in the queue."""
        names = ("id", "run", "repository_id", "roadmap", "status", "made_at", "sent_at", "done_at")
        query = sa.select(*(wakeups.c[name] for name in names))
        rows = await self._store.rows(query.where(wakeups.c.id == id))
        if not rows:
            return None
        row = rows[0]
        places = await WaitingLine(self._store).places([row.run]) if row.status == "waiting" else {}
        place, _ = places.get(row.run, (0, None))
        return WakeupRow(**dict(row._mapping), position=place)


def _by_status(connection: sa.Connection, table: sa.Table) -> dict[str, int]:
    query = sa.select(table.c.status, sa.func.count()).group_by(table.c.status)
    return {status: number for status, number in connection.execute(query)}
