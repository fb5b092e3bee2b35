"""The database: opened, brought to this version, and used one transaction at a time.

On SQLite we switch off the driver's own transaction control and send ``BEGIN`` ourselves: the
driver starts a transaction only before the first INSERT or UPDATE, so that a read followed by a
write is not one transaction and fails with "database is locked" when someone else wrote between
(https://docs.sqlalchemy.org/en/21/dialects/sqlite.html#sqlite-transactions).
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sqlite3
import stat
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

import aiosqlite
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, event, exc
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from handlers.events import InstalledRepository
from runner.errors import DATABASE, Outage
from runner.text.mask import masked

T = TypeVar("T")
log = logging.getLogger(__name__)

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


@dataclass(frozen=True)
class Engines:
    """The engine that reads and the one that writes; both share their connections.

    A reader sees one state of the database. A writer sees what was committed before each of its
    statements, which is one state too, for there is one writer at a time. ``in_thread`` is for
    SQLite, where each statement of the others is a hop to another thread and back.
    """

    reader: AsyncEngine
    writer: AsyncEngine
    in_thread: Engine | None = None
    opened: Sequence[aiosqlite.Connection] = ()
    """Those to a SQLite file, each with a thread of its own."""

    @classmethod
    def of(cls, address: URL, mask: Callable[[str], str] | None = None) -> Engines:
        """Make them; texts go through ``mask`` on their way into a statement."""
        if not is_sqlite(address):
            engine = _postgresql(address)
            event.listen(engine.sync_engine, "connect", _limit)
            _mask_texts(engine.sync_engine, mask)
            reader = engine.execution_options(isolation_level="REPEATABLE READ")
            return cls(reader, engine.execution_options(cairn_writes=True))
        opened: list[aiosqlite.Connection] = []
        engine = create_async_engine(
            address.set(drivername="sqlite+aiosqlite"),
            connect_args={"async_creator_fn": partial(_open_sqlite, opened)},
        )
        in_thread = create_engine(address.set(drivername="sqlite"))
        for each in (engine.sync_engine, in_thread):
            event.listen(each, "connect", _prepare)
            event.listen(each, "begin", _begin)
            _mask_texts(each, mask)
        return cls(engine, engine.execution_options(cairn_writes=True), in_thread, opened)


class _Connection(sqlite3.Connection):
    """Ends its transaction when it is closed.

    SQLite itself waits with that until the last statement is finalized
    (https://www.sqlite.org/c3ref/close.html). The traceback of a cancelled task may hold one for
    as long as it likes, and then nobody could write.
    """

    def close(self) -> None:
        if self.in_transaction:
            self.rollback()
        super().close()


def _open_sqlite(
    opened: list[aiosqlite.Connection], *args: Any, **options: Any
) -> aiosqlite.Connection:
    connection = aiosqlite.connect(*args, factory=_Connection, **options)
    connection._thread.daemon = True  # as SQLAlchemy does where it opens the connection itself
    opened[:] = [*(each for each in opened if each._thread.is_alive()), connection]
    return connection


def _mask_texts(engine: Engine, mask: Callable[[str], str] | None) -> None:
    if mask is not None:
        event.listen(engine, "before_cursor_execute", partial(_masked, mask), retval=True)


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
    # asked before use: a database that was restarted must not fail the next event; without an
    # encoding of its own the driver reads texts of a database in SQL_ASCII as bytes
    return create_async_engine(
        address.set(drivername="postgresql+psycopg"),
        pool_pre_ping=True,
        connect_args={"client_encoding": "utf8"},
    )


def _prepare(connection: DBAPIConnection, _record: object) -> None:
    connection.isolation_level = None  # the driver sends no BEGIN itself
    try:
        cursor = connection.cursor()
        for pragma in PRAGMAS:
            cursor.execute(pragma)
        cursor.close()
    except sqlite3.Error:
        connection.close()  # the pool forgets a connection that was never ready, its thread stays
        raise


def _limit(connection: DBAPIConnection, _record: object) -> None:
    """A process that is stopped in the middle of a transaction must not keep its locks."""
    cursor = connection.cursor()
    cursor.execute("SET idle_in_transaction_session_timeout = '5s'")
    cursor.close()
    connection.commit()


def _begin(connection: Connection) -> None:
    # IMMEDIATE takes the write lock at once: a transaction never fails half-way for it
    writes = connection.get_execution_options().get("cairn_writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


FOLDER = Path(__file__).parent / "migrations"


def upgrade(connection: Connection) -> None:
    """Run the missing migrations inside the connection's transaction: all of them or none.

    Raises ``ValueError`` when the database was written by another Cairn.
    """
    if is_current(connection):
        return
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def is_current(connection: Connection) -> bool:
    """Say whether no migration is missing. Raises ``ValueError`` as ``upgrade`` does."""
    scripts = ScriptDirectory.from_config(_config())
    known = {script.revision for script in scripts.walk_revisions()}
    heads = set(MigrationContext.configure(connection).get_current_heads())
    if unknown := heads - known:
        raise ValueError(
            f"It was written by a newer Cairn (schema {', '.join(sorted(unknown))}), or before "
            "the first release. Start that version, or restore the backup made before the update."
        )
    return heads == set(scripts.get_heads())


def _config() -> Config:
    config = Config()
    # the file that is not there is an INI file to Alembic, where a percent sign must be doubled
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


_FILE = "Check the free space, the permissions of its folder, and who else uses the file."
_SERVER = "Check that its server runs and can be reached, and check DATABASE_URL."

SCHEMA = "0020"
"""The newest migration: what this version of Cairn reads and writes."""

# One writer in all processes on a PostgreSQL, too: what it reads stays true until it writes.
_ALONE = sa.text("SELECT pg_advisory_xact_lock(51873)")

# a read-only file opens without complaint; only a write tells
_WRITE = sa.text("UPDATE alembic_version SET version_num = version_num")


class StoreError(Exception):
    """The database cannot be used at all; the message says why and what to do."""


class Store:
    """Lends connections: ``reading()`` and ``writing()`` are one transaction each.

    Inside ``writing()`` await nothing but SQL: everybody else who writes is waiting.
    """

    def __init__(self, engines: Engines) -> None:
        self._reader, self._writer = engines.reader, engines.writer
        self._in_thread = engines.in_thread
        self._opened = engines.opened
        # On SQLite waiting in line here is fair and prompt, its own busy loop is not.
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
                if self._in_thread is None:
                    await connection.execute(_ALONE)
                yield connection

    @asynccontextmanager
    async def inserting(self) -> AsyncIterator[AsyncConnection]:
        """As ``writing``, for what stays right while other processes write: they go on."""
        if self._in_thread is not None:
            async with self.writing() as connection:
                yield connection
            return
        with _outages():
            async with self._writer.begin() as connection:
                yield connection

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Do ``work`` on one state of the database, and return what it returns.

        It is quicker than ``reading`` where there are several statements. Raises ``Outage``.
        """
        if self._in_thread is None:
            async with self.reading() as connection:
                return await connection.run_sync(work)
        with _outages():
            return await asyncio.to_thread(_within, self._in_thread, work)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Do ``work`` in a transaction that writes, all or nothing; else as ``read``."""
        if self._in_thread is None:
            async with self.writing() as connection:
                return await connection.run_sync(work)
        writer = self._in_thread.execution_options(cairn_writes=True)
        with _outages():
            async with self._turn:
                return await asyncio.to_thread(_within, writer, work)

    async def rows(self, query: sa.Select[Any]) -> Sequence[Any]:
        """Return what one query finds. Raises ``Outage``."""
        async with self.reading() as connection:
            return list(await connection.execute(query))

    async def value(self, query: sa.Select[Any]) -> Any | None:
        """Return the first value that one query finds. Raises ``Outage``."""
        async with self.reading() as connection:
            return await connection.scalar(query)

    async def change(self, statement: sa.Update | sa.Delete | sa.Insert) -> int:
        """Run one statement that writes; return how many rows it changed. Raises ``Outage``."""
        async with self.writing() as connection:
            return (await connection.execute(statement)).rowcount

    async def check(self) -> None:
        """Raise ``Outage`` when the database cannot be written: a full disk can still be read."""
        async with self.writing() as connection:
            await connection.execute(_WRITE)

    async def close(self) -> None:
        """Close every connection; waits for what was cut off in the middle of a statement."""
        await self._reader.dispose()
        if self._in_thread is not None:
            self._in_thread.dispose()
        # A cancelled task leaves its connection to be closed behind it. Whoever ends the event loop
        # before that may wait for ever, and threads would report to a loop that is closed.
        for connection in tuple(self._opened):
            await asyncio.to_thread(connection._thread.join, 1)
            if connection._thread.is_alive():  # forgotten by the pool: cancelled while it opened
                connection.stop()
                await asyncio.to_thread(connection._thread.join, 5)


def _within(engine: Engine, work: Callable[[Connection], T]) -> T:
    with engine.begin() as connection:
        return work(connection)


async def open_store(url: str, *, mask: Callable[[str], str] | None = None) -> Store:
    """Open the database and bring it to this version; a new SQLite file is made when missing.

    ``mask`` hides the process's own secrets in every text that a statement takes. It must judge by
    value alone: what is stored is read again and must stay exact (contents are bytes, not texts).
    Raises ``StoreError`` when it cannot be opened, written, or is of a newer Cairn.
    """
    address = make_url(url)
    if is_sqlite(address):
        _make_file(address)
    store = Store(Engines.of(address, mask))
    try:
        async with store.writing() as connection:
            await connection.run_sync(_check_encoding)
            await connection.run_sync(upgrade)
            await connection.execute(_WRITE)
    except (Outage, ValueError, exc.ProgrammingError) as error:
        await store.close()
        raise StoreError(f"The database {address!r} cannot be used. {error}") from error
    if is_sqlite(address) and "uri" not in address.query:
        for end in ("", "-wal", "-shm"):
            keep_private(Path(f"{address.database}{end}"))
    return store


async def open_current(url: str) -> Store:
    """Open the database of a server that may be at work. Raises ``StoreError``."""
    if (found := await inspect_store(url)) != "current":
        raise StoreError(f"The database is {found}: start the server once, then try again.")
    return Store(Engines.of(make_url(url)))


async def inspect_store(url: str) -> Literal["missing", "older", "current"]:
    """Look at the database and change nothing. Raises ``StoreError`` as ``open_store`` does."""
    address = make_url(url)
    if is_sqlite(address) and _is_missing(address):
        return "missing"
    store = Store(Engines.of(address))
    try:
        async with store.writing() as connection:
            await connection.run_sync(_check_encoding)
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


def _check_encoding(connection: Connection) -> None:
    """Raise ``ValueError`` for a PostgreSQL database that cannot hold every text."""
    if connection.dialect.name != "postgresql":
        return
    if (version := connection.dialect.server_version_info or (0,)) < (14,):
        number = ".".join(map(str, version))
        raise ValueError(f"It is PostgreSQL {number}, and Cairn needs version 14 or newer.")
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
    if encoding != "UTF8":
        raise ValueError(
            f"Its encoding is {encoding}, and Cairn needs UTF8. Make another one, and name it in "
            "DATABASE_URL: CREATE DATABASE cairn ENCODING 'UTF8' TEMPLATE template0;"
        )


def _make_file(address: URL) -> None:
    """Make folder and file of a SQLite database where they are missing, for this user alone."""
    if "uri" in address.query:  # SQLite's own form of a path, for those who know it
        return
    path = Path(address.database or "")
    _make_folder(path.parent)
    if not path.exists():
        with suppress(OSError):  # opening it says more
            path.touch(mode=0o600)


def _make_folder(folder: Path) -> None:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"The folder {folder} cannot be made ({error.strerror}). "
            "Set CAIRN_DATA_DIR to a folder that this user can write."
        ) from error


def keep_private(path: Path) -> None:
    """Take from others what they may do with a file or folder of ours, or warn that they may."""
    try:
        found = path.stat()
        if not found.st_mode & 0o077:
            return
        if found.st_uid == os.geteuid() and not found.st_mode & stat.S_ISVTX:  # /tmp is nobody's
            path.chmod(stat.S_IMODE(found.st_mode) & ~0o077)
            return
        why = "it is not this user's own"
    except FileNotFoundError:
        return
    except OSError as error:
        why = error.strerror or str(error)
    log.warning(
        "Other users of this machine can look into %s, which cannot be changed: %s", path, why
    )


@contextmanager
def _outages() -> Iterator[None]:
    """Translate the database's own failures; a wrong statement of ours stays a bug."""
    try:
        yield
    except (exc.IntegrityError, exc.ProgrammingError, exc.DataError):
        raise
    except exc.DBAPIError as error:
        raise Outage(
            DATABASE,
            f"The database failed: {' '.join(str(error.orig).split()).rstrip('.?')}. "
            f"{_FILE if isinstance(error.orig, sqlite3.Error) else _SERVER}",
        ) from error


CHANNEL = "cairn"
"""Where the processes on a PostgreSQL tell each other what happened."""


def told(topic: str, **said: object) -> sa.Select[Any]:
    """Tell all processes something, as soon as the transaction is committed."""
    return sa.select(sa.func.pg_notify(CHANNEL, json.dumps({"topic": topic, **said})))


def columns_of(repository: InstalledRepository) -> dict[str, int | str]:
    """A repository as the columns that rows about one have."""
    return {
        "repository_id": repository.id,
        "repository": repository.full_name,
        "installation_id": repository.installation_id,
    }


def insert_into(dialect: str, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
    """Begin the INSERT of a dialect, by its name; ``on_conflict_do_...`` continues it."""
    return sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)
