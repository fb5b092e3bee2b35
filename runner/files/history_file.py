"""The history of a checkout: one SQLite file, ``history.db``, with the tables of a server.

A file that is no database (a crash of the disk, another program) is moved aside, and a new history
begins. It is used by one thread at a time.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from runner.errors import Outage
from runner.history import sql
from runner.history.inquiry import HistoryQuery, Recalled, Totals
from runner.history.records import Execution
from runner.text.mask import masked

log = logging.getLogger(__name__)

NAME: Final = "history.db"
# No WAL: changing to it fails at once, whatever the time-out, while another process opens the file.
# https://www.sqlite.org/wal.html#sometimes_queries_return_sqlite_busy_in_wal_mode
_WAIT = "PRAGMA busy_timeout = 30000"
_NO_DATABASE = ("file is not a database", "malformed")


class FileHistory:
    """The ``History`` port in a file; ``mask`` hides secrets in what is written.

    Nothing is made before something is recorded.
    """

    def __init__(self, file: Path, *, mask: Callable[[str], str] = str) -> None:
        self._file = file
        self._mask = mask
        self._turn = threading.Lock()
        self._opened: sqlite3.Connection | None = None

    async def record(self, execution: Execution, *, details: bool = True) -> None:
        """Keep a record."""
        await asyncio.to_thread(self._record, execution, details)

    async def totals(self, query: HistoryQuery) -> Totals:
        """Return what the records add up to, by day."""
        return await asyncio.to_thread(self._totals, query)

    async def recent(self, query: HistoryQuery) -> Recalled:
        """Return the newest records."""
        return await asyncio.to_thread(self._recent, query)

    async def of_run(self, run: str) -> Recalled:
        """Return the records of a run."""
        return await asyncio.to_thread(self._of_run, run)

    async def forget(self, repository_id: int, before: int) -> None:
        """Delete everything from before a day."""
        await asyncio.to_thread(self._forget, repository_id, before)

    def close(self) -> None:
        """Close the file; it is opened again when it is needed."""
        with self._turn:
            self._close()

    def _record(self, execution: Execution, details: bool) -> None:
        with self._using(write=True) as db:
            key = sql.key_of(execution.key)
            before = db.execute(sql.BEFORE, key).fetchone()
            rows = sql.rows_of(execution, before, details=details)
            db.execute(sql.PUT.row, masked(rows.execution, self._mask))
            db.executemany(sql.PUT_NODE.row, masked(rows.nodes, self._mask))
            db.executemany(sql.PUT_TOOL.row, masked(rows.tools, self._mask))
            db.executemany(sql.ADD.row, masked(rows.totals, self._mask))

    def _totals(self, query: HistoryQuery) -> Totals:
        if self._is_missing():
            return Totals()
        with self._using() as db:
            days = sql.days_of(query)
            rows = db.execute(sql.TOTALS, days).fetchall()
            unread = sql.unread(repository=query.repository_id is not None)
            return sql.totals_of(rows, db.execute(unread, days).fetchone())

    def _recent(self, query: HistoryQuery) -> Recalled:
        if self._is_missing():
            return Recalled()
        one = query.repository_id is not None
        with self._using() as db:
            select = sql.recent(repository=one, failed=query.failed)
            return sql.recalled(db.execute(select, sql.parameters_of(query)).fetchall())

    def _of_run(self, run: str) -> Recalled:
        if self._is_missing():
            return Recalled()
        with self._using() as db:
            found = sql.recalled(db.execute(sql.OF_RUN, {"run": run}).fetchall())
            whole = tuple(_detailed(db, execution) for execution in found.executions)
        return Recalled(whole, found.left_out)

    def _forget(self, repository_id: int, before: int) -> None:
        if self._is_missing():
            return
        old = {
            "repository_id": repository_id,
            "before": before,
            "scope": sql.scope_of(repository_id),
        }
        with self._using(write=True) as db:
            for statement in sql.FORGET:
                db.execute(statement, old)

    def _is_missing(self) -> bool:
        return not self._file.exists()

    @contextmanager
    def _using(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        """Lend the connection for one transaction. Raises ``Outage``."""
        with self._turn:
            try:
                db = self._opened or self._open()
                db.execute("BEGIN IMMEDIATE" if write else "BEGIN")
                with db:
                    yield db
            except (sqlite3.Error, OSError) as error:
                self._close()
                self._put_aside(error)
                raise Outage("file", f"The history {self._file} cannot be used: {error}") from error

    def _open(self) -> sqlite3.Connection:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(self._file, isolation_level=None, check_same_thread=False)
        try:
            db.execute(_WAIT)
            self._prepare(db)
        except (sqlite3.Error, Outage):
            db.close()
            raise
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

    def _put_aside(self, error: Exception) -> None:
        if isinstance(error, sqlite3.DatabaseError) and any(w in str(error) for w in _NO_DATABASE):
            aside = self._file.with_name(f"{self._file.name}.broken")
            self._file.replace(aside)
            log.warning("%s is damaged. It is now %s; a new one begins.", self._file, aside)


def _detailed(db: sqlite3.Connection, execution: Execution) -> Execution:
    key: dict[str, Any] = sql.key_of(execution.key)
    return replace(
        execution,
        nodes=tuple(sql.node_of(row) for row in db.execute(sql.NODES, key)),
        tools=tuple(sql.tool_of(row) for row in db.execute(sql.TOOLS, key)),
    )
