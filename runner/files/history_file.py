"""The history of a checkout: one SQLite file, ``history.db``, with the tables of a server.

A file that is no database (a crash of the disk, another program) is moved aside, and a new history
begins. It is used by one thread at a time.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from runner.errors import Outage
from runner.history import sql
from runner.history.sql import KeptHistory, Rows, Tables, Upsert
from runner.text.mask import masked

log = logging.getLogger(__name__)
T = TypeVar("T")

NAME: Final = "history.db"
# No WAL: changing to it fails at once, whatever the time-out, while another process opens the file.
# https://www.sqlite.org/wal.html#sometimes_queries_return_sqlite_busy_in_wal_mode
_WAIT = "PRAGMA busy_timeout = 30000"
_NO_DATABASE = ("file is not a database", "malformed")


class _Damaged(Outage):
    """The file was no database and has been moved aside."""


class FileHistory(KeptHistory):
    """The ``History`` port in a file; ``mask`` hides secrets in what is written.

    Nothing is made before something is recorded.
    """

    def __init__(self, file: Path, *, mask: Callable[[str], str] = str) -> None:
        self._file = file
        self._mask = mask
        self._turn = threading.Lock()
        self._opened: sqlite3.Connection | None = None

    async def _do(self, work: Callable[[Tables], T], *, write: bool = False) -> T:
        def once() -> T:
            with self._using(write=write) as db:
                return work(_Tables(db, self._mask))

        def done() -> T:
            try:
                return once()
            except _Damaged:  # it was moved aside: this is the first use of a new one
                return once()

        return await asyncio.to_thread(done)

    def close(self) -> None:
        """Close the file; it is opened again when it is needed."""
        with self._turn:
            self._close()

    @contextmanager
    def _using(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        """Lend the connection for one transaction. Raises ``Outage``."""
        with self._turn:
            try:
                db = self._opened or self._open(write=write)
                db.execute("BEGIN IMMEDIATE" if write else "BEGIN")
                with db:
                    yield db
            except (sqlite3.Error, OSError) as error:
                self._close()
                kind = _Damaged if self._put_aside(error) else Outage
                raise kind("file", f"The history {self._file} cannot be used: {error}") from error

    def _open(self, *, write: bool) -> sqlite3.Connection:
        there = write or self._file.exists()
        if there:
            self._file.parent.mkdir(parents=True, exist_ok=True)
        place = self._file if there else ":memory:"  # an empty history is read like any other
        db = sqlite3.connect(place, isolation_level=None, check_same_thread=False)
        try:
            db.execute(_WAIT)
            self._prepare(db)
        except (sqlite3.Error, Outage):
            db.close()
            raise
        if there:
            self._opened = db
        return db

    def _prepare(self, db: sqlite3.Connection) -> None:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version > sql.SCHEMA_VERSION:
            raise Outage("file", f"{self._file} was written by a newer Cairn. Update Cairn.")
        if version < sql.SCHEMA_VERSION:
            db.execute("BEGIN IMMEDIATE")
            with db:
                for statement in sql.SCHEMA:
                    db.execute(statement)
                db.execute(f"PRAGMA user_version = {sql.SCHEMA_VERSION}")

    def _close(self) -> None:
        if self._opened is not None:
            with closing(self._opened):
                self._opened = None

    def _put_aside(self, error: Exception) -> bool:
        """Move a file that is no database out of the way; say whether it was one."""
        damaged = isinstance(error, sqlite3.DatabaseError) and any(
            words in str(error) for words in _NO_DATABASE
        )
        if damaged:
            aside = self._file.with_name(f"{self._file.name}.broken")
            self._file.replace(aside)
            log.warning("%s is damaged. It is now %s; a new one begins.", self._file, aside)
        return damaged


class _Tables:
    def __init__(self, db: sqlite3.Connection, mask: Callable[[str], str]) -> None:
        self._db, self._mask = db, mask

    def execute(self, statement: str, values: Mapping[str, Any]) -> Iterable[Sequence[Any]]:
        return self._db.execute(statement, values)

    def put(self, upsert: Upsert, rows: Rows) -> None:
        self._db.executemany(upsert.row, masked(rows, self._mask))
