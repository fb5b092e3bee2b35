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
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, event, exc
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection

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


_PATIENCE = {"connect_timeout": 10, "tcp_user_timeout": 30_000}
"""Of a connection to PostgreSQL, in seconds and milliseconds: nobody waits for a dead machine."""

_THREADS = 8
"""That do work at a time: one writes, the others read or insert."""


def is_sqlite(address: URL | str) -> bool:
    """Say whether an address names a SQLite file; else it names a PostgreSQL database."""
    return make_url(address).get_backend_name() == "sqlite"


def make_engine(address: URL, mask: Callable[[str], str] | None = None) -> Engine:
    """Make what connects to a database; texts go through ``mask`` on their way into a statement."""
    if is_sqlite(address):
        engine = create_engine(address.set(drivername="sqlite"))
        event.listen(engine, "connect", _prepare)
        event.listen(engine, "begin", _begin)
    else:
        # asked before use: a database that was restarted must not fail the next event; without an
        # encoding of its own the driver reads texts of a database in SQL_ASCII as bytes
        engine = create_engine(
            address.set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,
            connect_args={"client_encoding": "utf8", **_PATIENCE},
        )
        event.listen(engine, "connect", _limit)
    if mask is not None:
        event.listen(engine, "before_cursor_execute", partial(_masked, mask), retval=True)
    return engine


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

SCHEMA = "0021"
"""The newest migration: what this version of Cairn reads and writes."""

# One writer in all processes on a PostgreSQL, too: what it reads stays true until it writes.
_ALONE = sa.text("SELECT pg_advisory_xact_lock(51873)")

# a read-only file opens without complaint; only a write tells
_WRITE = sa.text("UPDATE alembic_version SET version_num = version_num")


class StoreError(Exception):
    """The database cannot be used at all; the message says why and what to do."""


class Store:
    """Does work in transactions, in threads of its own: each statement waits for the database.

    What ``read`` does sees one state of the database. What ``write`` does sees what was committed
    before each of its statements, which is one state too, for one writes at a time. Work whose
    caller is cancelled meanwhile is done all the same, wholly or not at all. Everything raises
    ``Outage`` when the database fails.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.dialect = engine.dialect.name
        snapshot = {"isolation_level": "REPEATABLE READ"} if self.dialect == "postgresql" else {}
        self._reader = engine.execution_options(**snapshot)
        self._writer = engine.execution_options(cairn_writes=True)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="store")
        # Waiting in line here is fair and prompt, SQLite's own busy loop is not.
        self._turn = asyncio.Lock()
        self._closed = False

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Do ``work`` on one state of the database, and return what it returns."""
        return await self._do(self._reader, work)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Do ``work`` in a transaction that writes, all or nothing; return what it returns."""
        async with self._turn:
            return await self._do(self._writer, partial(_alone, work))

    async def insert(self, work: Callable[[Connection], T]) -> T:
        """As ``write``, for what stays right while other processes write: they go on."""
        if self.dialect == "sqlite":
            return await self.write(work)
        return await self._do(self._writer, work)

    async def rows(self, query: sa.Select[*tuple[Any, ...]]) -> Sequence[Any]:
        """Return what one query finds."""
        return await self.read(lambda connection: connection.execute(query).all())

    async def value(self, query: sa.Select[Any]) -> Any | None:
        """Return the first value that one query finds."""
        return await self.read(lambda connection: connection.scalar(query))

    async def change(self, statement: sa.Update | sa.Delete | sa.Insert | sa.TextClause) -> int:
        """Run one statement that writes; return how many rows it changed."""
        return await self.write(lambda connection: connection.execute(statement).rowcount)

    async def check(self) -> None:
        """Raise ``Outage`` when the database cannot be written: a full disk can still be read."""
        await self.change(_WRITE)

    async def close(self) -> None:
        """Close every connection, after the statements that are still running."""
        self._closed = True
        await asyncio.to_thread(self._threads.shutdown)
        self._engine.dispose()

    async def _do(self, engine: Engine, work: Callable[[Connection], T]) -> T:
        if self._closed:
            raise Outage(DATABASE, "The database is closed: Cairn is stopping.")
        loop = asyncio.get_running_loop()
        with _outages():
            return await loop.run_in_executor(self._threads, _within, engine, work)


def _within(engine: Engine, work: Callable[[Connection], T]) -> T:
    with engine.begin() as connection:
        return work(connection)


def _alone(work: Callable[[Connection], T], connection: Connection) -> T:
    if connection.dialect.name == "postgresql":
        connection.execute(_ALONE)
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
    store = Store(make_engine(address, mask))

    def prepare(connection: Connection) -> None:
        _check_encoding(connection)
        upgrade(connection)
        connection.execute(_WRITE)

    try:
        await store.write(prepare)
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
    return Store(make_engine(make_url(url)))


async def inspect_store(url: str) -> Literal["missing", "older", "current"]:
    """Look at the database and change nothing. Raises ``StoreError`` as ``open_store`` does."""
    address = make_url(url)
    if is_sqlite(address) and _is_missing(address):
        return "missing"
    store = Store(make_engine(address))

    def look(connection: Connection) -> bool:
        _check_encoding(connection)
        current = is_current(connection)
        if current:
            connection.execute(_WRITE)
        return current

    try:
        current = await store.write(look)
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
