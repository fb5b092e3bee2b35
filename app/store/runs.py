"""Runs: who asked for what, how far it is, how it ended."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from app.store.database import Store
from app.store.schema import runs as table
from runner.ports import Clock

Status = Literal[
    "queued", "running", "pausing", "paused", "resting", "cancelling", "cancelled", "ended"
]
WORKING: tuple[Status, ...] = ("running", "cancelling")


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
    """A run as it stands; ``reason`` and ``until`` say why and how long it is paused."""

    status: Status
    reason: str
    until: datetime | None
    progress_comment_id: int | None
    created_at: datetime
    updated_at: datetime
    result: Mapping[str, Any] | None


_SELECT = sa.select(*(table.c[field.name] for field in fields(Run)))


class Runs:
    """The runs table. Every method raises ``Outage`` when the database fails."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def insert(self, request: RunRequest) -> bool:
        """Queue a run; False when a run of this id is known (nothing changes then)."""
        now = self._clock.now()
        row = asdict(request) | {"status": "queued", "created_at": now, "updated_at": now}
        statement = insert(table).values(row).on_conflict_do_nothing(index_elements=["id"])
        return await self._change(statement)

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

    async def set_status(
        self,
        id: str,
        status: Status,
        *,
        allowed: Collection[Status],
        reason: str = "",
        until: datetime | None = None,
        result: Mapping[str, Any] | None = None,
    ) -> bool:
        """Move a run on, if it is in one of the ``allowed`` states; return whether it was.

        ``result`` is kept when None.
        """
        values: dict[str, Any] = {"status": status, "reason": reason, "until": until}
        if result is not None:
            values["result"] = dict(result)
        return await self._change(self._update(id, values).where(table.c.status.in_(allowed)))

    async def set_progress_comment(self, id: str, comment: int) -> bool:
        """Remember the comment that tells of this run; False when the run is unknown."""
        return await self._change(self._update(id, {"progress_comment_id": comment}))

    async def claim_next(self) -> Run | None:
        """Set the next queued run to running and return it; None when none may start.

        One working run per repository and roadmap: a run whose neighbour is at work waits, and
        those of other repositories go past it. Higher priority first, then the older.
        """
        start = {"status": "running", "updated_at": self._clock.now()}
        async with self._store.writing() as connection:
            seq = await connection.scalar(_NEXT)
            if seq is None:
                return None
            chosen = table.c.seq == seq
            await connection.execute(sa.update(table).where(chosen).values(start))
            return Run(**(await connection.execute(_SELECT.where(chosen))).one()._mapping)

    async def requeue_left(self) -> None:
        """Queue what an earlier process was at work on, and what paused for no certain time.

        Whatever paused such a run may be whole again; if not, it pauses as it did before.
        """
        untimed = (table.c.status == "paused") & table.c.until.is_(None)
        await self._requeue((table.c.status == "running") | untimed)

    async def requeue_due(self, now: datetime) -> None:
        """Queue the paused runs whose time has come."""
        await self._requeue((table.c.status == "paused") & (table.c.until <= now))

    async def next_due(self, now: datetime) -> datetime | None:
        """Return when the next run that rests may go on; None when none waits for a time."""
        resting = table.c.status.in_(("paused", "cancelling")) & (table.c.until > now)
        nearest = sa.select(table.c.until).where(resting).order_by(table.c.until).limit(1)
        async with self._store.reading() as connection:
            return await connection.scalar(nearest)

    async def _requeue(self, which: sa.ColumnElement[bool]) -> None:
        values = {"status": "queued", "reason": "", "until": None, "updated_at": self._clock.now()}
        async with self._store.writing() as connection:
            await connection.execute(sa.update(table).where(which).values(values))

    def _update(self, id: str, values: Mapping[str, Any]) -> sa.Update:
        now = {"updated_at": self._clock.now()}
        return sa.update(table).where(table.c.id == id).values({**values, **now})

    async def _change(self, statement: sa.Insert | sa.Update) -> bool:
        async with self._store.writing() as connection:
            return (await connection.execute(statement)).rowcount == 1

    async def _find(self, query: sa.Select[Any]) -> list[Run]:
        async with self._store.reading() as connection:
            return [Run(**row._mapping) for row in await connection.execute(query)]


_other = table.alias("other")
_neighbour_works = (
    sa.select(_other.c.seq)
    .where(
        _other.c.status.in_(WORKING),
        _other.c.repository_id == table.c.repository_id,
        _other.c.roadmap == table.c.roadmap,
    )
    .exists()
)
_NEXT = (
    sa.select(table.c.seq)
    .where(table.c.status == "queued", ~_neighbour_works)
    .order_by(table.c.priority.desc(), table.c.seq)
    .limit(1)
)
