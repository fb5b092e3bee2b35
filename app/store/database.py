"""The database: opened, brought to this version, and lent out one transaction at a time."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Literal

import sqlalchemy as sa
from sqlalchemy import exc
from sqlalchemy.engine import URL, make_url
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.store.engines import engines, is_sqlite
from app.store.migrate import is_current, upgrade
from runner.errors import Outage

_FILE = "Look at free space, at the permissions of its folder and at who else uses the file."
_SERVER = "Look whether its server runs and can be reached, and at DATABASE_URL."

# a read-only file opens without complaint; only a write tells
_WRITE = sa.text("UPDATE alembic_version SET version_num = version_num")


class StoreError(Exception):
    """The database cannot be used at all; the message says why and what to do."""


class Store:
    """Lends connections: ``reading()`` and ``writing()`` are one transaction each.

    Inside ``writing()`` await nothing but SQL: everybody else who writes is waiting.
    """

    def __init__(self, reader: AsyncEngine, writer: AsyncEngine) -> None:
        self._reader = reader
        self._writer = writer
        # One writer: what it reads stays true until it writes. On SQLite waiting in line here is
        # fair and prompt too, its own busy loop is not.
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Lend a connection that sees one state of the database. Raises ``Outage``."""
        with _outages():
            async with self._reader.begin() as connection:
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
        await self._reader.dispose()


async def open_store(url: str, *, mask: Callable[[str], str] | None = None) -> Store:
    """Open the database and bring it to this version; a new SQLite file is made when missing.

    ``mask`` hides the process's own secrets in every text that a statement takes. It must judge by
    value alone: what is stored is read again and must stay exact (contents are bytes, not texts).
    Raises ``StoreError`` when it cannot be opened, written, or is of a newer Cairn.
    """
    address = make_url(url)
    if is_sqlite(address):
        _make_folder(address)
    store = Store(*engines(address, mask))
    try:
        async with store.writing() as connection:
            await connection.run_sync(upgrade)
            await connection.execute(_WRITE)
    except (Outage, ValueError, exc.ProgrammingError) as error:
        await store.close()
        raise StoreError(f"The database {address!r} cannot be used. {error}") from error
    return store


async def inspect_store(url: str) -> Literal["missing", "older", "current"]:
    """Look at the database and change nothing. Raises ``StoreError`` as ``open_store`` does."""
    address = make_url(url)
    if is_sqlite(address) and _is_missing(address):
        return "missing"
    store = Store(*engines(address))
    try:
        async with store.writing() as connection:
            current = await connection.run_sync(is_current)
            if current:
                await connection.execute(_WRITE)
    except (Outage, ValueError, exc.ProgrammingError) as error:
        raise StoreError(f"The database {address!r} cannot be used. {error}") from error
    finally:
        await store.close()
    return "current" if current else "older"


def _is_missing(address: URL) -> bool:
    return "uri" not in address.query and not Path(address.database or "").exists()


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
            f"The database failed: {str(error.orig).strip()}. "
            f"{_FILE if isinstance(error.orig, sqlite3.Error) else _SERVER}",
        ) from error
