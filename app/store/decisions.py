"""The inbox of decisions: what people said about parked tasks, in the order it was stored."""

from __future__ import annotations

from dataclasses import fields

import sqlalchemy as sa
from pydantic import TypeAdapter

from app.store.database import Store
from app.store.schema import decisions as table
from runner.ports import Decision

_DECISION = TypeAdapter(Decision)
_FIELDS = tuple(field.name for field in fields(Decision))


class StoredDecisions:
    """The ``Decisions`` port. Every method raises ``Outage`` when the database fails."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def waiting(self, run: str) -> tuple[str, ...]:
        """Return the tasks with a decision not applied yet, the oldest first."""
        open_ = (table.c.run == run) & table.c.step.is_(None)
        query = sa.select(table.c.task).where(open_).order_by(table.c.seq)
        async with self._store.reading() as connection:
            return tuple(dict.fromkeys((await connection.execute(query)).scalars()))

    async def take(self, run: str, task: str, step: str) -> Decision | None:
        """Hand the oldest open decision to a step; a step that asks again gets the same."""
        about = (table.c.run == run) & (table.c.task == task)
        mine = sa.select(*(table.c[name] for name in _FIELDS))
        async with self._store.writing() as connection:
            if not await connection.scalar(
                sa.select(table.c.seq).where(about, table.c.step == step)
            ):
                oldest = sa.select(sa.func.min(table.c.seq)).where(about, table.c.step.is_(None))
                taken = sa.update(table).where(table.c.seq == oldest.scalar_subquery())
                await connection.execute(taken.values(step=step))
            found = (await connection.execute(mine.where(about, table.c.step == step))).first()
        return _DECISION.validate_python(found._asdict()) if found else None
