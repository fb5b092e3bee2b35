"""A scripted GitHub over real HTTP and a client for it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiohttp
import pytest

from app.github.client import Connection, GitHubClient
from tests.app.github.kit import CountingCredential, Script, StandingClock

Serve = Callable[[Any], Awaitable[Any]]


@pytest.fixture
def clock() -> StandingClock:
    return StandingClock()


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as opened:
        yield opened


@pytest.fixture
async def api_url(script: Script, aiohttp_server: Serve) -> str:
    server = await aiohttp_server(script.application())
    return str(server.make_url("/api/v3"))


@pytest.fixture
def written() -> list[tuple[str, int]]:
    """What the client has told of requests that may have changed something."""
    return []


@pytest.fixture
def client(
    session: aiohttp.ClientSession,
    api_url: str,
    clock: StandingClock,
    written: list[tuple[str, int]],
) -> GitHubClient:
    async def wrote(what: str, status: int) -> None:
        written.append((what, status))

    over = Connection(session, api_url, clock, clock.sleep)
    return GitHubClient(over, CountingCredential(), cache={}, wrote=wrote)
