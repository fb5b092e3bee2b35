"""The durable engine: DBOS Transact, behind this one file.

It starts each wakeup's segment once, and again after a crash. It owns neither the graph nor the
state: a segment is a short workflow of steps, and each step drives one node and saves it in our
own journal. Only the server imports this module, because importing dbos is slow. What DBOS stores
of ours is plain JSON, never a pickle.

Rules found by breaking it (sharp edges of dbos 3.4): launch inside the running loop; run one
executor per SQLite file, held by a lock that ends with its process; keep the application version
constant, because any other strands what is queued; always set a priority; destroy last, from its
own thread.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa
from dbos import DBOS, DBOSClient, DBOSConfig, Serializer
from dbos._serialization import DefaultSerializer
from sqlalchemy import exc
from sqlalchemy.engine import URL, Connection, make_url
from sqlalchemy.pool import NullPool

from app.store.database import is_sqlite
from runner.errors import Outage

KEY = 0x0CA1
"""Of PostgreSQL's advisory lock (https://www.postgresql.org/docs/current/explicit-locking.html)."""

LOCK_PATIENCE = "5s"
"""PostgreSQL notices a little later than the kernel that a holder was killed."""


class DatabaseLock(Protocol):
    """What is held; ``close`` gives it back."""

    def close(self) -> None: ...


def claim(url: str) -> DatabaseLock:
    """Take the database for this process. Raises ``Outage`` when another one has it."""
    address = make_url(url)
    return _file(Path(address.database or "")) if is_sqlite(address) else _session(address)


def _file(path: Path) -> DatabaseLock:
    lock = path.with_name(path.name + ".lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        raise Outage(
            "engine",
            f"Another process uses {path}. SQLite serves one process: stop that one, or give this "
            "one its own CAIRN_DATA_DIR.",
        ) from error
    return lock


def _session(address: URL) -> DatabaseLock:
    engine = sa.create_engine(
        address.set(drivername="postgresql+psycopg"),
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
    )
    try:
        connection = engine.connect()
        connection.execute(sa.text(f"SET lock_timeout = '{LOCK_PATIENCE}'"))
        connection.execute(sa.text("SELECT pg_advisory_lock(:key)"), {"key": KEY})
    except exc.DBAPIError as error:
        raise Outage(
            "engine",
            f"This server cannot use the database {address!r}: {str(error.orig).strip()}. Run one "
            "server per database: stop the other one, or give this one its own DATABASE_URL.",
        ) from error
    return connection


class RemoteError(Exception):
    """An exception as it was recorded: its class's name and its message."""


class JsonOnly(Serializer):
    """Arguments and results of segments are strings and booleans; all else is refused.

    An exception is recorded by name and message: nothing of ours decides on its class after a
    replay, since failures are values in the journal.
    """

    def name(self) -> str:
        """The word rows are marked with."""
        return "cairn_json_1"

    def serialize(self, data: object) -> str:
        """Turn a value into JSON text. Raises ``TypeError`` for other values."""
        return json.dumps(data, default=_exception, ensure_ascii=False)

    def deserialize(self, serialized_data: str | None) -> object:
        """Rebuild a value."""
        if serialized_data is None:
            return None
        return json.loads(serialized_data, object_hook=_object)


def refuse_pickle() -> None:
    """Close the default decoder: a row that is marked as pickle would run code when it is read."""
    DefaultSerializer.deserialize = _refuse  # type: ignore[method-assign,assignment]


def _refuse(self: object, serialized_data: str) -> object:
    raise ValueError("a pickled row is refused")


def _exception(value: object) -> dict[str, str]:
    if isinstance(value, BaseException):
        return {"$error": type(value).__name__, "message": str(value)}
    raise TypeError(f"a segment's values are JSON, not {type(value).__name__}")


def _object(value: dict[str, object]) -> object:
    if "$error" in value:
        return RemoteError(f"{value['$error']}: {value.get('message')}")
    return value


log = logging.getLogger(__name__)

NAME = "cairn"
VERSION = "segments-1"
"""DBOS's application version: constant, for our journal outlives changes of the code."""

QUEUE = "segments"
POLL = 0.4
"""Seconds between two looks into the queue: two thirds of what an idle server takes."""

STOP_PATIENCE = 5.0
"""Seconds that ``stop`` gives dbos to store the result of a finished step."""

Step = Callable[[str], Awaitable[bool]]


class Engine:
    """Runs segments: for each enqueued wakeup it takes steps until one returns False.

    One process a database: a second one gets ``Outage`` at ``start``.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._step: Step = _stopped
        self._claim: DatabaseLock | None = None
        self._client: DBOSClient | None = None
        self._driving: set[asyncio.Task[object]] = set()
        self._segments: set[asyncio.Task[object]] = set()
        self._stopping = False

    async def start(self, step: Step) -> None:
        """Take the database, recover what a dead process left, begin to work: ``step`` by step."""
        self._step = step
        self._claim = await asyncio.to_thread(claim, self._url)
        self._stopping = False
        refuse_pickle()
        config: DBOSConfig = {
            "name": NAME,
            "system_database_url": self._url,
            "application_version": VERSION,
            "executor_id": "local",
            "serializer": JsonOnly(),
            "sys_db_pool_size": 5,
            "max_executor_threads": 16,
            "log_level": "WARNING",
        }
        DBOS(config=config)
        # dbos's records go where ours do: its own handler would write them unmasked
        theirs = logging.getLogger("dbos")
        theirs.handlers.clear()
        theirs.propagate = True
        global _step
        _step = self._drive
        DBOS.launch()
        await DBOS.register_queue_async(QUEUE, polling_interval_sec=POLL)
        self._client = DBOSClient(
            system_database_url=self._url, serializer=JsonOnly(), application_name=NAME
        )

    async def check(self) -> None:
        """Raise ``Outage`` unless it works on segments."""
        if self._client is None or self._stopping:
            raise Outage("engine", "The engine is not running: the server is starting or stopping.")

    def enqueue(self, connection: Connection, wakeup: str) -> None:
        """Enqueue a wakeup inside the caller's transaction; twice is once."""
        assert self._client is not None, "the engine is not started"  # noqa: S101 - a bug of ours
        self._client.enqueue_in_transaction(
            connection,
            {
                "workflow_name": "segment",
                "queue_name": QUEUE,
                "workflow_id": wakeup,
                "priority": 1,
                "app_version": VERSION,
                "application_name": NAME,
            },
            wakeup,
        )

    async def lost(self, wakeups: list[str]) -> list[str]:
        """Return the wakeups that will never be worked on: unknown, failed or cancelled."""
        if not wakeups:
            return []
        live = ["PENDING", "ENQUEUED", "DELAYED"]
        found = await DBOS.list_workflows_async(
            workflow_ids=wakeups, status=live, load_input=False, load_output=False
        )
        return sorted(set(wakeups) - {workflow.workflow_id for workflow in found})

    async def stop(self) -> None:
        """Stop at once; what was at work continues at the next start."""
        if self._claim is None:  # never started: DBOS, one a process, may be another's
            return
        self._stopping = True  # the steps that are taken are cut off, dbos writes down the others
        for task in self._driving:
            task.cancel()
        if self._segments:
            await asyncio.wait(self._segments, timeout=STOP_PATIENCE)
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1) as own:  # destroy ends the loop's default pool, which it took
            if self._client is not None:
                await loop.run_in_executor(own, self._client.destroy)
            await loop.run_in_executor(own, DBOS.destroy)
        loop.set_default_executor(ThreadPoolExecutor())
        self._claim.close()

    async def _drive(self, wakeup: str) -> bool:
        """One step, known to ``stop``; the task it is taken in lives as long as the segment."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a step is a coroutine of a task
        if self._stopping:
            raise asyncio.CancelledError
        if task not in self._segments:
            self._segments.add(task)
            task.add_done_callback(self._segments.discard)
        self._driving.add(task)
        try:
            return await self._step(wakeup)
        finally:
            self._driving.discard(task)


async def _stopped(wakeup: str) -> bool:
    raise Outage("engine", f"wakeup {wakeup} came while the engine was not started")


_step: Step = _stopped
"""The steps of the engine that works: DBOS keeps functions of modules, not of objects."""


@DBOS.step(name="node")
async def _node(wakeup: str) -> bool:
    return await _step(wakeup)


@DBOS.workflow(name="segment", max_recovery_attempts=None)
async def _segment(wakeup: str) -> None:
    while await _node(wakeup):
        pass
