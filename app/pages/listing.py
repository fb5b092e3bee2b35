"""The runs newest first, a page at a time."""

from __future__ import annotations

from dataclasses import dataclass, fields

import sqlalchemy as sa

from app.store.database import Store
from app.store.runs import Run
from app.store.schema import runs as table

PAGE = 25


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which runs are asked for; '' is any. ``before`` is the number of a run that is not shown."""

    status: str = ""
    repository: str = ""
    before: int | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """One page of runs; ``older`` is the ``before`` of the next page, None when there is none."""

    runs: tuple[Run, ...]
    older: int | None


class Listing:
    """Reads the runs table for the pages. Raises ``Outage`` when the database fails."""

    def __init__(self, store: Store, *, page: int = PAGE) -> None:
        self._store = store
        self._page = page

    async def find(self, wanted: Wanted) -> Found:
        """Return the newest runs that are wanted."""
        query = _SELECT.where(*_conditions(wanted)).limit(self._page + 1)
        async with self._store.reading() as connection:
            rows = [dict(row._mapping) for row in await connection.execute(query)]
        numbers = [row.pop("seq") for row in rows]
        more = len(rows) > self._page
        runs = tuple(Run(**row) for row in rows[: self._page])
        return Found(runs, numbers[self._page - 1] if more else None)

    async def repositories(self) -> list[str]:
        """Return the names of all repositories with a run, for the filter."""
        query = sa.select(table.c.repository).distinct().order_by(table.c.repository)
        async with self._store.reading() as connection:
            return list(await connection.scalars(query))


def _conditions(wanted: Wanted) -> list[sa.ColumnElement[bool]]:
    conditions: list[sa.ColumnElement[bool]] = []
    if wanted.status:
        conditions.append(table.c.status == wanted.status)
    if wanted.repository:
        conditions.append(table.c.repository == wanted.repository)
    if wanted.before is not None:
        conditions.append(table.c.seq < wanted.before)
    return conditions


_COLUMNS = [table.c[field.name] for field in fields(Run)]
_SELECT = sa.select(table.c.seq, *_COLUMNS).order_by(table.c.seq.desc())
