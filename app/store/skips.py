"""Tasks that people want left out: by this run, and by those to come until they are retried."""

from __future__ import annotations

import sqlalchemy as sa

from app.store.database import Store
from app.store.schema import skips as table
from runner.ports import Clock


class Skips:
    """The skips table, by repository and roadmap. Raises ``Outage`` when the database fails."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def add(self, repository_id: int, roadmap: str, task: str, *, by: str) -> bool:
        """Leave a task (by its key) out; False when it is left out already."""
        row = {"repository_id": repository_id, "roadmap": roadmap, "task": task}
        async with self._store.writing() as connection:
            if await connection.scalar(sa.select(table.c.task).filter_by(**row)):
                return False
            new = row | {"by": by, "made_at": self._clock.now()}
            await connection.execute(sa.insert(table).values(new))
        return True

    async def remove(self, repository_id: int, roadmap: str, task: str) -> None:
        """Let a task be worked on again."""
        here = (table.c.repository_id == repository_id) & (table.c.roadmap == roadmap)
        async with self._store.writing() as connection:
            await connection.execute(sa.delete(table).where(here, table.c.task == task))

    async def of(self, repository_id: int, roadmap: str) -> frozenset[str]:
        """Return the keys of the tasks to leave out."""
        here = (table.c.repository_id == repository_id) & (table.c.roadmap == roadmap)
        async with self._store.reading() as connection:
            found = await connection.execute(sa.select(table.c.task).where(here))
            return frozenset(found.scalars())
