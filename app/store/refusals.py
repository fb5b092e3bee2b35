"""Who was told already that they may not do something: once a person and issue, ever."""

from __future__ import annotations

import sqlalchemy as sa

from app.store.database import Store
from app.store.schema import refusals as table
from app.store.upsert import insert_into
from runner.ports import Clock


class StoredRefusals:
    """Implements ``handlers.talk.Refusals`` on the refusals table."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def first(self, *, repository_id: int, issue: int, user_id: int, delivery: str) -> bool:
        """Say whether a delivery is the first to refuse a person something on an issue.

        It is stored before the refusal is said; a crash in between works the same delivery again,
        which is the first again. Raises ``Outage`` when the database fails.
        """
        place = {"repository_id": repository_id, "issue": issue, "user_id": user_id}
        row = place | {"delivery": delivery, "made_at": self._clock.now()}
        async with self._store.writing() as connection:
            insert = insert_into(connection.dialect.name, table).values(row)
            await connection.execute(insert.on_conflict_do_nothing())
            found = sa.select(table.c.delivery).filter_by(**place)
            return await connection.scalar(found) == delivery
