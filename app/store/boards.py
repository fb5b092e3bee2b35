"""Dashboards that are to be written: what was due when a server ended is written by the next."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import sqlalchemy as sa

from app.store.database import Store, columns_of
from app.store.schema import dashboards as table
from handlers.events import InstalledRepository


@dataclass(frozen=True, slots=True, kw_only=True)
class DueBoard:
    """A repository whose dashboard is due.

    ``asked`` brings back one that people closed. ``version`` counts how often it was marked.
    """

    repository: InstalledRepository
    asked: bool
    version: int = 0


@dataclass(frozen=True)
class StoredBoards:
    """The dashboards table. Every method raises ``Outage`` when the database fails."""

    _store: Store

    async def mark(self, due: DueBoard) -> DueBoard:
        """Store that one is due; return the row, which was perhaps ``asked`` for before."""
        here = table.c.repository_id == due.repository.id

        def marked(connection: sa.Connection) -> DueBoard:
            found = connection.execute(_SELECT.where(here)).one_or_none()
            asked, version = (found.asked, found.version) if found else (False, 0)
            row = replace(due, asked=due.asked or asked, version=version + 1)
            values = asdict(row) | columns_of(row.repository)
            change = sa.update(table).where(here) if found else sa.insert(table)
            connection.execute(change.values(branch=row.repository.default_branch, **values))
            return row

        return await self._store.write(marked)

    async def all(self) -> list[DueBoard]:
        """Return all that are due."""
        return [
            DueBoard(repository=InstalledRepository(*place), asked=asked, version=version)
            for *place, asked, version in await self._store.rows(_SELECT)
        ]

    async def written(self, due: DueBoard) -> None:
        """Forget one that was written, unless it was marked again since."""
        same = (table.c.repository_id == due.repository.id) & (table.c.version == due.version)
        await self._store.change(sa.delete(table).where(same))


_PLACE = (table.c.repository_id, table.c.repository, table.c.installation_id, table.c.branch)
_SELECT = sa.select(*_PLACE, table.c.asked, table.c.version)
