"""Faults strike where and when they are told to."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest

from tests.fake_github import FakeGitHub
from tests.fake_github_tests.conftest import NAME, Client

ISSUES = f"/repos/{NAME}/issues"


async def test_a_fault_comes_before_the_effect(client: Client, fake: FakeGitHub) -> None:
    """A 502 leaves nothing behind and is over after its times."""
    fake.fail("POST", ISSUES, status=502)

    first = await client.ask("POST", ISSUES, {"title": "x"})
    second = await client.ask("POST", ISSUES, {"title": "x"})

    assert (first.status, second.status) == (502, 201)
    assert list(fake.repo(NAME).issues) == [1]


async def test_an_answer_can_be_lost_after_the_effect(client: Client, fake: FakeGitHub) -> None:
    """With after the issue is there although the app saw an error."""
    fake.fail("POST", "/repos/*/issues", status=504, after=True)

    assert (await client.ask("POST", ISSUES, {"title": "x"})).status == 504
    assert list(fake.repo(NAME).issues) == [1]


@pytest.mark.parametrize("after", [False, True])
async def test_a_connection_can_be_dropped(client: Client, fake: FakeGitHub, after: bool) -> None:
    """The client sees a broken connection, before or after the effect."""
    fake.fail("POST", ISSUES, drop=True, after=after)

    with pytest.raises(aiohttp.ClientError):
        await client.ask("POST", ISSUES, {"title": "x"})

    assert len(fake.repo(NAME).issues) == int(after)


async def test_a_request_can_be_held(client: Client, fake: FakeGitHub) -> None:
    """A slow answer waits for the test's event."""
    gate = asyncio.Event()
    fault = fake.fail("GET", f"/repos/{NAME}", hold=gate)
    asked = asyncio.create_task(client.ask("GET", f"/repos/{NAME}"))
    await fault.reached.wait()
    assert not asked.done()

    gate.set()

    assert (await asked).status == 200
