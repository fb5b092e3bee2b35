"""Events that wait for the operator's webhook: kept until they are sent, in order for each run.

So do notices for people: each of their addresses has a channel of its own, the webhook has ''.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.store.database import Store, insert_into
from app.store.runs import OVER
from app.store.schema import outbox as table
from app.store.schema import runs
from runner.ports import Clock
from runner.state.outward import OutwardEvent

MOST = 100_000
"""Events that wait at most; beyond that the oldest are dropped."""

AGE = timedelta(days=3)
"""An event that was not taken for so long is dropped."""

KEPT = timedelta(days=4)
"""How long an event is known, at least; it is not kept once more meanwhile."""


@dataclass(frozen=True, slots=True)
class WaitingEvent:
    """An event to send; ``tries`` counts the times it was not taken."""

    seq: int
    id: str
    event: str
    body: str
    tries: int


class Outbox:
    """The ``EventSink`` of a channel. Every method raises ``Outage`` when the database fails."""

    def __init__(self, store: Store, clock: Clock, *, most: int = MOST, channel: str = "") -> None:
        self._most = most
        self._channel = channel
        self._store = store
        self._clock = clock

    async def put(self, events: Sequence[OutwardEvent]) -> None:
        """Keep events until they are sent; one that is there already is not kept twice."""
        now = self._clock.now()
        rows = [
            {
                "id": each.id + self._channel, "run": each.run, "channel": self._channel,
                "event": each.name, "body": json.dumps(each.fields), "made_at": now,
                "status": "waiting", "tries": 0, "next_at": now,
            }
            for each in events
        ]  # fmt: skip
        once = insert_into(self._store.dialect, table).on_conflict_do_nothing()
        await self._store.write(lambda connection: connection.execute(once, rows))

    async def due(self, most: int) -> list[WaitingEvent]:
        """Return what may be sent now: the oldest event of each run, unless it waits for later."""
        columns = [table.c[name] for name in WaitingEvent.__slots__]
        first = table.c.seq.in_(sa.select(_firsts(self._channel).c.seq))
        query = sa.select(*columns).where(first, table.c.next_at <= self._clock.now())
        found = await self._store.rows(query.order_by(table.c.seq).limit(most))
        return [WaitingEvent(*row) for row in found]

    async def next_at(self) -> datetime | None:
        """Return when the next event may be sent; None when none waits."""
        firsts = sa.select(_firsts(self._channel).c.seq)
        query = sa.select(sa.func.min(table.c.next_at)).where(table.c.seq.in_(firsts))
        return await self._store.value(query)

    async def settle(self, sent: Sequence[int], later: Sequence[tuple[int, datetime]]) -> None:
        """Record which events were sent, and when the others are tried again."""

        def in_transaction(connection: sa.Connection) -> None:
            if sent:
                done = sa.update(table).where(table.c.seq.in_(sent))
                connection.execute(done.values(status="sent", body=""))
            for seq, when in later:
                again = sa.update(table).where(table.c.seq == seq)
                connection.execute(again.values(tries=table.c.tries + 1, next_at=when))

        await self._store.write(in_transaction)

    async def tidy(self) -> int:
        """Drop what waits for too long or is too much, and forget what was sent; say how many.

        An event of a run that is not over stays known: the run may tell it again.
        """
        now = self._clock.now()
        newest = sa.select(table.c.seq).where(table.c.status == "waiting")
        kept = newest.order_by(table.c.seq.desc()).limit(1).offset(self._most).scalar_subquery()
        too_old = (table.c.made_at < now - AGE) | (table.c.seq <= kept)
        drop = sa.update(table).where(table.c.status == "waiting", too_old)
        over = sa.select(runs.c.id).where(runs.c.status.in_(OVER))
        gone = table.c.run.in_(over) | (table.c.run == "")
        old = sa.delete(table).where(
            table.c.status != "waiting", table.c.made_at < now - KEPT, gone
        )

        def in_transaction(connection: sa.Connection) -> int:
            dropped: sa.CursorResult[Any] = connection.execute(
                drop.values(status="dropped", body="")
            )
            connection.execute(old)
            return dropped.rowcount

        return await self._store.write(in_transaction)


def _firsts(channel: str) -> sa.Subquery:
    """The oldest event of each run that waits in a channel."""
    seq, waits = sa.func.min(table.c.seq).label("seq"), table.c.status == "waiting"
    query = sa.select(seq).where(waits, table.c.channel == channel)
    return query.group_by(table.c.run).subquery()
