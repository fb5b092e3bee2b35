"""The client when GitHub limits, fails or is gone."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import aiohttp
import pytest
from aiohttp import web

from app.github.client import Connection, GitHubClient
from runner.errors import Outage
from runner.retries.policy import RetryPolicy
from tests.app.github.conftest import Serve
from tests.app.github.kit import START, Answer, CountingCredential, Script, StandingClock

OK = Answer(data={"ok": True})
SECONDARY = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes."}


def spent(seconds: int, status: int = 403) -> Answer:
    """The primary limit is spent for so long."""
    reset = str(int((START + timedelta(seconds=seconds)).timestamp()))
    headers = {
        "x-ratelimit-limit": "5000",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": reset,
    }
    return Answer(status, {"message": "API rate limit exceeded"}, headers)


@pytest.mark.parametrize("status", [403, 429])
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_near_reset_is_waited_for(
    client: GitHubClient, script: Script, clock: StandingClock, status: int, method: str
) -> None:
    """A limit that ends within a minute costs a wait: GitHub did nothing, so a POST too."""
    script.says(spent(30, status), OK)

    await (client.getitem("/x") if method == "GET" else client.post("/x", data={}))

    assert clock.slept == [31]


async def test_a_far_reset_is_an_outage(
    client: GitHubClient, script: Script, clock: StandingClock
) -> None:
    """A longer limit is told with its end, at once."""
    script.says(spent(1800))

    with pytest.raises(Outage) as outage:
        await client.getitem("/x")
    assert outage.value.kind == "rate_limit"
    assert outage.value.until == START + timedelta(seconds=1801)
    assert (len(script.asked), clock.slept) == (1, [])


@pytest.mark.parametrize(("seconds", "kept_back"), [(30, False), (1800, True)])
async def test_a_known_limit_is_not_tried(
    client: GitHubClient, script: Script, clock: StandingClock, seconds: int, kept_back: bool
) -> None:
    """Once nothing remains no request is sent before the reset."""
    script.says(Answer(200, {}, spent(seconds).headers), OK)
    await client.getitem("/x")

    if kept_back:
        with pytest.raises(Outage, match="rate limit"):
            await client.getitem("/y")
    else:
        await client.getitem("/y")
    assert len(script.asked) == (1 if kept_back else 2)
    assert clock.slept == ([] if kept_back else [31])


@pytest.mark.parametrize("status", [403, 429])
async def test_retry_after_is_obeyed(
    client: GitHubClient, script: Script, clock: StandingClock, status: int
) -> None:
    """GitHub's own word on when to come back is used."""
    script.says(Answer(status, SECONDARY, {"retry-after": "20"}), OK)

    await client.post("/x", data={})

    assert clock.slept == [20]


async def test_a_long_retry_after_is_an_outage(client: GitHubClient, script: Script) -> None:
    """A longer wait pauses the run until then."""
    script.says(Answer(403, SECONDARY, {"retry-after": "600"}))

    with pytest.raises(Outage) as outage:
        await client.getitem("/x")
    assert outage.value.until == START + timedelta(seconds=600)


async def test_a_secondary_limit_is_a_minute_and_growing(
    client: GitHubClient, script: Script, clock: StandingClock
) -> None:
    """Without a word from GitHub the first wait is a minute, the second an outage of two."""
    script.says(Answer(403, SECONDARY))

    with pytest.raises(Outage) as outage:
        await client.getitem("/x")
    assert clock.slept == [60]
    assert outage.value.until == START + timedelta(seconds=180)


async def test_a_429_without_a_word_is_a_limit(
    client: GitHubClient, script: Script, clock: StandingClock
) -> None:
    """Any 429 is waited for."""
    script.says(Answer(429, {}), OK)

    await client.getitem("/x")

    assert clock.slept == [60]


@pytest.mark.parametrize("fault", [Answer(502), Answer(500, {}), Answer(drop=True)])
async def test_a_fault_is_retried_with_growing_waits(
    client: GitHubClient, script: Script, clock: StandingClock, fault: Answer
) -> None:
    """A PATCH is tried again after a 5xx or a lost answer, later each time."""
    script.says(fault, fault, OK)

    assert await client.patch("/x", data={}) == {"ok": True}
    assert 1 <= clock.slept[0] <= 2 <= clock.slept[1] <= 3


async def test_tries_are_few(client: GitHubClient, script: Script, clock: StandingClock) -> None:
    """After four tries it is an outage that says when it goes on."""
    script.says(Answer(503))

    with pytest.raises(Outage, match=r"GET /api/v3/x: 503") as outage:
        await client.getitem("/x", extra_headers={})
    assert len(script.asked) == RetryPolicy().attempts
    assert outage.value.kind == "github"
    assert outage.value.until == clock.time + timedelta(minutes=2)


@pytest.mark.parametrize("fault", [Answer(502), Answer(drop=True)])
async def test_a_post_with_unknown_effect_is_not_repeated(
    client: GitHubClient, script: Script, fault: Answer
) -> None:
    """A POST whose answer is lost may have worked: the caller has to look."""
    script.says(fault)

    with pytest.raises(Outage) as outage:
        await client.post("/repos/o/r/issues/1/comments", data={})
    assert (len(script.asked), outage.value.kind) == (1, "github")


@pytest.mark.parametrize("path", ["git/blobs", "git/trees", "issues/comments/1/reactions"])
async def test_a_post_that_leaves_one_is_repeated(
    client: GitHubClient, script: Script, path: str
) -> None:
    """Where doing it twice leaves one, a POST is tried again."""
    script.says(Answer(502), OK)

    assert await client.post(f"/repos/o/r/{path}", data={}) == {"ok": True}


async def test_an_unreachable_github_is_tried_again(
    session: aiohttp.ClientSession, clock: StandingClock, unused_tcp_port: int
) -> None:
    """A POST that never left is repeated, and given up with the reason."""
    url = f"http://127.0.0.1:{unused_tcp_port}"
    client = GitHubClient(Connection(session, url, clock, clock.sleep), CountingCredential())

    with pytest.raises(Outage, match=r"POST /x: no connection to 127\.0\.0\.1:"):
        await client.post("/x", data={})
    assert len(clock.slept) == RetryPolicy().attempts - 1


async def test_silence_is_a_time_out(
    session: aiohttp.ClientSession, clock: StandingClock, aiohttp_server: Serve
) -> None:
    """A server that says nothing is given up."""
    silent = asyncio.Event()

    async def wait(request: web.Request) -> web.Response:
        await silent.wait()
        return web.Response()

    app = web.Application()
    app.router.add_get("/x", wait)
    server = await aiohttp_server(app)
    url = str(server.make_url("/"))
    over = Connection(session, url, clock, clock.sleep, timeout=0.05)
    client = GitHubClient(over, CountingCredential())

    with pytest.raises(Outage, match="GET /x: "):
        await client.getitem("/x")
    silent.set()


async def test_graphql_is_retried_alike(client: GitHubClient, script: Script) -> None:
    """Limits are waited for below GraphQL calls too."""
    script.says(Answer(403, SECONDARY, {"retry-after": "1"}), Answer(200, {"data": {"a": 1}}))

    answer = await client.graphql("{a}")

    assert answer == {"a": 1}
    assert script.calls == ["POST /api/graphql"] * 2
