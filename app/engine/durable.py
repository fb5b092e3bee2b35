"""The durable engine: DBOS Transact behind this one file.

It starts each order's segment once, and again after a crash. It owns neither the graph nor the
state: a segment is a short workflow of steps, each step drives one node and saves it in our own
journal. Only the server imports this module; importing dbos is slow.

Rules found by breaking it (sharp edges of dbos 3.4): launch inside the running loop; one executor a
SQLite file; a constant application version, for any other strands what is queued; priority always
set; destroy last, from a thread of its own.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

from dbos import DBOS, DBOSClient, DBOSConfig
from sqlalchemy.engine import Connection

from app.engine.claim import Claim, claim
from app.engine.values import JsonOnly, refuse_pickle
from runner.errors import Outage

log = logging.getLogger(__name__)

NAME = "cairn"
VERSION = "segments-1"
"""DBOS's application version: constant, for our journal outlives changes of the code."""

QUEUE = "segments"
POLL = 0.1
"""Seconds between two looks into the queue (4 % of a core)."""

PATIENCE = 5.0
"""Seconds ``stop`` gives dbos to write down what a finished step said."""

Step = Callable[[str], Awaitable[bool]]


class Engine:
    """Runs segments: for each enqueued order it calls ``step`` until that returns False.

    One process a database: a second one gets ``Outage`` at ``start``.
    """

    def __init__(self, url: str, step: Step) -> None:
        self._url = url
        self._step = step
        self._claim: Claim | None = None
        self._client: DBOSClient | None = None
        self._driving: set[asyncio.Task[object]] = set()
        self._segments: set[asyncio.Task[object]] = set()
        self._stopping = False

    async def start(self) -> None:
        """Take the database, recover what a dead process left, begin to work."""
        self._claim = await asyncio.to_thread(claim, self._url)
        self._stopping = False
        refuse_pickle()
        DBOS(config=_config(self._url))
        _log_with_us()
        global _step
        _step = self._drive
        DBOS.launch()
        await DBOS.register_queue_async(QUEUE, polling_interval_sec=POLL)
        self._client = DBOSClient(
            system_database_url=self._url, serializer=JsonOnly(), application_name=NAME
        )

    def enqueue(self, connection: Connection, order: str) -> None:
        """Enqueue an order inside the caller's transaction; twice is once."""
        assert self._client is not None, "the engine is not started"  # noqa: S101 - a bug of ours
        self._client.enqueue_in_transaction(
            connection,
            {
                "workflow_name": "segment",
                "queue_name": QUEUE,
                "workflow_id": order,
                "priority": 1,
                "app_version": VERSION,
                "application_name": NAME,
            },
            order,
        )

    async def lost(self, orders: list[str]) -> list[str]:
        """Return those orders that will not be worked (any more): unknown, failed or cancelled."""
        if not orders:
            return []
        live = ["PENDING", "ENQUEUED", "DELAYED"]
        found = await DBOS.list_workflows_async(
            workflow_ids=orders, status=live, load_input=False, load_output=False
        )
        return sorted(set(orders) - {workflow.workflow_id for workflow in found})

    async def stop(self) -> None:
        """Stop at once; what was at work goes on at the next start."""
        if self._claim is None:  # never started: DBOS, one a process, may be another's
            return
        await self._leave()
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1) as own:  # destroy ends the loop's default pool, which it took
            if self._client is not None:
                await loop.run_in_executor(own, self._client.destroy)
            await loop.run_in_executor(own, DBOS.destroy)
        loop.set_default_executor(ThreadPoolExecutor())
        self._claim.close()

    async def _leave(self) -> None:
        """Cut off the steps that are taken, let dbos write down those that were."""
        self._stopping = True
        for task in self._driving:
            task.cancel()
        if self._segments:
            await asyncio.wait(self._segments, timeout=PATIENCE)

    async def _drive(self, order: str) -> bool:
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
            return await self._step(order)
        finally:
            self._driving.discard(task)


async def _stopped(order: str) -> bool:
    raise Outage("engine", f"order {order} came while the engine was not started")


_step: Step = _stopped


@DBOS.step(name="node")
async def _node(order: str) -> bool:
    return await _step(order)


@DBOS.workflow(name="segment", max_recovery_attempts=None)
async def _segment(order: str) -> None:
    while await _node(order):
        pass


def _log_with_us() -> None:
    """Send dbos's records where ours go: its own handler would write them unmasked."""
    theirs = logging.getLogger("dbos")
    theirs.handlers.clear()
    theirs.propagate = True


def _config(url: str) -> DBOSConfig:
    return {
        "name": NAME,
        "system_database_url": url,
        "application_version": VERSION,
        "executor_id": "local",
        "serializer": JsonOnly(),
        "sys_db_pool_size": 5,
        "max_executor_threads": 16,
        "log_level": "WARNING",
    }
