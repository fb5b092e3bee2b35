"""How each database is connected to: SQLite's transactions and durability, PostgreSQL's isolation.

On SQLite the driver's own transaction control is switched off and ``BEGIN`` is sent by us: the
driver starts a transaction only before the first INSERT or UPDATE, so that a read followed by a
write is not one transaction and fails with "database is locked" when someone else wrote between
(https://docs.sqlalchemy.org/en/21/dialects/sqlite.html#sqlite-transactions).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import partial
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import URL, Connection, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from runner.masking import masked

# WAL: readers never wait for the writer. FULL: what was committed survives a loss of power.
PRAGMAS = (
    "PRAGMA busy_timeout = 30000",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
)


def is_sqlite(address: URL | str) -> bool:
    """Say whether an address names a SQLite file; else it names a PostgreSQL database."""
    return make_url(address).get_backend_name() == "sqlite"


def engines(
    address: URL, mask: Callable[[str], str] | None = None
) -> tuple[AsyncEngine, AsyncEngine]:
    """Make the engine that reads and the one that writes; both share their connections.

    Texts go through ``mask`` on their way into a statement.

    A reader sees one state of the database. A writer sees what was committed before each of its
    statements, which is one state too, for a process has one writer at a time.
    """
    engine = _sqlite(address) if is_sqlite(address) else _postgresql(address)
    if mask is not None:
        event.listen(
            engine.sync_engine, "before_cursor_execute", partial(_masked, mask), retval=True
        )
    writer = engine.execution_options(cairn_writes=True)
    if is_sqlite(address):
        return engine, writer
    return engine.execution_options(isolation_level="REPEATABLE READ"), writer


def _masked(
    mask: Callable[[str], str],
    _connection: object,
    _cursor: object,
    statement: str,
    parameters: Any,
    _context: object,
    _executemany: bool,
) -> tuple[str, Any]:
    """Mask the parameters of a statement: one set of them by name or place, or many sets."""
    if isinstance(parameters, dict):
        return statement, masked(parameters, mask)
    if isinstance(parameters, tuple):
        return statement, tuple(masked(parameters, mask))
    return statement, [_masked(mask, None, None, "", each, None, False)[1] for each in parameters]


def _postgresql(address: URL) -> AsyncEngine:
    # asked before use: a database that was restarted must not fail the next event
    return create_async_engine(address.set(drivername="postgresql+psycopg"), pool_pre_ping=True)


def _sqlite(address: URL) -> AsyncEngine:
    engine = create_async_engine(address.set(drivername="sqlite+aiosqlite"))
    event.listen(engine.sync_engine, "connect", _prepare)
    event.listen(engine.sync_engine, "begin", _begin)
    return engine


def _prepare(connection: DBAPIConnection, _record: object) -> None:
    connection.isolation_level = None  # the driver sends no BEGIN of its own
    try:
        cursor = connection.cursor()
        for pragma in PRAGMAS:
            cursor.execute(pragma)
        cursor.close()
    except sqlite3.Error:
        connection.close()  # the pool forgets a connection that was never ready, its thread stays
        raise


def _begin(connection: Connection) -> None:
    # IMMEDIATE takes the write lock at once: a transaction never fails half-way for it
    writes = connection.get_execution_options().get("cairn_writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
