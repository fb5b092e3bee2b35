"""The processes on one database: who is alive, which one leads, and what they tell each other.

On PostgreSQL each process has a row in ``workers`` and one connection of its own. Every second it
says that it is alive and tries to lead; in between it hears what others tell. The leader does what
must happen once, and declares dead who was silent for five seconds. PostgreSQL itself takes the
lead from a leader that is stopped: its session ends when it is idle for as long. One that wakes up
and finds itself declared dead leaves at once, before it sends anything to GitHub.

A SQLite file has one process, which leads and has nobody to tell.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import socket
import time
import zlib
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from dataclasses import dataclass
from typing import Any, Protocol

import psycopg
import sqlalchemy as sa
from sqlalchemy.engine import make_url

from app.background import BackgroundWork
from app.store.database import CHANNEL, SCHEMA, Store, told
from app.store.schema import workers
from runner.errors import DATABASE, Outage

log = logging.getLogger(__name__)

BEAT = 1.0
"""Seconds between two signs of life."""

DEAD_AFTER = 5.0
"""Seconds of silence after which a process is declared dead."""

_PATIENCE = 60.0
"""Seconds that may pass until it is certain that this process lives."""

_STARTING = 60.0
"""Seconds of silence that a process may need to start."""


Connection = psycopg.AsyncConnection[tuple[Any, ...]]
Turn = AbstractAsyncContextManager[object]
Act = Callable[[], Awaitable[None]]
Hear = Callable[[Mapping[str, object]], Awaitable[None]]


@dataclass(frozen=True)
class Duty:
    """What must happen once: the leader starts it, and stops it when it leads no longer.

    ``heard`` is called when another process tells something of the ``topic``.
    """

    start: Act
    stop: Act
    topic: str = ""
    heard: Act | None = None


class Membership(Protocol):
    """A process among those that use its database."""

    id: str
    works: bool
    slots: int | None
    bury: Act
    """Gives what is left of processes that died to those that live."""

    async def join(self) -> None:
        """Be known to the others, before any work begins. Raises ``Outage``."""

    async def begin(self, *duties: Duty) -> None:
        """Take the duties over whenever this process leads. Raises ``Outage``."""

    def hear(self, topic: str, what: Hear) -> None:
        """Call ``what`` with everything that any process tells of a topic."""

    async def tell(self, topic: str, **said: object) -> None:
        """Tell all processes something. Raises ``Outage``."""

    async def pass_on(self, topic: str) -> bool:
        """Leave it to the leader; False when that is this process. Raises ``Outage``."""

    async def living(self) -> dict[str, str]:
        """The processes that live, and the schema that each reads. Raises ``Outage``."""

    async def certain(self) -> None:
        """Return once it is certain that this process was not declared dead. Raises ``Outage``."""

    def turn(self, name: str) -> Turn:
        """A lock that one task of one process holds at a time."""

    async def resign(self) -> None:
        """Give the lead away."""

    async def leave(self) -> None:
        """Be gone: others continue what was at work here."""


class Alone:
    """The only process on its database."""

    def __init__(self) -> None:
        self.id, self.works = "local", True
        self.slots: int | None = None
        self.bury: Act = _nothing
        self._duties: tuple[Duty, ...] = ()

    async def join(self) -> None:
        """There is nobody."""

    async def begin(self, *duties: Duty) -> None:
        """Take all duties over."""
        self._duties = duties
        for duty in duties:
            await duty.start()

    def hear(self, topic: str, what: Hear) -> None:
        """Nobody tells anything."""

    async def tell(self, topic: str, **said: object) -> None:
        """Nobody hears it."""

    async def pass_on(self, topic: str) -> bool:
        """This process leads."""
        return False

    async def living(self) -> dict[str, str]:
        """This one."""
        return {self.id: SCHEMA}

    async def certain(self) -> None:
        """Nobody else could declare it dead."""

    def turn(self, name: str) -> Turn:
        """A lock of this process."""
        return asyncio.Lock()

    async def resign(self) -> None:
        """Stop what was begun, the last duty first."""
        for duty in reversed(self._duties):
            await duty.stop()

    async def leave(self) -> None:
        """There is nobody to continue."""


class ClusterMember:
    """One of many processes on a PostgreSQL.

    ``slots`` is how many runs it works on at the same time. Only one that ``works`` leads.
    ``outdated`` is called when a newer Cairn has
    changed the database, ``expelled`` when this process was declared dead (it must not return).
    """

    def __init__(
        self,
        store: Store,
        url: str,
        *,
        slots: int,
        works: bool = True,
        outdated: Callable[[], None],
        expelled: Callable[[], None] | None = None,
        on_bug: Callable[[Exception], None] | None = None,
    ) -> None:
        self.id = f"{socket.gethostname()}-{secrets.token_hex(6)}"
        self.works = works
        self.slots: int | None = slots
        self.bury: Act = _nothing
        self._store = store
        self._address = make_url(url).set(drivername="postgresql")
        self._outdated, self._expelled = outdated, expelled or leave_at_once
        self._life = BackgroundWork("The sign of life", self._cannot_live)
        self._on_bug = on_bug
        self._lead = BackgroundWork("The lead", on_bug)
        self._hears: dict[str, Hear] = {}
        self._duties: tuple[Duty, ...] = ()
        self._leads = False
        self._topics: set[str] = set()
        self._news = asyncio.Event()
        self._beats = 0
        self._sure_until = 0.0
        self._sure = asyncio.Event()

    async def join(self) -> None:
        """Be known before any work begins; the start may take a while."""
        row = {"id": self.id, "slots": self.slots, "version": SCHEMA, "dead": False}
        now = sa.extract("epoch", sa.func.clock_timestamp())
        beat = sa.cast(now, sa.Double) + sa.literal(_STARTING)
        await self._store.change(sa.insert(workers).values(**row, beat=beat))
        self._sure_until = time.monotonic() + _STARTING
        log.info("This process is %s", self.id)

    async def begin(self, *duties: Duty) -> None:
        """Say from now on that it is alive, and try to lead."""
        self._duties = duties
        self._life.begin(self._live())

    def hear(self, topic: str, what: Hear) -> None:
        """Hear of a topic, also what this process tells."""
        self._hears[topic] = what

    async def tell(self, topic: str, **said: object) -> None:
        """Tell all processes."""
        await self._store.rows(told(topic, by=self.id, **said))

    async def pass_on(self, topic: str) -> bool:
        """Tell the leader, unless this process leads."""
        if self._leads:
            return False
        await self.tell(topic)
        return True

    async def living(self) -> dict[str, str]:
        """Return those that were not declared dead."""
        query = sa.select(workers.c.id, workers.c.version).where(~workers.c.dead)
        return {id: version for id, version in await self._store.rows(query)}

    async def certain(self) -> None:
        """Return at once, or after the next sign of life if the last was too long ago.

        Raises ``Outage`` if that does not come.
        """
        try:
            async with asyncio.timeout(_PATIENCE):
                while time.monotonic() > self._sure_until:
                    self._sure.clear()
                    await self._sure.wait()
        except TimeoutError:
            text = "The database is away, so it is not certain that this process may go on."
            raise Outage(DATABASE, text) from None

    def turn(self, name: str) -> Turn:
        """A lock of the database."""
        return SharedTurn(self._connect, name)

    async def resign(self) -> None:
        """Stop leading, and with it trying to."""
        self.works = False
        await self._stop_leading()

    async def leave(self) -> None:
        """Take the row away as one that died: its work is given to others at once."""
        await self._life.stop()
        gone = sa.update(workers).where(workers.c.id == self.id).values(dead=True)
        try:
            await self._store.change(gone)
            await self.tell("died")
        except Outage as outage:  # the others find out
            log.warning("%s", outage.message)

    def _cannot_live(self, bug: Exception) -> None:
        if self._on_bug:
            self._on_bug(bug)
        self._expelled()

    async def _live(self) -> None:
        while True:
            try:
                await self._connected()
            except (psycopg.Error, Outage) as error:
                text = error.message if isinstance(error, Outage) else str(error).strip()
                log.warning("The connection that says that this process lives is lost: %s", text)
            self._beats = 0
            await self._stop_leading()  # the lock went with the session
            await asyncio.sleep(BEAT)

    async def _connected(self) -> None:
        async with await self._connect() as connection:
            await connection.execute(f"LISTEN {CHANNEL}".encode())
            for topic in self._hears:  # it may have been told while nobody listened
                await self._heard({"topic": topic})
            while True:
                await self._beat(connection)
                async for each in connection.notifies(timeout=BEAT):
                    await self._heard(json.loads(each.payload))

    async def _connect(self) -> Connection:
        """A connection whose locks PostgreSQL takes away once this process is silent."""
        address = self._address.render_as_string(hide_password=False)
        connection = await psycopg.AsyncConnection.connect(
            address, autocommit=True, connect_timeout=5
        )
        await connection.execute(f"SET idle_session_timeout = '{DEAD_AFTER}s'".encode())
        await connection.execute(b"SET synchronous_commit = off")  # a lost beat is said again
        return connection

    async def _beat(self, connection: Connection) -> None:
        """Say that it is alive, and find out whether it leads."""
        before = time.monotonic()
        said = await connection.execute(_SAY, {"id": self.id})
        found = await said.fetchone()
        if found is None:
            self._expelled()
            return
        if str(found[0]) > SCHEMA:
            self._outdated()
        if self._leads and self._lead.ended:
            raise Outage("lead", "The leader ended because of a bug.")  # another one may lead
        self._beats += 1
        self._sure_until = before + DEAD_AFTER - BEAT
        self._sure.set()
        if self.works and not self._leads:
            tried = await connection.execute(_TRY)
            if (await tried.fetchone() or (False,))[0]:
                self._leads = True
                log.info("This process leads now")
                self._lead.begin(self._serve())
        # a database that was away for long has let nobody say that he is alive
        if self._leads and self._beats > DEAD_AFTER / BEAT + 1:
            silent = await (await connection.execute(_DIED, {"silent": DEAD_AFTER})).fetchall()
            if silent:
                log.warning("Declared dead: %s", ", ".join(str(id) for (id,) in silent))
                self._told("died")

    async def _heard(self, said: Mapping[str, object]) -> None:
        topic = str(said["topic"])
        if what := self._hears.get(topic):
            await what(said)
        if self._leads and said.get("by") != self.id:
            self._told(topic)

    def _told(self, topic: str) -> None:
        self._topics.add(topic)
        self._news.set()

    async def _serve(self) -> None:
        """Lead: start the duties, then do for each what other processes tell of it."""
        self._topics, begun = {"died"}, 0  # somebody may have died while nobody led
        while True:
            self._news.clear()
            try:
                for duty in self._duties[begun:]:
                    await duty.start()
                    begun += 1
                while self._topics:
                    await self._attend(next(iter(self._topics)))
            except Outage as outage:
                log.warning("The leader goes on soon: %s", outage.message)
                await asyncio.sleep(BEAT)
            else:
                await self._news.wait()

    async def _attend(self, topic: str) -> None:
        """Do what a topic asks for; it stays asked for if it could not be done."""
        self._topics.discard(topic)
        try:
            if topic == "died":
                await self.bury()
                await self._store.change(sa.delete(workers).where(workers.c.dead))
            for duty in self._duties:
                if duty.heard and duty.topic == topic:
                    await duty.heard()
        except Outage:
            self._topics.add(topic)
            raise

    async def _stop_leading(self) -> None:
        await self._lead.stop()
        if self._leads:
            self._leads = False
            for duty in reversed(self._duties):
                await duty.stop()


class SharedTurn:
    """A lock that one task of one process holds at a time, as long as that process lives."""

    def __init__(self, connect: Callable[[], Awaitable[Connection]], name: str) -> None:
        self._connect = connect
        self._key = zlib.crc32(name.encode()) - 2**31
        self._here = asyncio.Lock()
        self._held = AsyncExitStack()

    async def __aenter__(self) -> None:
        """Wait for it. Raises ``Outage``."""
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._here)
            try:
                connection = await self._connect()
                stack.push_async_callback(connection.close)
                await connection.execute(b"SELECT pg_advisory_lock(51876, %s)", [self._key])
            except psycopg.Error as error:
                raise Outage(DATABASE, f"The database failed: {error}") from error
            alive = asyncio.create_task(_stay_awake(connection))
            stack.callback(alive.cancel)
            self._held = stack.pop_all()

    async def __aexit__(self, *_: object) -> None:
        """Give it to the next."""
        await self._held.aclose()


async def _stay_awake(connection: Connection) -> None:
    with suppress(psycopg.Error):  # the lock is gone, and what is done under it looks first
        while True:
            await asyncio.sleep(BEAT)
            await connection.execute(b"SELECT 1")


_SAY = b"""
UPDATE workers SET beat = extract(epoch FROM clock_timestamp()) WHERE id = %(id)s AND NOT dead
RETURNING (SELECT max(version_num) FROM alembic_version)
"""
_TRY = b"SELECT pg_try_advisory_lock(51874)"
_DIED = b"""
UPDATE workers SET dead = true
WHERE NOT dead AND beat < extract(epoch FROM clock_timestamp()) - %(silent)s RETURNING id
"""


async def _nothing() -> None:
    pass


def leave_at_once() -> None:
    """End the process: another one may be doing already what this one was about to do."""
    log.error("This process was silent for too long, and others continue its work. It ends now.")
    logging.shutdown()
    os._exit(os.EX_TEMPFAIL)
