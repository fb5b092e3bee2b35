"""Events for the operator's own systems: a signed webhook and a file, whatever becomes of both."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer, unused_port

from app.jobs.event_sender import standard_signature
from tests.app.jobs.test_notices import receiver as notified
from tests.model_server import Held
from tests.postgresql import Cluster, postgresql
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.endings import ANSWER, NOTE, check_finished
from tests.scenarios.process import serving
from tools.docs.events import events_schema

SECRET = "a secret that both sides know"
LASTING = (
    "run_queued",
    "run_changed ready",
    "run_changed started",
    "task_changed in_progress",
    "checkpoint_published",
    "task_changed completed",
    "run_changed ended",
)
"""What a run of one task tells at least, in this order."""


@dataclass
class Receiver:
    """The operator's own system. ``answers`` are its next ones, then it takes everything."""

    port: int = field(default_factory=unused_port)
    answers: list[int | asyncio.Event] = field(default_factory=list)
    tried: list[dict[str, Any]] = field(default_factory=list)
    taken: list[dict[str, Any]] = field(default_factory=list)
    news: asyncio.Condition = field(default_factory=asyncio.Condition)

    @property
    def url(self) -> str:
        """Where it listens once it is up."""
        return f"http://127.0.0.1:{self.port}/events?token=ours"

    @asynccontextmanager
    async def up(self) -> AsyncIterator[None]:
        """Listen."""
        app = web.Application()
        app.router.add_post("/events", self._heard)
        async with TestServer(app, host="127.0.0.1", port=self.port):
            yield

    async def until(self, name: str) -> None:
        """Wait until an event of this name was taken."""
        async with self.news:
            await self.news.wait_for(lambda: name in map(named, self.taken))

    async def until_tried(self, times: int) -> None:
        """Wait until so many requests came."""
        async with self.news:
            await self.news.wait_for(lambda: len(self.tried) >= times)

    async def _heard(self, request: web.Request) -> web.Response:
        body = await request.read()
        event = checked(request, body)
        answer = self.answers.pop(0) if self.answers else 204
        async with self.news:
            self.tried.append(event)
            self.news.notify_all()
        if isinstance(answer, asyncio.Event):
            await answer.wait()
            answer = 204
        if answer == 204:
            async with self.news:
                self.taken.append(event)
                self.news.notify_all()
        return web.Response(status=answer)


def checked(request: web.Request, body: bytes) -> dict[str, Any]:
    """The event of a request that is signed and formed as the documentation says."""
    made = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    assert request.headers["X-Hub-Signature-256"] == f"sha256={made}"
    event: dict[str, Any] = json.loads(body)
    jsonschema_rs.validate(events_schema(), event)
    assert request.headers["X-Cairn-Delivery"] == event["id"]
    assert request.headers["X-Cairn-Event"] == event["event"]
    at = request.headers["X-Cairn-Timestamp"]
    assert at.isdigit()
    assert (request.headers["webhook-id"], request.headers["webhook-timestamp"]) == (
        event["id"],
        at,
    )
    signed = standard_signature(SECRET.encode(), event["id"], at, body)
    assert request.headers["webhook-signature"] == signed
    return event


def named(event: dict[str, Any]) -> str:
    """The event's name, and the status it reports."""
    return " ".join(filter(None, (event["event"], event.get("status"))))


def lasting(events: list[dict[str, Any]]) -> list[str]:
    """What was told of the run that must not be lost, each once."""
    once = {event["id"]: named(event) for event in events}
    return [name for name in once.values() if name in LASTING]


@pytest.fixture
def receiver() -> Receiver:
    """A system that is down until the test starts it."""
    return Receiver()


@asynccontextmanager
async def talking(tmp_path: Path, receiver: Receiver, **settings: object) -> AsyncIterator[Bot]:
    """A conversation whose operator wants to hear of events."""
    more = {"CAIRN_EVENTS_URL": receiver.url, "CAIRN_EVENTS_SECRET": SECRET, **settings}
    async with conversation(tmp_path, NOTE, **more) as bot:
        yield bot
        bot.check()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL of this module's own."""
    with postgresql() as cluster:
        yield cluster


@pytest.fixture
def database(request: pytest.FixtureRequest) -> dict[str, object]:
    """The setting that names the database."""
    if request.param == "sqlite":
        return {}
    cluster: Cluster = request.getfixturevalue("cluster")
    return {"DATABASE_URL": cluster.database()}


ON_BOTH = pytest.mark.parametrize(
    "database",
    ["sqlite", pytest.param("postgresql", marks=pytest.mark.long("starts PostgreSQL"))],
    indirect=True,
)


@ON_BOTH
async def test_a_receiver_that_was_away_gets_everything_in_order(
    tmp_path: Path, receiver: Receiver, database: dict[str, object]
) -> None:
    """It is down while the run works, then fails, then is slow; the file has the same."""
    file = tmp_path / "events.jsonl"
    async with (
        talking(tmp_path, receiver, CAIRN_EVENTS_FILE=file, **database) as bot,
        bot.started(),
    ):
        bot.model.says(ANSWER)
        await bot.comment("/execute")
        check_finished(bot)
        assert receiver.tried == []

        slow = asyncio.Event()
        receiver.answers = [500, 429, slow]
        async with receiver.up():
            for tries in (1, 2):
                await bot.later(hours=2)
                assert len(receiver.tried) == tries
            await asyncio.gather(bot.later(hours=2), _let_go(receiver, slow))
            pull = bot.pulls[0].number
            await bot.github.merge_pull(REPOSITORY, pull)
            await bot.idle()
            bot.says()

    taken, first = receiver.taken, receiver.tried[0]
    assert lasting(taken) == list(LASTING)
    assert [first["id"]] * 3 == [event["id"] for event in receiver.tried[:3]]
    assert len({event["id"] for event in taken}) == len(taken)
    assert [e["number"] for e in taken if e["event"] == "checkpoint_merged"] == [pull]
    (done,) = (event for event in taken if named(event) == "task_changed completed")
    assert (done["repository"], done["task"], done["tokens"]) == (REPOSITORY, "1.1", done["tokens"])
    assert done["tokens"] > 0
    assert [json.loads(line) for line in file.read_text().splitlines()] == taken


async def _let_go(receiver: Receiver, slow: asyncio.Event) -> None:
    await receiver.until_tried(3)
    slow.set()


async def test_people_are_told_beside_the_webhook(tmp_path: Path, receiver: Receiver) -> None:
    """The webhook is down, which keeps no notice back; one that was not taken is sent again."""
    async with notified(503) as (url, heard):
        notify = {"CAIRN_NOTIFY": f"{url.get_secret_value()} json://127.0.0.1:1/nobody"}
        async with talking(tmp_path, receiver, **notify) as bot, bot.started():
            bot.model.says(ANSWER)
            await bot.comment("/execute")
            check_finished(bot)
            assert len(heard) == 1
            await bot.later(hours=2)
            await bot.idle()

    assert len(heard) == 2
    assert heard[0] == heard[1]
    assert heard[0].endswith(" has ended|Tasks: 1 completed.")


@ON_BOTH
@pytest.mark.long("kills a server")
async def test_a_killed_server_loses_no_event(
    tmp_path: Path, receiver: Receiver, database: dict[str, object]
) -> None:
    """Killed while the model answers and the receiver is slow: all is told, nothing twice new."""
    kept = Held(ANSWER)
    never = asyncio.Event()
    async with receiver.up(), talking(tmp_path, receiver, **database) as bot:
        bot.model.says(kept, ANSWER)
        receiver.answers = [204, 204, never]
        async with serving(bot) as server:
            await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="writer")
            await kept.asked.wait()
            await receiver.until_tried(3)
            await server.end()
        kept.go.set()
        async with serving(bot) as server:
            await server.until(": ended")
            await receiver.until("run_changed ended")
        never.set()
        check_finished(bot)

    told = lasting(receiver.tried)
    assert list(dict.fromkeys(told)) == list(LASTING)
    # each process says that it takes the run up; all else is told from what is kept
    assert [name for name in LASTING if told.count(name) > 1] == ["run_changed started"]
