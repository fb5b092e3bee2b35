"""Events are sent until they are taken, and one receiver's trouble is nobody else's."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from base64 import b64encode

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from app.jobs.event_sender import LONGEST_WAIT, EventWebhook, standard_signature, wait_after
from app.store.outbox import WaitingEvent
from runner.ports import SystemClock

EVENT = WaitingEvent(1, "id", "run_changed", "{}", 0)


@pytest.mark.parametrize(
    ("tries", "asked", "least", "most"),
    [(0, None, 0.75, 1), (3, None, 6, 8), (99, None, 2700, LONGEST_WAIT), (0, 60.0, 60, 60)],
)
def test_it_waits_about_twice_as_long_each_time(tries, asked, least, most):
    assert least <= wait_after(tries, asked) <= most


async def tried(handler, timeout=10.0, path="/events"):
    """What becomes of one try; ``handler`` answers."""
    app = web.Application()
    app.router.add_post("/events", handler)
    async with TestServer(app) as front, aiohttp.ClientSession() as session:
        url = str(front.make_url(path))
        webhook = EventWebhook(session, url, "secret", SystemClock(), timeout=timeout)
        return await webhook.send(EVENT)


async def test_a_redirect_is_not_followed():
    async def elsewhere(request):
        raise web.HTTPTemporaryRedirect("/events")

    assert (await tried(elsewhere)).problem == "it answered with 307"


async def test_a_receiver_may_say_when():
    async def busy(request):
        return web.Response(status=503, headers={"Retry-After": "90"})

    assert (await tried(busy)).wait == 90


async def test_a_receiver_that_never_answers_is_left():
    async def never(request):
        await asyncio.Event().wait()

    assert (await tried(never, timeout=0.2)).problem == "it did not answer in 0.2 seconds"


def test_the_example_of_the_standard():
    """Secret, message and signature of the libraries' own tests."""
    secret = b"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    found = standard_signature(
        secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", b'{"test": 2432232314}'
    )

    assert found == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize("secret", [b"a long random text", b"whsec_not base64"])
def test_any_other_secret_is_the_key_itself(secret):
    made = hmac.new(secret, b"id.1.{}", hashlib.sha256).digest()

    assert standard_signature(secret, "id", "1", b"{}") == f"v1,{b64encode(made).decode()}"


async def test_nobody_listens():
    async with aiohttp.ClientSession() as session:
        webhook = EventWebhook(session, "http://127.0.0.1:1/events", "secret", SystemClock())
        found = await webhook.send(EVENT)
    assert found.problem.startswith("it cannot be reached (no connection to 127.0.0.1:")
