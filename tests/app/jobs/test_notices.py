"""Notices go to a real receiver, and neither it nor its address can harm anybody."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from apprise.logger import NotifyLogEntry
from pydantic import SecretStr

from app.jobs.notices import TRIES, Address, AtOnce, Notices, addresses
from app.settings.models import _addresses
from app.store.outbox import WaitingEvent
from runner.state.outward import OutwardEvent

SECRET = "a-long-secret-token"


@asynccontextmanager
async def receiver(*answers: int | asyncio.Event) -> AsyncIterator[tuple[SecretStr, list[str]]]:
    """The address of a service that answers so, then takes everything; and what it heard."""
    heard: list[str] = []
    left = list(answers)

    async def take(request: web.Request) -> web.Response:
        said = await request.json()
        heard.append(f"{said['title']}|{said['message']}")
        answer = left.pop(0) if left else 200
        if isinstance(answer, asyncio.Event):
            await answer.wait()
            answer = 200
        return web.Response(status=answer)

    app = web.Application()
    app.router.add_post(f"/{SECRET}", take)
    async with TestServer(app, host="127.0.0.1") as server:
        yield SecretStr(f"json://127.0.0.1:{server.port}/{SECRET}"), heard


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was logged, but for the receiver's own lines.

    pytest also listens to what goes to no other handler, as apprise's own lines do.
    """
    assert not logging.getLogger("apprise").propagate
    others = ("aiohttp.access", "apprise")
    return [each.getMessage() for each in caplog.records if each.name not in others]


def event(name: str, **fields: object) -> OutwardEvent:
    said = {"event": name, "repository": "octo/calc", "run": "r1", "task": "", "detail": ""}
    return OutwardEvent("id", "r1", name, said | fields)


def task(name: str, status: str) -> OutwardEvent:
    return event("task_changed", task=name, status=status)


def waiting(text: str) -> WaitingEvent:
    return WaitingEvent(1, "id", "run_changed", json.dumps({"text": text}), 0)


def test_addresses_of_one_service_are_numbered() -> None:
    """Or a log line would not say which of them failed."""
    urls = ["json://one.example", "xml://two.example", "json://three.example"]
    names = [each.name for each in addresses([SecretStr(url) for url in urls])]
    assert names == ["JSON (address 1)", "XML", "JSON (address 3)"]


async def test_a_service_takes_a_notice_or_not(caplog: pytest.LogCaptureFixture) -> None:
    """What it answers decides; nothing of its address is logged."""
    async with receiver(500) as (url, heard):
        assert _addresses((url,)) == (url,)  # the settings, which were read before
        address = Address(url)
        first = await address.send(waiting("title\nfirst\nsecond"))
        then = await address.send(waiting("only a title"))

    assert address.name == "JSON"
    assert first.problem.startswith("it did not take the notice (Failed to send JSON ")
    assert "error=500" in first.problem
    assert then.problem == ""
    assert heard == ["title|first\nsecond", "only a title|only a title"]
    gone = (await address.send(waiting("nobody is there"))).problem
    assert "A Connection error occurred sending JSON notification to ***" in gone
    assert logged(caplog) == []


async def test_no_part_of_an_address_is_in_what_is_said() -> None:
    """Neither its password nor its host, written as in the address or as it is."""
    address = Address(SecretStr("json://ada:p%40ss@127.0.0.1:1/hidden?:Token=abc"))
    for text in ("ada:p@ss at 127.0.0.1/hidden", "p%40ss", "ABC"):
        said = address._trouble([NotifyLogEntry("WARNING", text)])
        left = said.removeprefix("it did not take the notice (").replace("***", "")
        assert not {"ada", "p@ss", "ss", "40", "127", "hidden", "abc"} & {*re.findall(r"\w+", left)}


async def test_nobody_waits_for_a_service_that_hangs() -> None:
    """A try ends after its time, and the next one begins without it."""
    hangs = asyncio.Event()
    async with receiver(hangs) as (url, heard):
        address = Address(url, timeout=0.3)
        assert (await address.send(waiting("a"))).problem == "it did not answer in 0.3 seconds"
        assert (await Address(url).send(waiting("b"))).problem == ""
        hangs.set()
    assert heard == ["a|a", "b|b"]


class Kept:
    """A sink that keeps what it gets."""

    def __init__(self) -> None:
        self.texts: list[object] = []

    async def put(self, events: list[OutwardEvent]) -> None:
        self.texts += [each.fields["text"] for each in events]


async def test_people_are_told_what_they_want_to_know() -> None:
    """The end with how each task ended last, a pause, a question; no step, and nobody is called."""
    kept = Kept()
    notices = Notices(kept)
    asked = {
        "kind": "recovery",
        "strategy": "rewrite",
        "url": "https://github.com/octo/calc/pull/3",
    }

    await notices.put([event("run_changed", status="started"), event("node_finished")])
    await notices.put([task("1.1", "failed"), task("1.1", "completed"), task("1.2", "failed")])
    await notices.put([event("proposal_made", task="1.2 @everyone", **asked)])
    await notices.put(
        [event("proposal_made", task="2", **(asked | {"kind": "changes", "url": ""}))]
    )
    await notices.put([event("run_changed", status="ended")])
    for _ in range(2):
        paused = event("run_changed", status="paused", detail="The <!here> budget is used.")
        await notices.put([event("run_changed", status="started"), paused])

    assert kept.texts == [
        "octo/calc: 1.2 @\u2060everyone needs your decision\n"
        "Cairn proposes: rewrite. https://github.com/octo/calc/pull/3",
        "octo/calc: 2 needs your decision\nIts changes need approval. cairn status shows it.",
        "octo/calc: run r1 has ended\nTasks: 1 completed, 1 failed.",
        "octo/calc: run r1 is paused\nThe <\u2060!here> budget is used.",
    ]


async def test_without_a_database_it_is_tried_a_few_times(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Nobody waits for it before the end; then it is said once, without the address."""
    waits: list[float] = []

    async def rest(seconds: float) -> None:
        waits.append(seconds)

    async with receiver(*[503] * TRIES, 200) as (url, heard):
        once = AtOnce(Address(url), rest)
        await once.put([OutwardEvent("id", "r1", "run_changed", {"text": "first"})])
        assert heard == []
        await once.close()
        await once.put([OutwardEvent("id", "r1", "run_changed", {"text": "second"})])
        await once.close()

    assert heard == ["first|first"] * TRIES + ["second|second"]
    assert len(waits) == TRIES - 1
    assert 0.75 <= waits[0] <= 1 < waits[1] <= 2
    (said,) = logged(caplog)
    assert said.startswith("JSON was not told: it did not take the notice (Failed to send JSON")
    assert SECRET not in said
