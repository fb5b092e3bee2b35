"""One process works on a database: a lock that ends with its holder, however that ends."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa
from sqlalchemy import exc
from sqlalchemy.engine import URL, make_url
from sqlalchemy.pool import NullPool

from app.store.engines import is_sqlite
from runner.errors import Outage

KEY = 0x0CA1
"""Of PostgreSQL's advisory lock (https://www.postgresql.org/docs/current/explicit-locking.html)."""

PATIENCE = "5s"
"""PostgreSQL notices a little later than the kernel that a holder was killed."""


class Claim(Protocol):
    """What is held; ``close`` gives it back."""

    def close(self) -> None: ...


def claim(url: str) -> Claim:
    """Take the database for this process. Raises ``Outage`` when another one has it."""
    address = make_url(url)
    return _file(Path(address.database or "")) if is_sqlite(address) else _session(address)


def _file(path: Path) -> Claim:
    lock = path.with_name(path.name + ".lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        raise Outage(
            "engine",
            f"Another process works on {path}. SQLite serves one process: stop that one, or give "
            "this one a CAIRN_DATA_DIR of its own.",
        ) from error
    return lock


def _session(address: URL) -> Claim:
    engine = sa.create_engine(
        address.set(drivername="postgresql+psycopg"),
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
    )
    try:
        connection = engine.connect()
        connection.execute(sa.text(f"SET lock_timeout = '{PATIENCE}'"))
        connection.execute(sa.text("SELECT pg_advisory_lock(:key)"), {"key": KEY})
    except exc.DBAPIError as error:
        raise Outage(
            "engine",
            f"The database {address!r} cannot be taken: {str(error.orig).strip()}. One server "
            "works on a database: stop the other one, or give this one a DATABASE_URL of its own.",
        ) from error
    return connection
