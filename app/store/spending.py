"""What all processes on a database spend on models together, by day and repository."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from app.store.database import Store, insert_into
from app.store.schema import runs
from app.store.schema import spending as table

Whose = Literal["operator", "account", "repository"]


@dataclass(frozen=True, slots=True)
class Spender:
    """On whose account a call is made: a repository of an installation, on a day (UTC)."""

    day: str
    installation_id: int
    repository_id: int


@dataclass(frozen=True, slots=True)
class FullDay:
    """A limit of the day that is in the way, in USD: what is ``used`` of it, and whose it is.

    ``held`` is the part of it that calls under way may cost at most; some of it is given back.
    """

    limit: float
    used: float
    held: float
    whose: Whose


@dataclass(frozen=True)
class StoredSpending:
    """Each call is reserved before it is made, at what it can cost at most."""

    _store: Store

    async def reserve(
        self,
        spender: Spender,
        cost: float,
        *,
        together: float | None,
        own: float | None,
        here: float | None = None,
    ) -> FullDay | None:
        """Reserve ``cost`` unless a limit of the day would be exceeded; all amounts are in USD.

        ``together`` is the limit of all accounts, ``own`` that of this one (both are the
        operator's), ``here`` that of the repository. Returns the limit that is in the way, None if
        there is none. Raises ``Outage``, and then nothing is reserved.
        """
        today = sa.select(table).where(table.c.day == spender.day)

        def reserved(connection: sa.Connection) -> FullDay | None:
            rows = connection.execute(today).all()
            account = () if own is None else _account(connection, spender, rows)
            limits: tuple[tuple[float | None, Sequence[Any], Whose], ...] = (
                (together, rows, "operator"),
                (own, [row for row in rows if row.repository_id in account], "account"),
                (
                    here,
                    [row for row in rows if row.repository_id == spender.repository_id],
                    "repository",
                ),
            )
            for limit, counted, whose in limits:
                used = sum(row.cost for row in counted)
                if limit is not None and used + cost > limit:
                    return FullDay(limit, used, sum(row.held for row in counted), whose)
            row = {**_key(spender), "cost": cost, "held": cost}
            insert = insert_into(connection.dialect.name, table).values(row)
            more = {"cost": table.c.cost + cost, "held": table.c.held + cost}
            connection.execute(
                insert.on_conflict_do_update(index_elements=list(_key(spender)), set_=more)
            )
            return None

        return await self._store.write(reserved)

    async def settle(self, spender: Spender, most: float, cost: float) -> None:
        """Count what a call cost in place of the ``most`` that was reserved. Raises ``Outage``."""
        change = sa.update(table).filter_by(**_key(spender))
        now = {"cost": table.c.cost - (most - cost), "held": table.c.held - most}
        await self._store.change(change.values(now))


def _account(connection: sa.Connection, spender: Spender, rows: Sequence[Any]) -> set[int]:
    """The repositories of the same owner: who installs the App again is nobody else."""
    spent = {row.repository_id for row in rows} | {spender.repository_id}
    named = sa.select(runs.c.repository_id, runs.c.repository).distinct()
    found = connection.execute(named.where(runs.c.repository_id.in_(spent))).all()
    owners = {(id, name.partition("/")[0].lower()) for id, name in found}
    ours = {owner for id, owner in owners if id == spender.repository_id}
    same = {row.repository_id for row in rows if row.installation_id == spender.installation_id}
    return same | {id for id, owner in owners if owner in ours}


def _key(spender: Spender) -> dict[str, str | int]:
    return {name: getattr(spender, name) for name in Spender.__slots__}
