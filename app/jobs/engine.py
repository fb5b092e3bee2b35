"""The durable engine: DBOS Transact, behind this one file.

It starts each wakeup's segment once, and again after a crash. It owns neither the graph nor the
state: a segment is a short workflow of steps, and each step drives one node and saves it in our
own journal. Only the server imports this module, because importing dbos is slow. What DBOS stores
of ours is plain JSON, never a pickle.

Rules found by breaking it (sharp edges of dbos 3.4): launch inside the running loop; run one
executor per SQLite file, held by a lock that ends with its process, and give each process on a
PostgreSQL an id of its own; always set a priority; destroy last, from its own thread. What is
queued under another application version waits for a process that has it: ``lost`` finds what none
has.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TextIO

import psycopg
import sqlalchemy as sa
from dbos import DBOS, DBOSClient, DBOSConfig, Serializer, _sys_db
from dbos._serialization import DefaultSerializer
from dbos._utils import retriable_postgres_exception
from sqlalchemy import exc
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.pool import NullPool

from app.store.database import SCHEMA, is_sqlite
from runner.errors import Outage


def claim(url: str) -> TextIO | None:
    """Take a SQLite file for this process, until it is closed.

    Raises ``Outage`` when another one has it.
    """
    address = make_url(url)
    if not is_sqlite(address):
        return None
    path = Path(address.database or "")
    lock = path.with_name(path.name + ".lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        raise Outage(
            "engine",
            f"Another process uses {path}. SQLite serves one process: stop that one, give this one "
            "its own CAIRN_DATA_DIR, or use PostgreSQL for several (DATABASE_URL).",
        ) from error
    return lock


@asynccontextmanager
async def _alone(url: str) -> AsyncIterator[None]:
    """Let one process at a time make the engine's tables. Raises ``Outage``.

    It asks for the lock again and again: dbos makes an index concurrently, which waits for every
    statement that is running, and one that waits for this lock would never end.
    """
    address = make_url(url)
    if is_sqlite(address):
        yield
        return
    engine = sa.create_engine(
        address.set(drivername="postgresql+psycopg"),
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
    )
    try:
        connection = await asyncio.to_thread(engine.connect)
        mine = sa.text("SELECT pg_try_advisory_lock(51875)")
        while not connection.scalar(mine):  # noqa: ASYNC110 - another process has it
            await asyncio.sleep(_TURN)
    except exc.DBAPIError as error:
        said = str(error.orig).strip()
        raise Outage("engine", f"The database {address!r} cannot be used: {said}") from error
    with connection:
        yield


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


def wait_for_database() -> None:
    """Let dbos wait for a database that is away in ways of which it does not know the words.

    A socket that is gone, or the name of a container that is stopped: it would end the workflow,
    could not write that down, and the wakeup would be at work for ever in a process that lives.
    """
    _sys_db.retriable_postgres_exception = is_away  # type: ignore[attr-defined,assignment]


def is_away(error: Exception) -> bool:
    """Say whether an error is about the connection: the database itself gives a state."""
    cause = error.orig if isinstance(error, exc.DBAPIError) else None
    unsaid = isinstance(cause, psycopg.OperationalError) and cause.sqlstate is None
    return unsaid or retriable_postgres_exception(error)


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
VERSION = f"schema-{SCHEMA}"
"""DBOS's application version: who can read the journal can work on it."""

QUEUE = "segments"
STOPS = "stops"
"""The queue of runs that are only to be told that they stop: they need no slot."""

POLL = 0.4
"""Seconds between two looks into the queue: two thirds of what an idle server takes."""

SHARED_POLL = 1.0
"""The same where several processes look, each of which takes a little of the database, too."""

_STOPS_POLL = 2.0

_TURN = 0.2
"""Seconds between two looks whether another process has made the engine's tables."""

_NOTIFIES = 0.5
"""Seconds between two looks for notifications to send: ours are none, and dbos looks 100 times a
second unless it is told."""

STOP_PATIENCE = 5.0
"""Seconds that ``stop`` gives dbos to store the result of a finished step."""

Step = Callable[[str], Awaitable[bool]]


class Engine:
    """Runs segments: for each enqueued wakeup it takes steps until one returns False.

    On PostgreSQL ``executor`` names this process, which works on as many segments at once as it has
    ``slots``: on none if it does not ``work``. On a SQLite file a second process gets ``Outage`` at
    ``start``.
    """

    def __init__(
        self, url: str, *, executor: str = "local", slots: int | None = None, works: bool = True
    ) -> None:
        self._url = url
        self._executor = executor
        self._slots = slots
        self._works = works
        self._step: Step = _stopped
        self._claim: TextIO | None = None
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
        wait_for_database()
        config: DBOSConfig = {
            "name": NAME,
            "system_database_url": self._url,
            "application_version": VERSION,
            "executor_id": self._executor,
            "serializer": JsonOnly(),
            "sys_db_pool_size": 5,
            "sys_db_idle_transaction_timeout_sec": 5.0,
            "max_executor_threads": 16,
            "notification_coalesce_sec": _NOTIFIES,
            "log_level": "WARNING",
        }
        DBOS(config=config)
        # dbos's records go where ours do: its own handler would write them unmasked
        theirs = logging.getLogger("dbos")
        theirs.handlers.clear()
        theirs.propagate = True
        global _step
        _step = self._drive
        if not self._works:
            DBOS.listen_queues([])
        async with _alone(self._url):
            DBOS.launch()
        if self._slots is None:
            await DBOS.register_queue_async(QUEUE, polling_interval_sec=POLL)
        elif self._works:
            # what a process may have at once is stored with the queue, the same for all
            await DBOS.register_queue_async(
                QUEUE, polling_interval_sec=SHARED_POLL, worker_concurrency=self._slots
            )
            await DBOS.register_queue_async(STOPS, polling_interval_sec=_STOPS_POLL)
        self._client = DBOSClient(
            system_database_url=self._url, serializer=JsonOnly(), application_name=NAME
        )

    async def check(self) -> None:
        """Raise ``Outage`` unless it works on segments."""
        if self._client is None or self._stopping:
            raise Outage("engine", "The engine is not running: the server is starting or stopping.")

    def enqueue(self, connection: Connection, wakeup: str) -> None:
        """Enqueue a wakeup inside the caller's transaction; twice is once."""
        self._enqueue(connection, wakeup, QUEUE)

    def enqueue_stop(self, connection: Connection, wakeup: str) -> None:
        """Enqueue one whose run is only to be told that it stops."""
        self._enqueue(connection, wakeup, STOPS if self._slots else QUEUE)

    def _enqueue(self, connection: Connection, wakeup: str, queue: str) -> None:
        self._ready.enqueue_in_transaction(
            connection,
            {
                "workflow_name": "segment",
                "queue_name": queue,
                "workflow_id": wakeup,
                "priority": 1,
                "app_version": VERSION,
                "application_name": NAME,
            },
            wakeup,
        )

    @property
    def _ready(self) -> DBOSClient:
        assert self._client is not None, "the engine is not started"  # noqa: S101 - a bug of ours
        return self._client

    async def lost(
        self, wakeups: Collection[str], living: Mapping[str, str] = MappingProxyType({})
    ) -> list[str]:
        """Return the wakeups that will never be worked on: unknown, failed or cancelled.

        Or of another version, and none of the ``living`` (version by executor) has it.
        """
        if not wakeups:
            return []
        found = await self._ready.list_workflows_async(
            workflow_ids=list(wakeups),
            status=["PENDING", "ENQUEUED", "DELAYED"],
            load_input=False,
            load_output=False,
        )
        versions = {VERSION, *(f"schema-{each}" for each in living.values())}
        return sorted(set(wakeups) - {w.workflow_id for w in found if w.app_version in versions})

    async def recover(self, living: Collection[str]) -> int:
        """Give what was at work in processes that are not among the ``living`` to these."""
        pending = await self._ready.list_workflows_async(
            status="PENDING", app_version=VERSION, load_input=False, load_output=False
        )
        found = [w for w in pending if w.executor_id not in living]
        for queue in {w.queue_name for w in found}:
            ids = [w.workflow_id for w in found if w.queue_name == queue]
            await self._ready.resume_workflows_async(ids, queue_name=queue)
        return len(found)

    async def stop(self) -> None:
        """Stop at once; what was at work continues at the next start."""
        if self._client is None:  # never started: DBOS, one a process, may be another's
            return
        self._stopping = True  # the steps that are taken are cut off, dbos writes down the others
        for task in self._driving:
            task.cancel()
        if self._segments:
            await asyncio.wait(self._segments, timeout=STOP_PATIENCE)
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1) as own:  # destroy ends the loop's default pool, which it took
            await loop.run_in_executor(own, self._client.destroy)
            await loop.run_in_executor(own, DBOS.destroy)
        loop.set_default_executor(ThreadPoolExecutor())
        if self._claim:
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
