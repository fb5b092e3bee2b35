"""The wakeups: which runs want to work, and which of them may work now.

A wakeup is a row that lets a run continue. The transaction that settles the previous wakeup decides
what may run, and only that goes to the engine: waiting costs rows, not workers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app.store.runs import PLACES, Status
from app.store.schema import runs, wakeups
from runner.ports import Clock

Enqueue = Callable[[Connection, str], None]
"""Hands a wakeup to the engine inside the caller's transaction."""

WORKING: tuple[Status, ...] = ("running", "cancelling", "pausing")


class Wakeups:
    """Methods for use inside a writing transaction.

    ``at_once`` segments work at the same time; None: as many as all living workers have slots for.
    ``worker`` names this process. ``stop`` enqueues what is only to be told that it stops.
    """

    def __init__(
        self,
        clock: Clock,
        enqueue: Enqueue,
        *,
        at_once: int | None,
        worker: str = "local",
        stop: Enqueue | None = None,
    ) -> None:
        self._clock = clock
        self._enqueue = enqueue
        self._stop = stop or enqueue
        self._at_once = at_once
        self.worker = worker

    def places(self, connection: sa.Connection) -> int:
        """How many segments may work at the same time."""
        if self._at_once is not None:
            return self._at_once
        return int(connection.scalar(PLACES) or 0)

    def run_of(self, wakeup: str) -> sa.Select[tuple[str]]:
        """The run of a wakeup that still has work, unless another process has taken it over."""
        mine = sa.func.coalesce(wakeups.c.worker, self.worker) == self.worker
        return sa.select(wakeups.c.run).where(mine).filter_by(id=wakeup, status="sent")

    def wake(self, connection: sa.Connection, run: str, place: int | None = None) -> None:
        """Let the run continue, unless it has a wakeup already; then send what may work.

        ``place`` is the one it was told to have in the line.
        """
        unsettled = sa.select(wakeups.c.id).where(wakeups.c.run == run, wakeups.c.status != "done")
        if connection.scalar(unsettled) is None:
            nth = connection.scalar(
                sa.select(sa.func.count()).select_from(wakeups).where(wakeups.c.run == run)
            )
            connection.execute(_new(run, f"{run}-{nth}", self._clock.now(), place))
        self.send(connection)

    def done(self, connection: sa.Connection, settled: Collection[str]) -> None:
        """Settle wakeups; the caller has already stored what their runs want next."""
        values = {"status": "done", "done_at": self._clock.now()}
        connection.execute(sa.update(wakeups).where(wakeups.c.id.in_(settled)).values(values))

    def others_wait(self, connection: sa.Connection, wakeup: str) -> bool:
        """Say whether another run's wakeup could work if the place of this one were free."""
        places = self.places(connection)
        return connection.execute(_next(places, but=wakeup)).first() is not None

    def send(self, connection: sa.Connection) -> None:
        """Give the engine as many wakeups as may work now, the next in order first.

        A run that is to stop needs no place: it only has to be told. (It must not wait either: it
        holds its stack, so that it and a run of that stack that gave way would wait for ever.)
        """
        for chosen in connection.execute(_TO_STOP).all():
            self._send(connection, chosen.id, chosen.run, self._stop)
        places = self.places(connection)
        while int(connection.scalar(_SENT) or 0) < places:
            wakeup = connection.execute(_next(places)).first()
            if wakeup is None:
                return
            self._send(connection, wakeup.id, wakeup.run, self._enqueue)

    def _send(self, connection: sa.Connection, wakeup: str, run: str, enqueue: Enqueue) -> None:
        now = self._clock.now()
        sent = sa.update(wakeups).where(wakeups.c.id == wakeup)
        connection.execute(sent.values(status="sent", sent_at=now))
        works = sa.update(runs).where(runs.c.id == run, runs.c.status == "queued")
        connection.execute(works.values(status="running", until=None, updated_at=now))
        enqueue(connection, wakeup)


def _new(run: str, id: str, now: datetime, told: int | None) -> sa.Insert:
    """A wakeup takes repository, roadmap and priority from its run."""
    place = sa.select(
        sa.literal(id),
        runs.c.id,
        runs.c.repository_id,
        runs.c.roadmap,
        runs.c.priority,
        sa.literal("waiting"),
        sa.literal(now, wakeups.c.made_at.type),
        sa.literal(told, wakeups.c.place.type),
    ).where(runs.c.id == run)
    names = ["id", "run", "repository_id", "roadmap", "priority", "status", "made_at", "place"]
    return sa.insert(wakeups).from_select(names, place)


_SENT = sa.select(sa.func.count()).select_from(wakeups).where(wakeups.c.status == "sent")

_other = runs.alias("other")
_stack_is_taken = (
    sa.select(_other.c.seq)
    .where(
        _other.c.status.in_(WORKING),
        _other.c.until.is_(None),  # who is still to be told that it is cancelled only rests
        _other.c.repository_id == wakeups.c.repository_id,
        _other.c.roadmap == wakeups.c.roadmap,
        _other.c.id != wakeups.c.run,
    )
    .exists()
)
_TO_STOP = (
    sa.select(wakeups.c.id, wakeups.c.run)
    .join(runs, runs.c.id == wakeups.c.run)
    .where(wakeups.c.status == "waiting", runs.c.status.in_(("cancelling", "pausing")))
)
_peer = wakeups.alias("peer")
_served = (
    sa.select(sa.func.max(_peer.c.sent_at))
    .where(_peer.c.repository_id == wakeups.c.repository_id)
    .scalar_subquery()
)
_at_work = sa.select(sa.func.count()).where(
    _peer.c.repository_id == wakeups.c.repository_id, _peer.c.status == "sent"
)
_is_shared = sa.select(sa.func.max(runs.c.repository_id) != sa.func.min(runs.c.repository_id))
# Priority first; among equals the repository that was served longest ago, then the oldest wakeup
# (``line.py`` says the same of all that wait).
_NEXT = (
    sa.select(wakeups.c.id, wakeups.c.run)
    .where(wakeups.c.status == "waiting", ~_stack_is_taken)
    .order_by(wakeups.c.priority.desc(), sa.func.coalesce(_served, 0), wakeups.c.seq)
    .limit(1)
)


def _next(places: int, but: str = "") -> sa.Select[tuple[str, str]]:
    """The wakeup that goes next; ``but`` is one that gives its place away.

    Where several repositories share the places, none takes the last one: it may hang.
    """
    if places < 2:
        return _NEXT
    taken = _at_work.where(_peer.c.id != but).scalar_subquery()
    return _NEXT.where((taken < places - 1) | ~_is_shared.scalar_subquery())
