"""Rows of the runs table as a test wants them, put there without the queue."""

from __future__ import annotations

import sqlalchemy as sa

from app.store.deliveries import Delivery
from app.store.schema import deliveries as stored
from app.store.schema import runs as table
from app.store.schema import wakeups


async def put_run(store, clock, request, status="queued"):
    """Store a run as it would stand."""
    row = request.columns | {"status": status, "created_at": clock.now(), "updated_at": clock.now()}
    await store.change(sa.insert(table).values(row))


async def set_run(store, id, status, **values):
    """Let a run stand otherwise."""
    change = sa.update(table).where(table.c.id == id).values(status=status, **values)
    await store.change(change)


async def put_wakeup(store, id, run, status, made_at, priority=0):
    """Store a wakeup of a run as it would stand."""
    row = {"id": id, "run": run, "status": status, "made_at": made_at, "priority": priority}
    await store.change(
        sa.insert(wakeups).values(row | {"repository_id": 1, "roadmap": "ROADMAP.md"})
    )


async def delivered(deliveries, id):
    """A delivery as it is stored."""
    columns = [stored.c[name] for name in Delivery.__slots__ if name in stored.c]
    (row,) = await deliveries._store.rows(sa.select(*columns).where(stored.c.id == id))
    return Delivery(**row._mapping)


async def unfinished(store):
    """The ids of the deliveries that wait for their work, in order of arrival."""
    query = sa.select(stored.c.id).where(stored.c.status == "stored")
    return [id for (id,) in await store.rows(query.order_by(stored.c.seq))]
