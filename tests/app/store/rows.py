"""Rows of the runs table as a test wants them, put there without the queue."""

from __future__ import annotations

from dataclasses import asdict

import sqlalchemy as sa

from app.store.schema import runs as table


async def put_run(store, clock, request, status="queued"):
    """Store a run as it would stand."""
    row = asdict(request) | {"status": status, "created_at": clock.now(), "updated_at": clock.now()}
    async with store.writing() as connection:
        await connection.execute(sa.insert(table).values(row))


async def set_run(store, id, status, **values):
    """Let a run stand otherwise."""
    change = sa.update(table).where(table.c.id == id).values(status=status, **values)
    async with store.writing() as connection:
        await connection.execute(change)
