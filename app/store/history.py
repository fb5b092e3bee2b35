"""The history of a server, in its database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

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
        async with self._store.writing() as connection:
            found = await _rows(connection, sql.BEFORE, sql.key_of(execution.key))
            before = found[0] if found else None
            rows = sql.rows_of(execution, before, details=details)
            await connection.execute(sa.text(sql.PUT), dict(rows.execution))
            for statement, several in (
                (sql.PUT_NODE, rows.nodes),
                (sql.PUT_TOOL, rows.tools),
                (sql.ADD, rows.totals),
            ):
                if several:
                    await connection.execute(sa.text(statement), [dict(row) for row in several])

    async def totals(self, query: HistoryQuery) -> Totals:
        """Return what the records add up to, by day."""
        days = sql.days_of(query)
        async with self._store.reading() as connection:
            rows = await _rows(connection, sql.TOTALS, days)
            unread = sql.unread(repository=query.repository_id is not None)
            return sql.totals_of(rows, (await _rows(connection, unread, days))[0])

    async def recent(self, query: HistoryQuery) -> Recalled:
        """Return the newest records."""
        select = sql.recent(repository=query.repository_id is not None, failed=query.failed)
        async with self._store.reading() as connection:
            return sql.recalled(await _rows(connection, select, sql.parameters_of(query)))

    async def of_run(self, run: str) -> Recalled:
        """Return the records of a run."""
        async with self._store.reading() as connection:
            found = sql.recalled(await _rows(connection, sql.OF_RUN, {"run": run}))
            whole = [await _detailed(connection, execution) for execution in found.executions]
        return Recalled(tuple(whole), found.left_out)

    async def forget(self, repository_id: int, before: int) -> None:
        """Delete everything about a repository from before a day."""
        old = {
            "repository_id": repository_id,
            "before": before,
            "scope": sql.scope_of(repository_id),
        }
        async with self._store.writing() as connection:
            for statement in sql.FORGET:
                await connection.execute(_text(statement), _used(statement, old))


def _text(statement: str) -> sa.TextClause:
    return sa.text(statement)


def _used(statement: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that a statement names: a driver may refuse others."""
    return {name: value for name, value in values.items() if f":{name}" in statement}


async def _rows(
    connection: AsyncConnection, statement: str, values: Mapping[str, Any]
) -> Sequence[sa.Row[Any]]:
    return (await connection.execute(_text(statement), _used(statement, values))).all()


async def _detailed(connection: AsyncConnection, execution: Execution) -> Execution:
    key = sql.key_of(execution.key)
    return replace(
        execution,
        nodes=tuple(sql.node_of(row) for row in await _rows(connection, sql.NODES, key)),
        tools=tuple(sql.tool_of(row) for row in await _rows(connection, sql.TOOLS, key)),
    )
