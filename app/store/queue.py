"""The queue: what happens to runs and their wakeups, one transaction for each event."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.store.audit import AuditEntry, note
from app.store.database import Store, columns_of, insert_into
from app.store.line import order_of
from app.store.proposals import closed, decided
from app.store.runs import (
    PERSON,
    PULL_ENDED,
    TIMED_OUT,
    UNFINISHED,
    UNINSTALLED,
    RunRequest,
    Status,
)
from app.store.schema import decisions, proposals
from app.store.schema import runs as table
from app.store.schema import wakeups as wakeups_table
from app.store.wakeups import WORKING, Wakeups
from handlers.events import InstalledRepository
from runner.errors import REVIEWS, STOP_REQUEST
from runner.ports import Clock, Decision


@dataclass(frozen=True, slots=True)
class Affected:
    """The runs of an installation, or of one of its repositories."""

    installation: int
    repository: int | None = None

    @property
    def condition(self) -> sa.ColumnElement[bool]:
        """Which rows these are."""
        here = table.c.installation_id == self.installation
        return (
            here if self.repository is None else here & (table.c.repository_id == self.repository)
        )


class Queue:
    """Every method raises ``Outage`` when the database fails; nothing is then half done."""

    def __init__(self, store: Store, clock: Clock, wakeups: Wakeups) -> None:
        self._store = store
        self._clock = clock
        self._wakeups = wakeups

    async def start(
        self, request: RunRequest, comment: int | None = None, place: int | None = None
    ) -> bool:
        """Queue a run; False when a run of this id is known (nothing changes then).

        ``comment`` is the id of its progress comment, where it has one already; ``place`` the one
        in the line that it says.
        """
        now = self._clock.now()
        row = request.columns | {"status": "queued", "created_at": now, "updated_at": now}
        row["progress_comment_id"] = comment
        if minutes := request.request.get("queue_minutes"):
            row["until"] = now + timedelta(minutes=minutes)

        def in_transaction(connection: sa.Connection) -> bool:
            insert = insert_into(connection.dialect.name, table).values(row)
            once = insert.on_conflict_do_nothing(index_elements=["id"]).returning(table.c.id)
            new = connection.scalar(once) is not None
            if new:
                by, what = str(request.request.get("by") or ""), f"a run of {request.roadmap}"
                entry = AuditEntry(
                    at=now,
                    repository_id=request.repository.id,
                    action="started",
                    by=by,
                    what=what,
                    run=request.id,
                )
                note(connection, entry)
                self._wakeups.wake(connection, request.id, place)
            return new

        return await self._store.write(in_transaction)

    async def set_status(
        self,
        run: str,
        status: Status,
        *,
        allowed: Collection[Status],
        reason: str = "",
        cause: str = "",
    ) -> bool:
        """Give a run a new status and wake it; False when it is in none of the ``allowed``."""
        values = {"status": status, "reason": reason, "cause": cause, "until": None}

        def in_transaction(connection: sa.Connection) -> bool:
            moved = self._move(connection, run, values, allowed)
            if moved:
                self._wakeups.wake(connection, run)
            return moved

        return await self._store.write(in_transaction)

    async def answer(self, run: str, delivery: str, decision: Decision) -> bool:
        """Store a decision and wake its run, in one transaction; False for one that is known.

        The first one about a proposal wins: later ones are not stored. It may come before, while or
        after the run parks: it is applied once, at the next chance.
        """
        now = self._clock.now()
        row = asdict(decision) | {"run": run, "delivery": delivery, "made_at": now}

        def in_transaction(connection: sa.Connection) -> bool:
            if not decided(connection, run, decision, delivery=delivery, now=now):
                return False
            insert = insert_into(connection.dialect.name, decisions).values(row)
            once = insert.on_conflict_do_nothing().returning(decisions.c.seq)
            if connection.scalar(once) is None:
                return False
            here = sa.select(table.c.repository_id).where(table.c.id == run)
            about = decision.fingerprint[:8] or decision.task  # as people know it, a proposal's id
            what = f"{decision.verdict} {about} ({decision.channel or 'command'})"
            entry = AuditEntry(
                at=now,
                repository_id=connection.scalar(here),
                action="decided",
                by=decision.by,
                what=what,
                run=run,
            )
            note(connection, entry)
            self._move(connection, run, {"status": "queued", "reason": ""}, ("waiting",))
            status = connection.scalar(sa.select(table.c.status).where(table.c.id == run))
            if status in ("queued", *WORKING):
                self._wakeups.wake(connection, run)
            return True

        return await self._store.write(in_transaction)

    async def take(self, wakeup: str) -> str | None:
        """Let this process work on a wakeup; return its run, None when it was settled before.

        Who worked on it before is dead, or was told to stop: it cannot settle it any more.
        """
        table = wakeups_table
        taken = sa.update(table).where(table.c.id == wakeup, table.c.status == "sent")

        def in_transaction(connection: sa.Connection) -> str | None:
            mine = taken.values(worker=self._wakeups.worker).returning(table.c.run)
            run: str | None = connection.scalar(mine)
            return run

        return await self._store.write(in_transaction)

    async def open_run(self, wakeup: str) -> str | None:
        """Return the run of a wakeup that is this process's; None when it was settled before."""
        return await self._store.value(self._wakeups.run_of(wakeup))

    async def fill(self) -> None:
        """Let as many runs work as there are places: there may be more than before."""
        await self._store.write(self._wakeups.send)

    async def settle(
        self,
        wakeup: str,
        run: str,
        status: Status,
        *,
        reason: str = "",
        until: datetime | None = None,
        result: Mapping[str, Any] | None = None,
        cancel_at: datetime | None = None,
        cause: str = "",
    ) -> None:
        """End a wakeup: how its run stopped, and who may work next, in one transaction.

        What a person asked for outlives a pause for another reason: a run to cancel stays
        ``cancelling`` until ``cancel_at``, or is cancelled when there is no such time; a run to
        pause waits until somebody resumes it. ``cause`` is the kind of the outage that paused it.
        Where another process has taken the wakeup over, nothing changes.
        """
        did = {} if result is None else {"result": dict(result)}

        def in_transaction(connection: sa.Connection) -> None:
            values = {"status": status, "reason": reason, "cause": cause, "until": until, **did}
            if connection.scalar(self._wakeups.run_of(wakeup)) is None:
                return
            asked = status == "paused" and self._stop_as_asked(connection, run, did, cancel_at)
            withdrawn = status == "paused" and cause == STOP_REQUEST and not asked
            if (status, cause) == ("waiting", REVIEWS):
                # a pull request may have ended while the run found that too many are open
                query = sa.select(table.c.cause).where(table.c.id == run)
                withdrawn = connection.scalar(query) == PULL_ENDED
            if withdrawn:  # nobody wants the pause any more: its cause is over
                values = {"status": "queued", "reason": "", "cause": "", "until": None, **did}
            if not asked:
                self._move(connection, run, values, WORKING)
            self._wakeups.done(connection, [wakeup])
            if withdrawn:
                self._wakeups.wake(connection, run)
            self._wakeups.send(connection)

        await self._store.write(in_transaction)

    async def pull_ended(self, where: Affected) -> int:
        """Continue what rests because too many pull requests are open; return how many runs.

        A run at work may just have counted them, so it is noted there, and looked at when it rests.
        """
        here, queued = where.condition, {"status": "queued", "reason": "", "cause": ""}

        def in_transaction(connection: sa.Connection) -> int:
            for run in self._found(connection, here & (table.c.status == "running")):
                self._move(connection, run, {"cause": PULL_ENDED}, ("running",))
            waits = (table.c.status == "waiting") & (table.c.cause == REVIEWS)
            found = self._found(connection, here & waits)
            for run in found:
                self._move(connection, run, queued, ("waiting",))
                self._wakeups.wake(connection, run)
            return len(found)

        return await self._store.write(in_transaction)

    def _stop_as_asked(
        self,
        connection: sa.Connection,
        run: str,
        did: Mapping[str, Any],
        cancel_at: datetime | None,
    ) -> bool:
        """Let a run stop as a person asked, for their reason; False when nobody asked."""
        stays = {"status": "cancelling" if cancel_at else "cancelled", "until": cancel_at, **did}
        rests = {"status": "paused", "until": None, **did}
        over = {"status": "cancelled", "until": None, **did}
        return (
            self._move(connection, run, over, ("cancelling",), table.c.cause == UNINSTALLED)
            or self._move(connection, run, stays, ("cancelling",))
            or self._move(connection, run, rests, ("pausing",))
        )

    async def give_way(self, wakeup: str, run: str) -> bool:
        """End a wakeup between two tasks if another one waits; the run's next one is made at once.

        False when nobody waits, and the run simply continues.
        """

        def in_transaction(connection: sa.Connection) -> bool:
            if connection.scalar(self._wakeups.run_of(wakeup)) is None:
                return True
            if not self._wakeups.others_wait(connection, wakeup):
                return False
            self._wakeups.done(connection, [wakeup])
            self._wakeups.wake(connection, run)
            return True

        return await self._store.write(in_transaction)

    async def others_wait(self, run: str) -> bool:
        """Say whether another run could work if this one, which is at work, gave its place away."""
        own = sa.select(wakeups_table.c.id).where(
            wakeups_table.c.run == run, wakeups_table.c.status == "sent"
        )

        def asked(connection: sa.Connection) -> bool:
            return self._wakeups.others_wait(connection, connection.scalar(own) or "")

        return await self._store.read(asked)

    async def sent(self) -> list[str]:
        """Return the wakeups the engine has."""
        query = sa.select(wakeups_table.c.id).where(wakeups_table.c.status == "sent")
        return [id for (id,) in await self._store.rows(query)]

    async def take_up(self, lost: Collection[str]) -> None:
        """At start: continue what has no open wakeup although it should work.

        ``lost`` are wakeups the engine no longer knows. What paused for an unknown time is tried
        again: it may work now, and so may what waits for reviews. What a person paused stays so.
        """
        untimed = (table.c.status == "paused") & table.c.until.is_(None) & (table.c.cause != PERSON)
        untimed |= (table.c.status == "waiting") & (table.c.cause == REVIEWS)
        left = table.c.status.in_(("queued", "running", "cancelling", "pausing"))

        def in_transaction(connection: sa.Connection) -> None:
            self._wakeups.done(connection, lost)
            self._wake_all(connection, (left & ~_has_wakeup) | untimed)
            self._wakeups.send(connection)  # there may be more places than before

        await self._store.write(in_transaction)

    async def pause_where(self, where: Affected, *, cause: str, reason: str) -> int:
        """Pause what waits or works of an installation; return how many runs."""
        here = where.condition & table.c.status.in_(("queued", "running"))

        def in_transaction(connection: sa.Connection) -> int:
            moved = 0
            for run in self._found(connection, here):
                values = {"status": "pausing", "reason": reason, "cause": cause, "until": None}
                moved += self._move(connection, run, values, ("queued", "running"))
                self._wakeups.wake(connection, run)
            return moved

        return await self._store.write(in_transaction)

    async def wake_where(self, where: Affected, causes: Collection[str]) -> int:
        """Continue what was paused by one of these causes; return how many runs."""
        here = where.condition & table.c.cause.in_(causes)
        going = {"status": "running", "reason": "", "cause": ""}

        def in_transaction(connection: sa.Connection) -> int:
            moved = 0
            for run in self._found(connection, here & (table.c.status == "pausing")):
                moved += self._move(connection, run, going, ("pausing",))
            paused = here & (table.c.status == "paused")
            moved += self._wake_all(connection, paused)
            return moved

        return await self._store.write(in_transaction)

    async def follow(self, repository: InstalledRepository) -> int:
        """Let runs and proposals follow a repository to another name or installation."""
        values = columns_of(repository)

        def in_transaction(connection: sa.Connection) -> int:
            shown = sa.update(proposals).where(proposals.c.repository_id == repository.id)
            connection.execute(shown.values(values))
            change = sa.update(table).where(table.c.repository_id == repository.id)
            return connection.execute(change.values(values)).rowcount

        return await self._store.write(in_transaction)

    async def hide(self, repository_id: int, *, private: bool) -> int:
        """Note for all runs of a repository whether it is private now: their links depend on it."""

        def in_transaction(connection: sa.Connection) -> int:
            found = sa.select(table.c.id, table.c.request).where(
                table.c.repository_id == repository_id
            )
            rows = connection.execute(found).all()
            for id, request in rows:
                values = {"request": {**request, "private": private}}
                connection.execute(sa.update(table).where(table.c.id == id).values(values))
            return len(rows)

        return await self._store.write(in_transaction)

    async def cancel_where(self, where: Affected, *, reason: str) -> int:
        """Cancel every run of an installation that is gone, and close what they propose.

        What is at work stops at its next node and is cancelled then; people are not told.
        """
        values = {"reason": reason, "cause": UNINSTALLED, "until": None}

        def in_transaction(connection: sa.Connection) -> int:
            moved = 0
            for run in self._found(connection, where.condition & table.c.status.in_(UNFINISHED)):
                connection.execute(closed(run))
                ends = self._move(
                    connection, run, values | {"status": "cancelled"}, UNFINISHED, ~_has_wakeup
                )
                stops = values | {"status": "cancelling"}
                moved += ends or self._move(connection, run, stops, UNFINISHED)
                if not ends:
                    self._wakeups.wake(connection, run)
            return moved

        return await self._store.write(in_transaction)

    async def repositories(self, installation: int) -> dict[int, str]:
        """Return the repositories of an installation in which a run is unfinished: id and name."""
        here = (table.c.installation_id == installation) & table.c.status.in_(UNFINISHED)
        query = sa.select(table.c.repository_id, table.c.repository).where(here)
        return {id: name for id, name in await self._store.rows(query.order_by(table.c.seq))}

    def _found(self, connection: sa.Connection, which: sa.ColumnElement[bool]) -> Sequence[str]:
        found = connection.execute(sa.select(table.c.id).where(which).order_by(table.c.seq))
        return found.scalars().all()

    async def due(self) -> datetime | None:
        """Wake the runs whose time has come; return when the next one's comes.

        One that is still queued does not start any more: it is only told so.
        """
        now = self._clock.now()
        waits = table.c.status.in_(("paused", "cancelling")) & ~_has_wakeup
        queued = table.c.status == "queued"

        def in_transaction(connection: sa.Connection) -> None:
            self._wake_all(connection, waits & (table.c.until <= now))
            for run in self._found(connection, queued & (table.c.until <= now)):
                was = {
                    "cause": TIMED_OUT,
                    "until": None,
                    "result": self._before(connection, run),
                }
                values = {"status": "cancelling", **was}
                self._move(connection, run, values, ("queued",))
                self._wakeups.wake(connection, run)

        await self._store.write(in_transaction)
        waits |= queued
        nearest = sa.select(sa.func.min(table.c.until)).where(waits, table.c.until > now)
        return await self._store.value(nearest)

    def _before(self, connection: sa.Connection, run: str) -> dict[str, object]:
        """What kept a run from its turn: which runs work, and how many wait before it."""
        line = order_of(connection)
        own = next(each for each in line if each.run == run)
        at_work = sa.select(wakeups_table.c.run, wakeups_table.c.repository_id)
        at_work = at_work.where(wakeups_table.c.status == "sent").order_by(wakeups_table.c.seq)
        found = connection.execute(at_work).all()
        here = [id for id, repository in found if repository == own.repository_id]
        others = {"elsewhere": len(found) - len(here), "before": line.index(own)}
        return {"attempted": False, "here": here, **others}

    async def is_quiet(self) -> bool:
        """Say whether nothing works and nothing waits for a place."""
        query = sa.select(sa.func.count()).where(wakeups_table.c.status != "done")
        return not await self._store.value(query)

    async def look_again(self, repository: int, pull: int) -> int:
        """Let the runs about a pull request that wait for an answer see that it has changed."""
        here = (table.c.repository_id == repository) & (table.c.issue == pull)

        def in_transaction(connection: sa.Connection) -> int:
            return self._wake_all(connection, here & (table.c.status == "waiting"))

        return await self._store.write(in_transaction)

    def _wake_all(self, connection: sa.Connection, which: sa.ColumnElement[bool]) -> int:
        runs = self._found(connection, which)
        for run in runs:
            queued = {"status": "queued", "reason": "", "cause": "", "until": None}
            self._move(connection, run, queued, ("paused", "waiting"))
            self._wakeups.wake(connection, run)
        return len(runs)

    def _move(
        self,
        connection: sa.Connection,
        run: str,
        values: Mapping[str, Any],
        allowed: Collection[str],
        also: sa.ColumnElement[bool] | None = None,
    ) -> bool:
        change = sa.update(table).where(table.c.id == run, table.c.status.in_(allowed))
        if also is not None:
            change = change.where(also)
        done = connection.execute(change.values({**values, "updated_at": self._clock.now()}))
        return done.rowcount == 1


_has_wakeup = (
    sa.select(wakeups_table.c.seq)
    .where(wakeups_table.c.run == table.c.id, wakeups_table.c.status != "done")
    .exists()
)
