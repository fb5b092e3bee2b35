"""What the database keeps for so many days and no longer."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import Any

import sqlalchemy as sa

from app.store.database import Store
from app.store.runs import UNFINISHED
from app.store.schema import answers, audit, deliveries, files, runs, spending
from runner.ports import Clock

A_TIME = 200
"""Rows, or runs, that one transaction takes away: others want to write meanwhile."""

_BUDGETS = timedelta(days=40)
"""How long it is known what was spent in a day."""


@dataclass(frozen=True)
class Retention:
    """Takes away what is older than so many days. Raises ``Outage``."""

    store: Store
    clock: Clock
    deliveries: int
    results: int
    audit: int

    async def purge(self) -> Mapping[str, int]:
        """Return how many rows went, by table.

        What a run left behind goes with its answers, once the run ended so long ago; what the run
        did stays.
        """
        now = self.clock.now()
        day = (now - _BUDGETS).astimezone(UTC).date().isoformat()
        arrived = now - timedelta(days=self.deliveries)
        ended = now - timedelta(days=self.results)
        noted = now - timedelta(days=self.audit)
        is_over = runs.c.status.not_in(UNFINISHED) & (runs.c.updated_at < ended)
        old_runs = sa.select(runs.c.id).where(is_over)
        is_worked = deliveries.c.status != "stored"
        old: tuple[tuple[sa.Column[Any], sa.ColumnElement[bool]], ...] = (
            (deliveries.c.seq, is_worked & (deliveries.c.received_at < arrived)),
            (answers.c.run, answers.c.run.in_(old_runs)),
            (files.c.run, files.c.run.in_(old_runs)),
            (audit.c.seq, audit.c.at < noted),
            (spending.c.day, spending.c.day < day),
        )
        return {column.table.name: await self._drop(column, which) for column, which in old}

    async def unfinished(self) -> Collection[str]:
        """Return the runs that may continue: what they left behind stays."""
        query = sa.select(runs.c.id).where(runs.c.status.in_(UNFINISHED))
        return {id for (id,) in await self.store.rows(query)}

    async def _drop(self, column: sa.Column[Any], which: sa.ColumnElement[bool]) -> int:
        gone, some = 0, sa.select(column).where(which).distinct().limit(A_TIME)
        while found := [value for (value,) in await self.store.rows(some)]:
            gone += await self.store.change(sa.delete(column.table).where(column.in_(found)))
        return gone
