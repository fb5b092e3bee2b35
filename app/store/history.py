"""The history of a server, in its database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from json import dumps
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from app.store.database import Store
from runner.history import sql
from runner.history.inquiry import HistoryQuery, Recalled, Totals
from runner.history.records import Execution


class StoredHistory:
    """The ``History`` port on the database. Every method raises ``Outage`` when that fails."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def record(self, execution: Execution, *, details: bool = True) -> None:
        """Keep a record."""

        def work(connection: Connection) -> None:
            found = _rows(connection, sql.BEFORE, sql.key_of(execution.key))
            rows = sql.rows_of(execution, found[0] if found else None, details=details)
            connection.execute(_text(sql.PUT.row), dict(rows.execution))
            for upsert, several in (
                (sql.PUT_NODE, rows.nodes),
                (sql.PUT_TOOL, rows.tools),
                (sql.ADD, rows.totals),
            ):
                if several:
                    _put(connection, upsert, several)

        await self._store.write(work)

    async def totals(self, query: HistoryQuery) -> Totals:
        """Return what the records add up to, by day."""
        days, unread = sql.days_of(query), sql.unread(repository=query.repository_id is not None)

        def work(connection: Connection) -> Totals:
            rows = _rows(connection, sql.TOTALS, days)
            return sql.totals_of(rows, _rows(connection, unread, days)[0])

        return await self._store.read(work)

    async def recent(self, query: HistoryQuery) -> Recalled:
        """Return the newest records."""
        select = sql.recent(repository=query.repository_id is not None, failed=query.failed)

        def work(connection: Connection) -> Recalled:
            return sql.recalled(_rows(connection, select, sql.parameters_of(query)))

        return await self._store.read(work)

    async def of_run(self, run: str) -> Recalled:
        """Return the records of a run."""

        def work(connection: Connection) -> Recalled:
            found = sql.recalled(_rows(connection, sql.OF_RUN, {"run": run}))
            whole = [_detailed(connection, execution) for execution in found.executions]
            return Recalled(tuple(whole), found.left_out)

        return await self._store.read(work)

    async def forget(self, repository_id: int, before: int) -> None:
        """Delete everything about a repository from before a day."""
        old = {
            "repository_id": repository_id,
            "before": before,
            "scope": sql.scope_of(repository_id),
        }

        def work(connection: Connection) -> None:
            for statement in sql.FORGET:
                connection.execute(_text(statement), _used(statement, old))

        await self._store.write(work)


@cache
def _text(statement: str) -> sa.TextClause:
    return sa.text(statement)


def _used(statement: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that a statement names: a driver may refuse others."""
    return {name: value for name, value in values.items() if f":{name}" in statement}


def _put(connection: Connection, upsert: sql.Upsert, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows: on PostgreSQL with one statement, which takes a fraction of the time there."""
    if connection.dialect.name == "postgresql":
        together = dumps([dict(row) for row in rows], ensure_ascii=False)
        connection.execute(_text(upsert.rows), {"rows": together})
    else:
        connection.execute(_text(upsert.row), [dict(row) for row in rows])


def _rows(
    connection: Connection, statement: str, values: Mapping[str, Any]
) -> Sequence[sa.Row[Any]]:
    return connection.execute(_text(statement), _used(statement, values)).all()


def _detailed(connection: Connection, execution: Execution) -> Execution:
    key = sql.key_of(execution.key)
    return replace(
        execution,
        nodes=tuple(sql.node_of(row) for row in _rows(connection, sql.NODES, key)),
        tools=tuple(sql.tool_of(row) for row in _rows(connection, sql.TOOLS, key)),
    )
