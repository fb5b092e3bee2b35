"""What all processes on a database spend on models together, by day and installation."""

from __future__ import annotations

import sqlalchemy as sa

from app.store.database import Store, insert_into
from app.store.schema import spending as table


class StoredSpending:
    """Each call is reserved before it is made, at what it can cost at most."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def reserve(
        self, day: str, installation: int, cost: float, *, together: float | None, own: float | None
    ) -> float | None:
        """Reserve ``cost`` unless a limit of the day would be exceeded; all amounts are in USD.

        ``together`` is the limit of all installations, ``own`` that of this one. Returns what
        was reserved or spent of the limit that is in the way, None if there is none. Raises
        ``Outage``, and then nothing is reserved.
        """
        today = sa.select(table.c.installation_id, table.c.cost).where(table.c.day == day)
        async with self._store.writing() as connection:  # nobody else reserves meanwhile
            spent: dict[int, float] = {of: paid for of, paid in await connection.execute(today)}
            for limit, used in (
                (together, sum(spent.values())),
                (own, spent.get(installation, 0.0)),
            ):
                if limit is not None and used + cost > limit:
                    return used
            row = {"day": day, "installation_id": installation, "cost": cost}
            insert = insert_into(connection.dialect.name, table).values(row)
            more = {"cost": table.c.cost + cost}
            await connection.execute(
                insert.on_conflict_do_update(index_elements=["day", "installation_id"], set_=more)
            )
        return None

    async def settle(self, day: str, installation: int, less: float) -> None:
        """Give back what a call did not cost. Raises ``Outage``."""
        here = (table.c.day == day) & (table.c.installation_id == installation)
        await self._store.change(sa.update(table).where(here).values(cost=table.c.cost - less))
