"""Deliveries: stored once, worked until finished. Also: who was already refused on which issue.

Deliveries that arrive together share one transaction: while one batch is being written the next
one collects, so a delivery waits for two commits at most.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from operator import itemgetter
from typing import Any, Literal

import sqlalchemy as sa
from cachetools import TTLCache
from sqlalchemy.sql.dml import ReturningInsert, ReturningUpdate

from app.store.database import Store, insert_into, told
from app.store.schema import deliveries as table
from app.store.schema import refusals as refusals_table
from runner.ports import Clock

Status = Literal["stored", "done", "failed"]
BATCH = 200
DELIVERIES = "deliveries"
"""The topic of what is told when some were stored."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One webhook delivery: ``id`` is GitHub's GUID, ``payload`` the body byte for byte.

    ``repeats`` is another one of the same meaning whose work was done when this was claimed.
    """

    id: str
    event: str
    repository_id: int | None
    headers: Mapping[str, str]
    payload: bytes
    received_at: datetime
    status: Status
    finished_at: datetime | None
    error: str
    repeats: str | None = None


@dataclass(frozen=True, slots=True)
class Worked:
    """A delivery whose work is over: ``error`` says why it failed, '' if it did not."""

    id: str
    error: str = ""


@dataclass(slots=True)
class _Batch:
    """Deliveries that will share a transaction; ``written`` ends with the ids that are new."""

    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    written: asyncio.Task[set[str]] | None = None


class Deliveries:
    """The deliveries table."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._open = _Batch()
        self._turn = asyncio.Lock()

    async def store(
        self,
        *,
        id: str,
        event: str,
        repository_id: int | None,
        headers: Mapping[str, str],
        payload: bytes,
        meaning: str | None = None,
        line: str = "",
    ) -> bool:
        """Store a delivery; return True when it is committed and waits for its work.

        ``meaning`` is the same for deliveries that say the same; None for what has no such. Those
        of a repository that have the same ``line`` are worked in order.

        False: it is known. Only one that failed is taken again, for asking GitHub to redeliver is
        how an operator says "try again". Raises ``Outage``, and then nothing is stored.
        """
        row = {
            "id": id, "event": event, "repository_id": repository_id, "headers": dict(headers),
            "payload": payload, "received_at": self._clock.now(), "status": "stored",
            "meaning": meaning, "line": f"{repository_id or ''}{line}",
        }  # fmt: skip
        batch = self._batch()
        first = batch.rows.setdefault(id, row) is row
        if batch.written is None:
            batch.written = asyncio.create_task(self._write(batch))
        # one sender who hangs up must not undo the batch of the others
        return id in await asyncio.shield(batch.written) and first

    def _batch(self) -> _Batch:
        if len(self._open.rows) >= BATCH:
            self._open = _Batch()
        return self._open

    async def _write(self, batch: _Batch) -> set[str]:
        async with self._turn:
            if self._open is batch:
                self._open = _Batch()
            rows = sorted(batch.rows.values(), key=itemgetter("id"))  # or two could wait in a ring

            def stored(connection: sa.Connection) -> set[str]:
                result = connection.execute(_store(self._store.dialect), rows)
                if self._store.dialect == "postgresql":
                    connection.execute(told(DELIVERIES))
                return set(result.scalars())

            return await self._store.insert(stored)

    async def claim(
        self, worker: str, most: int, *, but: Collection[str] = (), over: Collection[Worked] = ()
    ) -> list[Delivery]:
        """Take the oldest ones that nobody works on, at most one of each line.

        Those behind them wait, so that each line is worked in order. ``but`` are events to leave.
        In the same transaction, before, the work on those that are ``over`` is recorded.
        """
        claim = _claim(frozenset(but))

        def in_transaction(connection: sa.Connection) -> list[Delivery]:
            self._record(connection, over)
            rows = connection.execute(claim, {"most": most, "me": worker}).all()
            ids = [row.id for row in rows]
            same = connection.execute(_REPEATS, {"ids": ids}).all() if ids else ()
            repeats = {id: other for id, other in same}
            return [Delivery(**row._mapping, repeats=repeats.get(row.id)) for row in rows]

        return await self._store.insert(in_transaction)

    async def finish(self, over: Collection[Worked]) -> None:
        """Record whose work is over."""
        await self._store.insert(lambda connection: self._record(connection, over))

    def _record(self, connection: sa.Connection, over: Collection[Worked]) -> None:
        """Work that was made of a delivery is named after it, and fails with it: to deliver that
        again tries again."""
        ids = {each.id: each.error for each in over}
        ids |= {each.id.partition(" ")[0]: each.error for each in over if each.error}
        if not ids:
            return
        now = self._clock.now()
        rows = [
            {"which": id, "became": "failed" if error else "done", "why": error, "at": now}
            for id, error in ids.items()
        ]
        connection.execute(_FINISH, rows)

    async def release(self, worker: str) -> None:
        """Let go of what a process claimed."""
        await self._store.change(_FREED.where(table.c.worker == worker))

    async def release_dead(self, living: Collection[str]) -> None:
        """Let go of what was claimed by processes that do not live."""
        left = table.c.worker.is_not(None) & table.c.worker.not_in(living)
        await self._store.change(_FREED.where(left))

    async def known(self, ids: Set[str]) -> set[str]:
        """Return those that are stored, whatever became of them."""
        found: set[str] = set()
        for some in _batched(sorted(ids), BATCH):
            query = sa.select(table.c.id).where(table.c.id.in_(some))
            found |= {id for (id,) in await self._store.rows(query)}
        return found


_older = table.alias("older")
_UNCLAIMED = (
    sa.select(table.c.seq)
    .where(
        table.c.status == "stored",
        table.c.worker.is_(None),
        ~sa.exists().where(
            _older.c.status == "stored",
            _older.c.seq < table.c.seq,
            _older.c.line == table.c.line,
        ),
    )
    .order_by(table.c.seq)
)

_other = table.alias("other")
# The state does not choose the index: nearly all deliveries are done.
_REPEATS = (
    sa.select(table.c.id, sa.func.min(_other.c.id))
    .join(_other, (_other.c.meaning == table.c.meaning) & (_other.c.id != table.c.id))
    .where(table.c.id.in_(sa.bindparam("ids", expanding=True)))
    .where(_other.c.status.not_in(("stored", "failed", "ignored")))
    .group_by(table.c.id)
)
_FINISH = (
    sa.update(table)
    .where(table.c.id == sa.bindparam("which"))
    .values(
        status=sa.bindparam("became"), error=sa.bindparam("why"), finished_at=sa.bindparam("at")
    )
)


@cache
def _claim(but: frozenset[str]) -> ReturningUpdate[Any]:
    """Takes ``most`` as worker ``me``; built once, for it is done with each delivery."""
    wanted = _UNCLAIMED.where(table.c.event.not_in(but)) if but else _UNCLAIMED
    free = wanted.limit(sa.bindparam("most")).with_for_update(skip_locked=True).cte("free")
    taken = sa.update(table).where(table.c.seq.in_(sa.select(free.c.seq)))
    columns = [table.c[name] for name in Delivery.__slots__ if name in table.c]
    return taken.values(worker=sa.bindparam("me")).returning(*columns)


_FREED = sa.update(table).where(table.c.status == "stored").values(worker=None)


def _batched(items: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Yield items in batches: a statement takes only so many parameters."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


@cache
def _store(dialect: str) -> ReturningInsert[str]:
    insert = insert_into(dialect, table)
    return insert.on_conflict_do_update(
        index_elements=["id"],
        set_={"status": insert.excluded.status, "error": "", "finished_at": None, "worker": None},
        where=table.c.status == "failed",
    ).returning(table.c.id)


MOST_ANSWERS = 10
"""Comments of one person without *write* in a repository, with commands, answered in an hour."""


class StoredRefusals:
    """Implements ``handlers.issue_thread.Refusals`` on the refusals table.

    How often a person was answered is known to this process alone.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._answers = TTLCache[tuple[int, int], int](
            maxsize=10_000, ttl=3600, timer=lambda: clock.now().timestamp()
        )

    def may_answer(self, *, repository_id: int, user_id: int) -> bool:
        """Say whether a person without *write* may be answered once more in this hour."""
        asked = self._answers.get((repository_id, user_id), 0)
        if asked < MOST_ANSWERS:
            self._answers[repository_id, user_id] = asked + 1
        return asked < MOST_ANSWERS

    async def first(self, *, repository_id: int, issue: int, user_id: int, delivery: str) -> bool:
        """Say whether a delivery is the first to refuse a person something on an issue.

        It is stored before the refusal is sent; after a crash in between, the same delivery is
        handled again and is the first again. Raises ``Outage`` when the database fails.
        """
        place = {"repository_id": repository_id, "issue": issue, "user_id": user_id}
        row = place | {"delivery": delivery, "made_at": self._clock.now()}

        def is_first(connection: sa.Connection) -> bool:
            insert = insert_into(self._store.dialect, refusals_table).values(row)
            connection.execute(insert.on_conflict_do_nothing())
            found = sa.select(refusals_table.c.delivery).filter_by(**place)
            return connection.scalar(found) == delivery

        return await self._store.write(is_first)
