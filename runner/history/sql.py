"""The tables of the history and every statement on them, for SQLite and PostgreSQL alike.

Parameters have names (``:run``). The server's migrations make the same tables; a test compares
them. Ids of repositories are 0 on a checkout.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from json import dumps, loads
from typing import Any, Final, Protocol, TypeVar

from runner.history.inquiry import AHEAD, HistoryQuery, Recalled, Totals
from runner.history.records import (
    DAY,
    VERSION,
    Execution,
    NodeRecord,
    UnreadableRecord,
    from_json,
)
from runner.history.totals import Counted, DayTotal, Tally, counted, merged, taken_back
from runner.money import Usage

TABLES: Final = (
    """CREATE TABLE IF NOT EXISTS executions (
        run TEXT NOT NULL, task TEXT NOT NULL, attempt INTEGER NOT NULL,
        repository_id BIGINT NOT NULL, repository TEXT NOT NULL, installation_id BIGINT NOT NULL,
        name TEXT NOT NULL, title TEXT NOT NULL, started_by TEXT NOT NULL, how TEXT NOT NULL,
        at DOUBLE PRECISION NOT NULL, day INTEGER NOT NULL,
        route TEXT NOT NULL, complexity TEXT NOT NULL, kind TEXT NOT NULL, loop TEXT NOT NULL,
        model TEXT NOT NULL, status TEXT NOT NULL, failed INTEGER NOT NULL, error TEXT NOT NULL,
        severity TEXT NOT NULL, strategy TEXT NOT NULL, tokens BIGINT NOT NULL,
        cost DOUBLE PRECISION NOT NULL, unpriced INTEGER NOT NULL, calls INTEGER NOT NULL,
        seconds DOUBLE PRECISION NOT NULL, version INTEGER NOT NULL,
        data TEXT NOT NULL, counted TEXT NOT NULL,
        CONSTRAINT pk_executions PRIMARY KEY (run, task, attempt))""",
    """CREATE TABLE IF NOT EXISTS execution_nodes (
        run TEXT NOT NULL, task TEXT NOT NULL, attempt INTEGER NOT NULL, node TEXT NOT NULL,
        visits INTEGER NOT NULL, seconds DOUBLE PRECISION NOT NULL, tokens BIGINT NOT NULL,
        cost DOUBLE PRECISION NOT NULL, calls INTEGER NOT NULL, unpriced INTEGER NOT NULL,
        CONSTRAINT pk_execution_nodes PRIMARY KEY (run, task, attempt, node))""",
    """CREATE TABLE IF NOT EXISTS execution_totals (
        scope TEXT NOT NULL, day INTEGER NOT NULL, dimension TEXT NOT NULL, value TEXT NOT NULL,
        seen BIGINT NOT NULL, finished BIGINT NOT NULL, good BIGINT NOT NULL,
        seconds DOUBLE PRECISION NOT NULL, tokens BIGINT NOT NULL, cost DOUBLE PRECISION NOT NULL,
        calls BIGINT NOT NULL, unpriced BIGINT NOT NULL,
        CONSTRAINT pk_execution_totals PRIMARY KEY (scope, day, dimension, value))""",
)

INDEXES: Final = {
    "ix_executions_at": ("executions", ("at",)),
    "ix_executions_repository_id_at": ("executions", ("repository_id", "at")),
    "ix_executions_repository_id_failed_at": ("executions", ("repository_id", "failed", "at")),
    "ix_executions_failed_at": ("executions", ("failed", "at")),
    "ix_executions_repository_id_version_day": ("executions", ("repository_id", "version", "day")),
    "ix_executions_version_day": ("executions", ("version", "day")),
}

SCHEMA_VERSION: Final = 2
"""The version of these tables in a checkout's file; a server counts its migrations."""

SCHEMA: Final = (
    *TABLES,
    *(
        f"CREATE INDEX IF NOT EXISTS {name} ON {table} ({', '.join(columns)})"
        for name, (table, columns) in INDEXES.items()
    ),
)

EVERYWHERE: Final = "all"
"""The scope of the totals of all repositories together."""


def scope_of(repository_id: int | None) -> str:
    """The scope of a repository's totals; None means all repositories."""
    return EVERYWHERE if repository_id is None else f"r{repository_id}"


_KEY = "run = :run AND task = :task AND attempt = :attempt"
_KEYS = ("run", "task", "attempt")


@dataclass(frozen=True, slots=True)
class Upsert:
    """Writes rows of a table; a row that is there is replaced, or added to (``adds``)."""

    table: str
    keys: tuple[str, ...]
    columns: tuple[str, ...]
    adds: bool = False

    @property
    def row(self) -> str:
        """The statement for one row."""
        return self._from(f"VALUES ({', '.join(f':{name}' for name in self._names)})")

    @property
    def rows(self) -> str:
        """The statement for many rows at once, a JSON array ``:rows``; PostgreSQL alone has it."""
        return self._from(
            f"SELECT {', '.join(self._names)} FROM "  # noqa: S608 - our names
            f"json_populate_recordset(CAST(NULL AS {self.table}), CAST(:rows AS json))"
        )

    @property
    def _names(self) -> tuple[str, ...]:
        return (*self.keys, *self.columns)

    def _from(self, source: str) -> str:
        return f"INSERT INTO {self.table} ({', '.join(self._names)}) {source} {self.conflict}"

    @property
    def conflict(self) -> str:
        """What becomes of a row that is there."""
        plus = f"{self.table}.{{0}} + " if self.adds else ""
        new = ", ".join(f"{n} = {plus.format(n)}excluded.{n}" for n in self.columns)
        return f"ON CONFLICT ({', '.join(self.keys)}) DO UPDATE SET {new}"


_COLUMNS = (
    *("repository_id", "repository", "installation_id", "name", "title", "started_by", "how"),
    *("at", "day", "route", "complexity", "kind", "loop", "model", "status", "failed", "error"),
    *("severity", "strategy", "tokens", "cost", "unpriced", "calls", "seconds", "version"),
    *("data", "counted"),
)
_AMOUNTS = ("seconds", "tokens", "cost", "calls", "unpriced")
_TALLIES = ("seen", "finished", "good", *_AMOUNTS)

BEFORE: Final = f"SELECT at, day, counted FROM executions WHERE {_KEY}"  # noqa: S608 - our names
PUT: Final = Upsert("executions", _KEYS, _COLUMNS)
PUT_NODE: Final = Upsert("execution_nodes", (*_KEYS, "node"), ("visits", *_AMOUNTS))
ADD: Final = Upsert("execution_totals", ("scope", "day", "dimension", "value"), _TALLIES, adds=True)
TOTALS: Final = (
    f"SELECT day, dimension, value, {', '.join(_TALLIES)} FROM execution_totals "  # noqa: S608
    "WHERE scope = :scope AND day >= :since AND day <= :until AND seen > 0 "
    "ORDER BY day, dimension, value"
)
NODES: Final = f"SELECT node, visits, {', '.join(_AMOUNTS)} FROM execution_nodes WHERE {_KEY}"  # noqa: S608
OF_RUN: Final = "SELECT version, data FROM executions WHERE run = :run ORDER BY at, task, attempt"


def recent(*, repository: bool, failed: bool) -> str:
    """Records, the newest first: of one repository or of all, those that failed or all."""
    wheres = ["at >= :since", "at < :until"]
    wheres += ["repository_id = :repository_id"] * repository + ["failed = 1"] * failed
    return (
        f"SELECT version, data FROM executions WHERE {' AND '.join(wheres)} "  # noqa: S608
        "ORDER BY at DESC LIMIT :most"
    )


def unread(*, repository: bool) -> str:
    """How many records are of another version, and how many come from the future.

    Each part reads a short range of an index, however many records there are.
    """
    where = "repository_id = :repository_id AND " if repository else ""
    count = f"(SELECT COUNT(*) FROM executions WHERE {where}"  # noqa: S608 - our names
    return (
        f"SELECT {count}version < :version AND day >= :since) "
        f"+ {count}version > :version AND day >= :since), {count}at >= :ahead)"
    )


# What is forgotten of one repository is taken from the totals of all of them first.
_ROWS_OF_OLD = (
    "EXISTS (SELECT 1 FROM executions e WHERE e.run = {0}.run AND e.task = {0}.task "
    "AND e.attempt = {0}.attempt AND e.repository_id = :repository_id AND e.day < :before)"
)
FORGET: Final = (
    f"INSERT INTO execution_totals (scope, day, dimension, value, {', '.join(_TALLIES)}) "  # noqa: S608
    f"SELECT '{EVERYWHERE}', day, dimension, value, {', '.join(f'-{n}' for n in _TALLIES)} "
    f"FROM execution_totals WHERE scope = :scope AND day < :before {ADD.conflict}",
    "DELETE FROM execution_totals WHERE scope = :scope AND day < :before",
    f"DELETE FROM execution_totals WHERE scope = '{EVERYWHERE}' AND day < :before AND seen <= 0",  # noqa: S608
    f"DELETE FROM execution_nodes WHERE {_ROWS_OF_OLD.format('execution_nodes')}",  # noqa: S608
    "DELETE FROM executions WHERE repository_id = :repository_id AND day < :before",
)


Rows = Sequence[Mapping[str, Any]]


def rows_of(
    execution: Execution, before: Sequence[Any] | None, *, details: bool
) -> dict[Upsert, Rows]:
    """Return what recording an execution writes; ``before`` is what ``BEFORE`` found.

    A record that is there already keeps its time, so that it counts for the same day.
    """
    old: Counted = {}
    if before is not None:
        execution = replace(execution, at=float(before[0]))
        with suppress(ValueError, TypeError):  # what it counted cannot be read any more
            old = {(str(d), str(v)): _tally(amounts) for d, v, *amounts in loads(before[2])}
    counts, key = counted(execution), asdict(execution.key)
    place, route, end = execution.place, execution.route, execution.end
    row = {
        **key,
        "repository_id": place.repository_id,
        "repository": place.repository,
        "installation_id": place.installation_id,
        "name": place.name,
        "title": place.title,
        "started_by": execution.started.by,
        "how": execution.started.how,
        "at": execution.at,
        "day": execution.day,
        "route": route.route,
        "complexity": route.complexity,
        "kind": route.kind,
        "loop": route.loop,
        "model": execution.models.writing,
        "status": end.status,
        "failed": int(bool(end.error)),
        "error": end.error,
        "severity": end.severity,
        "strategy": execution.recovery.strategy,
        **_amounts(execution.used),
        "version": VERSION,
        "data": dumps(asdict(replace(execution, nodes=())), ensure_ascii=True),
        "counted": dumps([[*k, *_tallied(tally).values()] for k, tally in counts.items()]),
    }
    nodes = [
        {**key, "node": n.node, "visits": n.visits, **_amounts(n.usage)} for n in execution.nodes
    ]
    # always in one order: two writers never wait for each other
    changes = merged(counts, taken_back(old))
    totals = [
        {"scope": scope, "day": execution.day, "dimension": d, "value": v, **_tallied(tally)}
        for scope in (EVERYWHERE, scope_of(place.repository_id))
        for (d, v), tally in changes.items()
    ]
    return {
        PUT: [row],
        PUT_NODE: nodes if details else [],
        ADD: totals,
    }


def _amounts(used: Usage) -> dict[str, float]:
    return {name: getattr(used, name) for name in _AMOUNTS}


def _tallied(tally: Tally) -> dict[str, float]:
    counts = {"seen": tally.seen, "finished": tally.over, "good": tally.good}
    return counts | _amounts(tally.used)


def _tally(amounts: Sequence[Any]) -> Tally:
    seen, over, good, seconds, tokens, cost, calls, unpriced = amounts
    usage = Usage(float(seconds), int(tokens), float(cost), int(calls), int(unpriced))
    return Tally(int(seen), int(over), int(good), usage)


def _recalled(rows: Iterable[Sequence[Any]]) -> Recalled:
    """Read rows of (version, data)."""
    found: list[Execution] = []
    every = list(rows)
    for version, data in every:
        with suppress(UnreadableRecord, ValueError, TypeError):
            if int(version) == VERSION:
                found.append(from_json(data))
    return Recalled(tuple(found), len(every) - len(found))


class Tables(Protocol):
    """The tables of a database within a transaction."""

    def execute(self, statement: str, values: Mapping[str, Any]) -> Iterable[Sequence[Any]]:
        """Run one statement; return its rows."""

    def put(self, upsert: Upsert, rows: Rows) -> None:
        """Write rows, at least one."""


T = TypeVar("T")


class KeptHistory(ABC):
    """The ``History`` port on these tables, wherever they are. Methods raise ``Outage``."""

    @abstractmethod
    async def _do(self, work: Callable[[Tables], T], *, write: bool = False) -> T:
        """Do ``work`` in one transaction, and return what it returns."""

    async def record(self, execution: Execution, *, details: bool = True) -> None:
        """Keep a record."""

        def work(db: Tables) -> None:
            before = next(iter(db.execute(BEFORE, asdict(execution.key))), None)
            for upsert, rows in rows_of(execution, before, details=details).items():
                if rows:
                    db.put(upsert, rows)

        await self._do(work, write=True)

    async def totals(self, query: HistoryQuery) -> Totals:
        """Return what the records add up to, by day."""
        since, until = query.days
        values = {
            "scope": scope_of(query.repository_id),
            "repository_id": query.repository_id,
            "since": since,
            "until": until,
            "ahead": float((until + 1) * DAY),
            "version": VERSION,
        }

        def work(db: Tables) -> Totals:
            [(other, future)] = db.execute(
                unread(repository=query.repository_id is not None), values
            )
            days = tuple(
                DayTotal(int(day), str(dimension), str(value), _tally(amounts))
                for day, dimension, value, *amounts in db.execute(TOTALS, values)
            )
            return Totals(days, int(other or 0), int(future or 0))

        return await self._do(work)

    async def recent(self, query: HistoryQuery) -> Recalled:
        """Return the newest records."""
        select = recent(repository=query.repository_id is not None, failed=query.failed)
        values = {
            "repository_id": query.repository_id,
            "since": query.since,
            "until": query.until + AHEAD * DAY,
            "most": query.most,
        }
        return await self._do(lambda db: _recalled(db.execute(select, values)))

    async def of_run(self, run: str) -> Recalled:
        """Return the records of a run, with their nodes."""

        def work(db: Tables) -> Recalled:
            found = _recalled(db.execute(OF_RUN, {"run": run}))
            whole = []
            for each in found.executions:
                key = asdict(each.key)
                nodes = [NodeRecord(n, v, Usage(*used)) for n, v, *used in db.execute(NODES, key)]
                whole.append(replace(each, nodes=tuple(nodes)))
            return Recalled(tuple(whole), found.left_out)

        return await self._do(work)

    async def forget(self, repository_id: int, before: int) -> None:
        """Delete everything about a repository from before a day."""
        scope = scope_of(repository_id)
        old = {"repository_id": repository_id, "before": before, "scope": scope}

        def work(db: Tables) -> None:
            for statement in FORGET:
                db.execute(statement, old)

        await self._do(work, write=True)
