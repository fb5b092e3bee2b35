"""Dashboards that are to be written: what was due when a server ended is written by the next."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

import sqlalchemy as sa

from app.store.database import Store
from app.store.schema import dashboards as table


@dataclass(frozen=True, slots=True, kw_only=True)
class DueBoard:
    """A repository whose dashboard is due; ``branch`` is its default branch.

    ``asked`` brings back one that people closed. ``version`` counts how often it was marked.
    """

    repository_id: int
    installation_id: int
    repository: str
    branch: str
    asked: bool
    version: int = 0


class StoredBoards:
    """The dashboards table. Every method raises ``Outage`` when the database fails."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def mark(self, due: DueBoard) -> DueBoard:
        """Store that one is due; return the row, which was perhaps ``asked`` for before."""
        here = table.c.repository_id == due.repository_id
        async with self._store.writing() as connection:
            found = (await connection.execute(_SELECT.where(here))).one_or_none()
            asked, version = (found.asked, found.version) if found else (False, 0)
            values = asdict(due) | {"asked": due.asked or asked, "version": version + 1}
            change = sa.update(table).where(here) if found else sa.insert(table)
            await connection.execute(change.values(values))
        return DueBoard(**values)

    async def all(self) -> list[DueBoard]:
        """Return all that are due."""
        return [DueBoard(**row._mapping) for row in await self._store.rows(_SELECT)]

    async def written(self, due: DueBoard) -> None:
        """Forget one that was written, unless it was marked again since."""
        same = (table.c.repository_id == due.repository_id) & (table.c.version == due.version)
        await self._store.change(sa.delete(table).where(same))


_SELECT = sa.select(*(table.c[field.name] for field in fields(DueBoard)))
