"""How long a run may wait for its first turn, and what is said of one that waited too long."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from tests.fake_github.faults import Fault as GitHubFault
from tests.model_server import Held
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.endings import ANSWER, NOTE, check_finished, progress

TOKEN = "an admin token of the tests"
LIMITED = {**NOTE, ".github/cairn.yml": "limits: {queue_minutes: 30}\n"}


@asynccontextmanager
async def one_waits(bot: Bot) -> AsyncIterator[int]:
    """A run works while another one waits behind it, of this issue; leaving lets the first go."""
    assert bot.running is not None
    other = bot.github.open_issue(REPOSITORY, "Me too", by="writer").number
    kept = Held(ANSWER)
    bot.model.says(kept)
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="writer")
    await kept.asked.wait()
    await bot.github.comment(REPOSITORY, other, "/execute", by="writer")
    await bot.running.inbox.idle()
    yield other
    kept.go.set()
    await bot.idle()


async def minutes_later(bot: Bot, minutes: int) -> None:
    """Let time pass while a run works."""
    assert bot.running is not None
    bot.github.clock.advance(60 * minutes)
    await bot.running.worker.look()


@pytest.mark.sample(2, "a conversation for each limit")
@pytest.mark.parametrize(
    ("files", "settings", "whose"),
    [
        (LIMITED, {}, "`limits.queue_minutes` in `.github/cairn.yml` lets"),
        (LIMITED, {"CAIRN_MAX_QUEUE_MINUTES": "20"}, "the operator of this server lets"),
        (NOTE, {"CAIRN_MAX_QUEUE_MINUTES": "20"}, "the operator of this server lets"),
    ],
)
async def test_a_run_that_waits_too_long_times_out(
    tmp_path: Path, files: dict[str, object], settings: dict[str, str], whose: str
) -> None:
    """Everybody says the same; it asks no model, loses nothing, and can be asked for again."""
    told, with_token = tmp_path / "events", {"CAIRN_ADMIN_TOKEN": TOKEN}
    more = {**settings, **with_token, "CAIRN_EVENTS_FILE": told}
    async with conversation(tmp_path, files, **more) as bot, bot.started():
        async with one_waits(bot) as other:
            await minutes_later(bot, 19)
            assert "position 1 in the queue" in progress(bot.github.says(REPOSITORY, other))
            await minutes_later(bot, 12)
        first = check_finished(bot)
        last = bot.view.comments(other)[-1].body
        assert "has timed out" in last.split("\n")[0]
        assert f"It waited 31 min for its first turn, and {whose} a run wait" in last
        assert f"At work in this repository: `{_run(first)}`. Nothing is lost" in last
        assert len(bot.model.requests) == 1

        bot.github.says(REPOSITORY, other)
        await bot.github.comment(REPOSITORY, other, "/execute status", by="writer")
        await bot.idle()
        (status,) = bot.github.says(REPOSITORY, other)
        assert "**timed out** (It waited 31 min" in status
        front = str(bot.github.webhook_url).removesuffix("/webhook")
        headers = {"Authorization": f"Bearer {TOKEN}", "Accept": "application/json"}
        async with (
            aiohttp.ClientSession(front, headers=headers) as browser,
            browser.get(f"/runs/{_run(last)}") as answer,
        ):
            page = await answer.json()
        assert (page["status"], page["queue"]) == ("timed_out", None)
        assert page["reason"].startswith("It waited 31 min")

        await bot.github.comment(REPOSITORY, other, "/execute", by="writer")
        await bot.idle()
        assert "has ended" in progress(bot.github.says(REPOSITORY, other))
        bot.check()
    events = [json.loads(line) for line in told.read_text().splitlines()]
    changes = [
        e["status"] for e in events if e["event"] == "run_changed" and e["run"] == _run(last)
    ]
    assert changes == ["timed_out"]


async def test_a_run_that_a_push_started_says_how_to_ask_for_it(tmp_path: Path) -> None:
    """There is no comment that could be written once more."""
    config = "limits: {queue_minutes: 30}\ntriggers: {push: execute}\n"
    async with (
        conversation(tmp_path, {**NOTE, ".github/cairn.yml": config}) as bot,
        bot.started() as running,
    ):
        kept = Held(ANSWER)
        bot.model.says(kept)
        await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="writer")
        await kept.asked.wait()
        more = b"# Roadmap\n\n- [ ] 1.1 Write `one.md`\n- [ ] 1.2 Write `two.md`\n"
        await bot.github.push(REPOSITORY, {"ROADMAP.md": more}, by="writer")
        await running.inbox.idle()
        await minutes_later(bot, 31)
        kept.go.set()
        await bot.idle()
        told = [each.body for n in bot.view.issues for each in bot.view.comments(n)]
        (last,) = [body for body in told if "has timed out" in body]
        assert "To ask again, comment `/execute`." in last


async def test_a_turn_that_comes_in_time_is_not_limited(tmp_path: Path) -> None:
    """What a run does after its first turn takes as long as it takes."""
    async with conversation(tmp_path, LIMITED) as bot, bot.started():
        async with one_waits(bot) as other:
            await minutes_later(bot, 29)
        check_finished(bot)
        await bot.later(hours=3)
        assert "has ended" in progress(bot.github.says(REPOSITORY, other))
        bot.check()


async def test_a_run_that_timed_out_says_so_when_github_is_back(tmp_path: Path) -> None:
    """GitHub takes no edit meanwhile, and the server is started again: people are told once."""
    async with conversation(tmp_path, LIMITED) as bot:
        away: list[GitHubFault] = []
        async with bot.started(), one_waits(bot) as other:
            away.append(bot.github.fail("PATCH", "*/issues/comments/*", times=1000))
            await minutes_later(bot, 31)
        away[0].times = 0
        async with bot.started():
            await bot.later(minutes=10)
        assert "has timed out" in progress(bot.github.says(REPOSITORY, other))
        check_finished(bot)
        assert len(bot.model.requests) == 1
        bot.check()


def _run(said: str) -> str:
    found = re.search(r"### Cairn run `(\w+)`", said)
    assert found
    return found[1]
