"""The audit log: who did what. Rows are only added; retention alone takes old ones away."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import sqlalchemy as sa

from app.store.database import Store, insert_into
from app.store.schema import audit as table
from app.store.schema import dashboards, deliveries, runs
from runner.errors import Outage
from runner.ports import Clock

log = logging.getLogger(__name__)

Action = Literal["started", "asked", "decided", "merged", "configured", "wrote"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One thing that happened: ``by`` is a login, '' for Cairn itself."""

    at: datetime
    repository_id: int | None
    action: Action
    by: str
    what: str
    run: str = ""


def note(connection: sa.Connection, entry: AuditEntry, key: str | None = None) -> None:
    """Add an entry, in the transaction of what it tells; ``key`` is the same for the same thing."""
    row = {name: getattr(entry, name) for name in AuditEntry.__slots__} | {"key": key}
    insert = insert_into(connection.dialect.name, table).values(row)
    connection.execute(insert.on_conflict_do_nothing())


@dataclass(frozen=True)
class AuditLog:
    """The entries, to be read and added to outside of a transaction."""

    _store: Store
    _clock: Clock

    async def add(
        self,
        action: Action,
        repository_id: int | None,
        by: str,
        what: str,
        *,
        run: str = "",
        key: str = "",
    ) -> None:
        """Add an entry that tells of now. Raises ``Outage``."""
        entry = AuditEntry(
            at=self._clock.now(),
            repository_id=repository_id,
            action=action,
            by=by,
            what=what,
            run=run,
        )
        await self._store.insert(lambda connection: note(connection, entry, key or None))

    async def wrote(self, repository_id: int | None, what: str, status: int) -> None:
        """Add a request to GitHub; ``status`` is its answer, 0 if none came."""
        try:
            await self.add("wrote", repository_id, "", f"{what} ({status or 'no answer'})")
        except Outage as outage:  # it was sent all the same
            log.warning("The audit log lacks %s: %s", what, outage.message)

    async def repositories(self) -> dict[int, str]:
        """Return the full names of repositories, by id. Raises ``Outage``."""
        names: dict[int, str] = {}
        for each in (dashboards, runs):
            query = sa.select(each.c.repository_id, each.c.repository)
            names |= dict(await self._store.rows(query))
        # where nothing has run yet, only GitHub's own words say it
        newest = sa.select(sa.func.max(deliveries.c.seq)).group_by(deliveries.c.repository_id)
        said = sa.select(deliveries.c.repository_id, deliveries.c.payload)
        for id, payload in await self._store.rows(said.where(deliveries.c.seq.in_(newest))):
            if id is not None and id not in names:
                names[id] = str(json.loads(payload)["repository"].get("full_name", ""))
        return names

    async def newest(
        self, most: int, *, repository_id: int | None = None, writes: bool
    ) -> list[AuditEntry]:
        """Return the newest entries, the oldest first; with or without requests to GitHub.

        Those of one repository, or all. Raises ``Outage``.
        """
        query = sa.select(*(table.c[name] for name in AuditEntry.__slots__))
        if repository_id is not None:
            query = query.where(table.c.repository_id == repository_id)
        if not writes:
            query = query.where(table.c.action != "wrote")
        rows = await self._store.rows(query.order_by(table.c.seq.desc()).limit(most))
        return [AuditEntry(**row._mapping) for row in reversed(rows)]
