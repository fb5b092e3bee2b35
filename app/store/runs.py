"""Runs: who asked for what, how far it is, how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa

from app.store.database import Store
from app.store.schema import runs as table
from runner.ports import Clock

Status = Literal[
    "queued", "running", "pausing", "paused", "resting", "cancelling", "cancelled", "ended"
]

PERSON = "person"
"""The cause of a pause that a person ordered; only a person ends it."""

REMOVED = "removed"
"""The cause of a pause since the App's installation does not cover the repository any more."""

UNINSTALLED = "uninstalled"
"""The cause of a cancellation since the App's installation is gone: nobody can be told."""


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """What a person or something else asked for; ``request`` is the command's own options (JSON).

    ``repository`` is its full name for people; the numbers are GitHub's ids. A higher
    ``priority`` goes first.
    """

    id: str
    delivery: str | None
    repository_id: int
    repository: str
    installation_id: int
    issue: int | None
    roadmap: str
    base_branch: str
    request: Mapping[str, Any]
    priority: int = 0


@dataclass(frozen=True, kw_only=True)
class Run(RunRequest):
    """A run as it stands; ``reason`` and ``until`` say why and how long it is paused.

    ``cause`` is the kind of outage behind a pause, or ``PERSON``, ``REMOVED`` or ``UNINSTALLED``.
    """

    status: Status
    reason: str
    until: datetime | None
    progress_comment_id: int | None
    created_at: datetime
    updated_at: datetime
    result: Mapping[str, Any] | None
    cause: str = ""


_SELECT = sa.select(*(table.c[field.name] for field in fields(Run)))


class Runs:
    """The runs table. Every method raises ``Outage`` when the database fails."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def get(self, id: str) -> Run | None:
        """Return the run of this id."""
        found = await self._find(_SELECT.where(table.c.id == id))
        return found[0] if found else None

    async def by_issue(self, repository_id: int, issue: int) -> list[Run]:
        """Return the runs that were asked for on an issue or pull request, newest first."""
        here = (table.c.repository_id == repository_id) & (table.c.issue == issue)
        return await self._find(_SELECT.where(here).order_by(table.c.seq.desc()))

    async def by_status(self, *statuses: Status) -> list[Run]:
        """Return the runs in one of these states, oldest first."""
        return await self._find(_SELECT.where(table.c.status.in_(statuses)).order_by(table.c.seq))

    async def set_progress_comment(self, id: str, comment: int) -> bool:
        """Remember the comment that tells of this run; False when the run is unknown."""
        values = {"progress_comment_id": comment, "updated_at": self._clock.now()}
        async with self._store.writing() as connection:
            change = sa.update(table).where(table.c.id == id).values(values)
            return (await connection.execute(change)).rowcount == 1

    async def _find(self, query: sa.Select[Any]) -> list[Run]:
        async with self._store.reading() as connection:
            return [Run(**row._mapping) for row in await connection.execute(query)]
