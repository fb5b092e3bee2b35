"""Of ten thousand deliveries that GitHub would never send none is answered with a fault of ours."""

from __future__ import annotations

import copy
import json
import logging
import random
import uuid
from typing import Any

import aiohttp
import pytest

from tests.fake_github.courier import sign
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import NOTES, note, on

_PARTS, _EACH = 10, 1_000
_ODD: tuple[Any, ...] = (
    *(None, True, 0, -1, 1 << 70, 1.5, "", "x" * 70_000, "\ud800", "\0", "../..", [], {}),
    *([None], {"id": None}, {"login": 5}, [[]] * 50, "/execute", "2026-13-45", "\u202e"),
)


@pytest.mark.nightly("ten thousand odd deliveries")
@pytest.mark.parametrize("seed", range(_PARTS))
@on(NOTES)
async def test_an_odd_delivery_is_no_fault_of_ours(
    bot: Bot, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Parts of real ones are missing, of another type, too large or someone else's."""
    bot.model.otherwise = lambda _: note("one.md")  # one that is odd elsewhere still asks for a run
    await bot.comment("/execute --max-tasks 1")
    await bot.reply(bot.pulls[0], "/execute status")
    drawn = random.Random(seed)  # noqa: S311 - no secret
    real = [(each.event, each.payload) for each in bot.github.world.deliveries]
    url = bot.github.webhook_url
    assert url is not None

    async with aiohttp.ClientSession() as client:
        for _ in range(_EACH):
            event, payload = drawn.choice(real)
            body = json.dumps(_odd(payload, drawn)).encode()
            headers = {
                "X-Hub-Signature-256": sign(bot.github.app.webhook_secret, body),
                "X-GitHub-Delivery": str(uuid.UUID(int=drawn.getrandbits(128))),
                "X-GitHub-Event": event if drawn.random() < 0.9 else drawn.choice(real)[0],
                "Content-Type": "application/json",
            }
            async with client.post(url, data=body, headers=headers) as answer:
                said = await answer.text()
            assert answer.status < 500, (body[:2_000], said)
            assert "Traceback" not in said
    await bot.idle()

    for each in (bot.issue, *bot.pulls):
        bot.github.says(REPOSITORY, each.number)
    assert bot.bugs == []
    assert [r for r in caplog.records if r.levelno >= logging.ERROR] == []


def _odd(payload: Any, drawn: random.Random) -> Any:
    """A copy with one to three places changed."""
    made = copy.deepcopy(payload)
    for _ in range(drawn.randint(1, 3)):
        at, key = made, drawn.choice(sorted(made))
        while isinstance(at[key], dict) and at[key] and drawn.random() < 0.7:
            at = at[key]
            key = drawn.choice(sorted(at))
        if drawn.random() < 0.3:
            del at[key]
        else:
            at[key] = copy.deepcopy(drawn.choice(_ODD))
        if not made:
            break
    return made
