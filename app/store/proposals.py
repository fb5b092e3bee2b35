"""Proposals that people can decide on: what is open, where it can be seen, who decided.

A run makes a row when it shows a proposal, and the row stays, so that a late decision can be told
who was first. ``Queue.answer`` stores the decision itself, in the inbox that runs read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from pydantic import TypeAdapter

from app.store.database import Store, columns_of
from app.store.runs import Run
from app.store.schema import decisions as decisions_table
from app.store.schema import proposals as table
from app.store.schema import runs
from handlers.events import InstalledRepository
from handlers.ports import DecisionView, ProposalView, State
from runner.ports import Clock, Decision
from runner.state.proposal import Proposal, ProposalPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalOfRun:
    """A proposal of a run's state, to be kept; ``name`` is the task's as people write it.

    ``open`` says that the run waits, or is about to wait, for a decision about it. ``strategy`` is
    what people read, where it is no recovery's.
    """

    proposal: Proposal
    name: str
    open: bool
    strategy: str = ""


_SELECT = sa.select(
    table, runs.c.status.label("run_status"), runs.c.request.label("run_request")
).select_from(table.outerjoin(runs, runs.c.id == table.c.run))
_OPEN = table.c.state == "open"


@dataclass(frozen=True)
class StoredProposals:
    """The proposals table. Every method raises ``Outage`` when the database fails."""

    _store: Store
    _clock: Clock

    async def sync(self, run: Run, shown: Sequence[ProposalOfRun], *, poll_at: datetime) -> bool:
        """Let the rows of a run be what its state shows; the same once more changes nothing.

        A new proposal about a task supersedes its older ones. ``poll_at`` is when the reactions to
        a new one are asked for first. Says whether there is a new one.
        """

        def synced(connection: sa.Connection) -> bool:
            new = False
            query = sa.select(table.c.task, table.c.fingerprint, table.c.state)
            found = connection.execute(query.where(table.c.run == run.id))
            known = {(row.task, row.fingerprint): row.state for row in found}
            for each in shown:
                state = known.get((each.proposal.task, each.proposal.fingerprint))
                if state is None and each.open:
                    new = True
                    connection.execute(_insert(run, each, self._clock.now(), poll_at))
                    connection.execute(_superseded(run.id, each))
                elif state == "open":
                    connection.execute(_changed(run.id, each, poll_at))
            return new

        return await self._store.write(synced)

    async def close(self, run: str) -> None:
        """Close what is open of a run that ended: nobody would apply it."""
        await self._store.change(closed(run))

    async def on_pull(self, repository_id: int, number: int) -> list[ProposalView]:
        """Return the proposals shown on a pull request, the newest first."""
        here = (table.c.repository_id == repository_id) & (table.c.number == number)
        return await self._find(_SELECT.where(here).order_by(table.c.seq.desc()))

    async def is_open_on(self, repository_id: int, number: int) -> bool:
        """Say whether a pull request shows a proposal that is open."""
        here = (table.c.repository_id == repository_id) & (table.c.number == number)
        return (
            await self._store.value(sa.select(table.c.seq).where(here, _OPEN).limit(1)) is not None
        )

    async def of_issue(self, repository_id: int, issue: int) -> list[ProposalView]:
        """Return the proposals of the runs that were asked for on an issue, the newest first."""
        asked = (runs.c.repository_id == repository_id) & (runs.c.issue == issue)
        return await self._find(_SELECT.where(asked).order_by(table.c.seq.desc()))

    async def named(self, repository_id: int, id: str) -> list[ProposalView]:
        """Return the proposals of a repository whose fingerprint begins with ``id`` (hex)."""
        here = (table.c.repository_id == repository_id) & table.c.fingerprint.startswith(
            id, autoescape=True
        )
        return await self._find(_SELECT.where(here).order_by(table.c.seq.desc()))

    async def of_task(self, repository_id: int, roadmap: str, task: str) -> list[ProposalView]:
        """Return the open proposals about a task (key or written id) of a roadmap, of any run."""
        here = (table.c.repository_id == repository_id) & (table.c.roadmap == roadmap) & _OPEN
        is_it = (table.c.task == task) | (table.c.name == task)
        return await self._find(_SELECT.where(here, is_it).order_by(table.c.seq.desc()))

    async def open_in(self, repository_id: int, roadmap: str) -> list[ProposalView]:
        """Return the open ones about the tasks of a roadmap, the oldest first."""
        here = (table.c.repository_id == repository_id) & (table.c.roadmap == roadmap)
        return await self._find(_SELECT.where(_OPEN, here).order_by(table.c.seq))

    async def get(self, seq: int) -> ProposalView:
        """Return a row that is known to be there."""
        return (await self._find(_SELECT.where(table.c.seq == seq)))[0]

    async def open_since(self, before: datetime) -> list[ProposalView]:
        """Return the open proposals made at or before a time, the oldest first."""
        return await self._find(
            _SELECT.where(_OPEN, table.c.made_at <= before).order_by(table.c.seq)
        )

    async def oldest(self) -> datetime | None:
        """Return when the oldest open proposal was made."""
        return await self._store.value(sa.select(sa.func.min(table.c.made_at)).where(_OPEN))

    async def polls(self) -> dict[int, datetime]:
        """Return for each installation when the next poll of one of its proposals is due."""
        query = sa.select(table.c.installation_id, sa.func.min(table.c.next_poll_at))
        query = query.where(_OPEN, table.c.next_poll_at.is_not(None))
        found = await self._store.rows(query.group_by(table.c.installation_id))
        return {installation: at for installation, at in found}

    async def count(self, installation: int) -> int:
        """Return how many open proposals of an installation are asked about."""
        query = sa.select(sa.func.count()).select_from(table)
        asked = (table.c.installation_id == installation) & table.c.next_poll_at.is_not(None)
        return int(await self._store.value(query.where(_OPEN, asked)) or 0)

    async def claim(
        self,
        installation: int,
        *,
        due_by: datetime,
        most: int,
        again: Callable[[datetime], datetime],
    ) -> list[ProposalView]:
        """Take what was due at a time, the longest due first; ``again`` says from when it was made
        when the next poll is due, so that nobody else takes it meanwhile."""
        due = (table.c.installation_id == installation) & (table.c.next_poll_at <= due_by)
        query = _SELECT.where(_OPEN, due).order_by(table.c.next_poll_at, table.c.seq).limit(most)
        change = sa.update(table).where(table.c.seq == sa.bindparam("row"))
        change = change.values(next_poll_at=sa.bindparam("at"))

        def claimed(connection: sa.Connection) -> list[ProposalView]:
            found = [_row(row) for row in connection.execute(query)]
            if found:
                times = [{"row": each.seq, "at": again(each.made_at)} for each in found]
                connection.execute(change, times)
            return found

        return await self._store.write(claimed)

    async def put_off(self, rows: Sequence[ProposalView], until: datetime) -> None:
        """Ask for the reactions to these not before a time, unless something happens there."""
        these = table.c.seq.in_([each.seq for each in rows]) & table.c.next_poll_at.is_not(None)
        await self._store.change(sa.update(table).where(these, _OPEN).values(next_poll_at=until))

    async def touch(self, repository_id: int, number: int) -> bool:
        """Let the reactions on a pull request be asked for at once; False when none is open."""
        here = (table.c.repository_id == repository_id) & (table.c.number == number)
        change = sa.update(table).where(here, _OPEN, table.c.next_poll_at.is_not(None))
        return await self._store.change(change.values(next_poll_at=self._clock.now())) > 0

    async def lose_comment(self, seq: int) -> bool:
        """Remember that nobody can react any more; False when that was known."""
        change = sa.update(table).where(table.c.seq == seq, table.c.comment_node_id != "")
        return await self._store.change(change.values(comment_node_id="", next_poll_at=None)) > 0

    async def _find(self, query: sa.Select[Any]) -> list[ProposalView]:
        return [_row(row) for row in await self._store.rows(query)]


def closed(run: str) -> sa.Update:
    """Close what is open of a run."""
    change = sa.update(table).where(table.c.run == run, _OPEN)
    return change.values(state="closed", next_poll_at=None)


def decided(
    connection: sa.Connection, run: str, decision: Decision, *, delivery: str, now: datetime
) -> bool:
    """Settle the proposal a decision is about; False if it is not open (any more).

    A decision about no proposal in particular, or one nobody keeps a row of, has nothing to settle.
    """
    is_it = (
        (table.c.run == run)
        & (table.c.task == decision.task)
        & (table.c.fingerprint == decision.fingerprint)
    )
    if decision.verdict == "pushed":  # it stays open until the run shows what was pushed
        return connection.scalar(sa.select(table.c.seq).where(is_it, _OPEN)) is not None
    settled = {
        "state": _state_after(decision),
        "decided_by": decision.by,
        "decided_at": now,
        "channel": decision.channel,
        "delivery": delivery,
        "next_poll_at": None,
    }
    change = connection.execute(sa.update(table).where(is_it, _OPEN).values(settled))
    if change.rowcount:
        return True
    return connection.scalar(sa.select(table.c.seq).where(is_it)) is None


def _state_after(decision: Decision) -> State:
    if decision.verdict == "defer":
        return "expired"
    if decision.channel == "retry":
        return "superseded"
    return "approved" if decision.verdict in ("approve", "edit") else "rejected"


def _insert(run: Run, shown: ProposalOfRun, now: datetime, poll_at: datetime) -> sa.Insert:
    own = shown.proposal
    return sa.insert(table).values(
        task=own.task,
        fingerprint=own.fingerprint,
        strategy=shown.strategy or own.strategy,
        name=shown.name,
        **asdict(own.place),
        run=run.id,
        **columns_of(run.repository),
        roadmap=run.roadmap,
        state="open",
        made_at=now,
        next_poll_at=poll_at if own.place.comment_node_id else None,
    )


def _superseded(run: str, shown: ProposalOfRun) -> sa.Update:
    """Older proposals about the task: also one that was approved, and found stale then."""
    older = (table.c.task == shown.proposal.task) & (
        table.c.fingerprint != shown.proposal.fingerprint
    )
    change = sa.update(table).where(
        table.c.run == run, older, table.c.state.in_(("open", "approved"))
    )
    return change.values(state="superseded", next_poll_at=None)


def _changed(run: str, shown: ProposalOfRun, poll_at: datetime) -> sa.Update:
    """An open row whose task went on without a decision, or whose place is known only now."""
    own = shown.proposal
    is_it = (table.c.task == own.task) & (table.c.fingerprint == own.fingerprint)
    change = sa.update(table).where(table.c.run == run, is_it, _OPEN)
    if not shown.open:
        return change.values(state="closed", next_poll_at=None)
    place = asdict(own.place)
    found = place.pop("comment_node_id")
    due = table.c.next_poll_at
    first = sa.case((table.c.comment_node_id == found, due), else_=sa.literal(poll_at, due.type))
    if not found:
        return change.values(place)
    return change.values(**place, comment_node_id=found, next_poll_at=first)


def _row(row: sa.Row[Any]) -> ProposalView:
    """The view of a row; of a run that is gone nothing can be applied any more."""
    asked = row.run_request or {}
    decision = DecisionView(row.decided_by, row.channel, row.delivery)
    return ProposalView(
        seq=row.seq,
        run=row.run,
        task=row.task,
        name=row.name,
        fingerprint=row.fingerprint,
        strategy=row.strategy,
        repository=InstalledRepository(row.repository_id, row.repository, row.installation_id),
        roadmap=row.roadmap,
        place=ProposalPlace(row.number, row.url, row.comment_id, row.comment_node_id),
        state=row.state,
        made_at=row.made_at,
        decision=decision if row.decided_at else None,
        run_status=row.run_status or "ended",
        starter=int(asked.get("starter") or asked.get("by_id") or 0),
    )


_DECISION = TypeAdapter(Decision)
_FIELDS = tuple(field.name for field in fields(Decision))


@dataclass(frozen=True)
class StoredDecisions:
    """The ``Decisions`` port. Every method raises ``Outage`` when the database fails."""

    _store: Store

    async def waiting(self, run: str) -> tuple[str, ...]:
        """Return the tasks with a decision not applied yet, the oldest first."""
        open_ = (decisions_table.c.run == run) & decisions_table.c.step.is_(None)
        query = sa.select(decisions_table.c.task).where(open_).order_by(decisions_table.c.seq)
        return tuple(dict.fromkeys(task for (task,) in await self._store.rows(query)))

    async def taken(self, run: str) -> list[tuple[str, Decision]]:
        """Return what was decided, and which step of its task took it; the oldest first."""
        names = ("step", *_FIELDS)
        of = (decisions_table.c.run == run) & decisions_table.c.step.is_not(None)
        query = sa.select(*(decisions_table.c[name] for name in names)).where(of)
        found = await self._store.rows(query.order_by(decisions_table.c.seq))
        return [
            (row[0], _DECISION.validate_python(dict(zip(_FIELDS, row[1:], strict=True))))
            for row in found
        ]

    async def take(self, run: str, task: str, step: str) -> Decision | None:
        """Hand the oldest open decision to a step; a step that asks again gets the same."""
        about = (decisions_table.c.run == run) & (decisions_table.c.task == task)
        mine = sa.select(*(decisions_table.c[name] for name in _FIELDS))

        def taken(connection: sa.Connection) -> sa.Row[Any] | None:
            if not connection.scalar(
                sa.select(decisions_table.c.seq).where(about, decisions_table.c.step == step)
            ):
                oldest = sa.select(sa.func.min(decisions_table.c.seq)).where(
                    about, decisions_table.c.step.is_(None)
                )
                is_oldest = decisions_table.c.seq == oldest.scalar_subquery()
                connection.execute(sa.update(decisions_table).where(is_oldest).values(step=step))
            return connection.execute(mine.where(about, decisions_table.c.step == step)).first()

        found = await self._store.write(taken)
        return _DECISION.validate_python(found._asdict()) if found else None
