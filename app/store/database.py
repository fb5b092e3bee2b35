"""The database: opened, brought to this version, and lent out one transaction at a time.

On SQLite the driver's own transaction control is switched off and ``BEGIN`` is sent by us: the
driver starts a transaction only before the first INSERT or UPDATE, so that a read followed by a
write is not one transaction and fails with "database is locked" when someone else wrote between
(https://docs.sqlalchemy.org/en/21/dialects/sqlite.html#sqlite-transactions).
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Literal

import sqlalchemy as sa
from sqlalchemy import event, exc
from sqlalchemy.engine import URL, Connection, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from app.store.migrate import is_current, upgrade
from runner.errors import Outage

# WAL: readers never wait for the writer. FULL: what was committed survives a loss of power.
PRAGMAS = (
    "PRAGMA busy_timeout = 30000",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
)

# a read-only file opens without complaint; only a write tells
_WRITE = sa.text("UPDATE alembic_version SET version_num = version_num")


class StoreError(Exception):
    """The database cannot be used at all; the message says why and what to do."""


class Store:
    """Lends connections: ``reading()`` and ``writing()`` are one transaction each.

    Inside ``writing()`` await nothing but SQL: everybody else who writes is waiting.
    """

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._writer = engine.execution_options(cairn_writes=True)
        # SQLite has one writer; waiting in line here is fair and prompt, its own busy loop is not
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Lend a connection that sees one state of the database. Raises ``Outage``."""
        with _outages():
            async with self._engine.begin() as connection:
                yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """Lend the connection that writes; commits at the end, or leaves nothing behind.

        Raises ``Outage`` when the database cannot be written.
        """
        with _outages():
            async with self._turn, self._writer.begin() as connection:
                yield connection

    async def check(self) -> None:
        """Raise ``Outage`` when the database does not answer."""
        async with self.reading() as connection:
            await connection.execute(sa.text("SELECT 1"))

    async def close(self) -> None:
        """Close every connection."""
        await self._engine.dispose()


async def open_store(url: str) -> Store:
    """Open the database and bring it to this version; a new SQLite file is made when missing.

    Raises ``StoreError`` when it cannot be opened, written, or is of a newer Cairn.
    """
    address = make_url(url)
    _make_folder(address)
    store = Store(_engine(address))
    try:
        async with store.writing() as connection:
            await connection.run_sync(upgrade)
            await connection.execute(_WRITE)
    except (Outage, ValueError) as error:
        await store.close()
        raise StoreError(f"The database {address!r} cannot be used. {error}") from error
    return store


async def inspect_store(url: str) -> Literal["missing", "older", "current"]:
    """Look at the database and change nothing. Raises ``StoreError`` as ``open_store`` does."""
    address = make_url(url)
    if "uri" not in address.query and not Path(address.database or "").exists():
        return "missing"
    store = Store(_engine(address))
    try:
        async with store.writing() as connection:
            current = await connection.run_sync(is_current)
            if current:
                await connection.execute(_WRITE)
    except (Outage, ValueError) as error:
        raise StoreError(f"The database {address!r} cannot be used. {error}") from error
    finally:
        await store.close()
    return "current" if current else "older"


def _make_folder(address: URL) -> None:
    if "uri" in address.query:  # SQLite's own form of a path, for those who know it
        return
    folder = Path(address.database or "").parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"The folder {folder} cannot be made ({error.strerror}). "
            "Set CAIRN_DATA_DIR to a folder that this user can write."
        ) from error


def _engine(address: URL) -> AsyncEngine:
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


@contextmanager
def _outages() -> Iterator[None]:
    """Tell what the database's own failures are; a wrong statement of ours stays a bug."""
    try:
        yield
    except (exc.IntegrityError, exc.ProgrammingError, exc.DataError):
        raise
    except exc.DBAPIError as error:
        raise Outage(
            "database",
            f"The database failed: {error.orig}. "
            "Look at free space, at the permissions of its folder and at who else uses the file.",
        ) from error
