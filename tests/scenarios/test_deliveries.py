"""Deliveries come twice, late and in disorder; in the end nothing is different."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import replace

import pytest

from app.store.database import open_current
from app.store.deliveries import Deliveries
from tests.model_server import Held
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.endings import ANSWER, ONE_NOTE, check_finished
from tests.scenarios.process import environment
from tests.scenarios.projects import on
from tests.scenarios.proposing import STUCK, decomposed


@ONE_NOTE
async def test_a_redelivery_at_the_end_changes_nothing(bot: Bot) -> None:
    """The same GUID again starts nothing and says nothing."""
    bot.model.says(ANSWER)
    await bot.comment("/execute")

    assert await bot.github.redeliver(bot.github.deliveries[0]) == 202
    await bot.idle()

    check_finished(bot)


@ONE_NOTE
async def test_a_redelivery_meanwhile_changes_nothing(bot: Bot) -> None:
    """The same GUID again, while its run works, starts no second one."""
    answer = Held(ANSWER)
    bot.model.says(answer)
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="writer")
    await answer.asked.wait()

    await bot.github.redeliver(bot.github.deliveries[0])
    answer.go.set()
    await bot.idle()

    check_finished(bot)


@ONE_NOTE
async def test_a_delivery_that_only_arrives_again_is_worked(bot: Bot) -> None:
    """Nobody listened the first time; the redelivery is worked as the first would have been."""
    url, bot.github.webhook_url = bot.github.webhook_url, None
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="writer")
    bot.github.webhook_url = url
    bot.model.says(ANSWER)

    await bot.github.redeliver(bot.github.deliveries[0])
    await bot.idle()

    check_finished(bot)


@ONE_NOTE
async def test_deliveries_in_disorder_end_the_same(bot: Bot) -> None:
    """Two commands delivered the wrong way round leave the one pull request there is to make."""
    url, bot.github.webhook_url = bot.github.webhook_url, None
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="writer")
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute --task 1.1", by="writer")
    bot.github.webhook_url = url
    bot.model.says(ANSWER)

    for delivery in reversed(bot.github.deliveries[:2]):
        await bot.github.redeliver(delivery)
    await bot.idle()

    assert [pull.title for pull in bot.pulls] == ["1.1 Write one.md"]
    told = [said.split("\n")[0].rpartition("` ")[2] for said in bot.says() if "### Cairn" in said]
    assert told == ["is done", "has ended"]  # nothing was left for the second


async def test_a_slow_push_holds_up_no_command(bot: Bot) -> None:
    """GitHub does not answer what a push has to ask; whoever comments is answered all the same."""
    slow = bot.holds("GET", "/repos/*/pulls*")
    await bot.github.push(REPOSITORY, {"README.md": "New\n"})
    await slow.reached.wait()
    answered = bot.holds("POST", "*/comments")
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute help", by="writer")

    await answered.reached.wait()

    answered.release()
    slow.release()
    await bot.idle()
    (reply,) = bot.says()
    assert "/execute status" in reply


async def test_a_delivery_of_an_installation_that_is_gone_blocks_nobody(bot: Bot) -> None:
    """It is worked for the installation there is now, and those behind it are worked too."""
    await bot.comment("just talk")
    delivery = bot.github.deliveries[-1]
    said = {**delivery.payload["comment"], "body": "/execute help"}
    payload = {**delivery.payload, "comment": said, "installation": {"id": 987, "node_id": "x"}}
    stale = replace(delivery, guid="11111111-2222-3333-4444-555555555555", payload=payload)

    assert await bot.github.send(*bot.github.signed(stale)) == 202
    await bot.comment("/execute help")

    assert ["/execute status" in reply for reply in bot.says()] == [True, True]


@ONE_NOTE
async def test_what_is_old_goes_at_night(bot: Bot) -> None:
    """Webhooks after a month, what a run left behind after a year; what it did stays."""
    bot.model.says(ANSWER)
    await bot.comment("/execute")
    check_finished(bot)
    (folder,) = bot.settings.cairn_data_dir.glob("executor/*/runs/*")
    os.utime(folder, (0, bot.github.clock.now().timestamp()))

    async def purged() -> dict[str, int]:
        command = (sys.executable, "-m", "app", "purge")
        env, pipe = environment(bot.settings), asyncio.subprocess.PIPE
        work = await asyncio.create_subprocess_exec(*command, env=env, stdout=pipe)
        out, _ = await work.communicate()
        head, *lines = out.decode().splitlines()
        assert head == "Removed:"
        rows = (line.rsplit(maxsplit=1) for line in lines)
        return {what: int(number) for what, number in rows}

    await bot.later(days=31)
    assert folder.is_dir()
    await bot.later(days=340)
    assert not folder.exists()
    assert not any((await purged()).values())
    assert await bot.comment("/execute status") == 202
    assert "**ended**" in bot.says()[-1]


@pytest.mark.parametrize(
    ("words", "asks"),
    [
        ("Thank you! What about `/execute`?", False),
        ("> /execute status", False),
        ("Thank you!\n/execute status", True),
        ("\u200b/execute status", True),
    ],
)
async def test_only_what_may_ask_for_something_is_stored(bot: Bot, words: str, asks: bool) -> None:
    """People talk on issues all day: what can hold no command is not even stored."""
    await bot.comment(words)
    store = await open_current(bot.settings.database_url.get_secret_value())
    guid = bot.github.deliveries[0].guid

    try:
        known = await Deliveries(store, bot.github.clock).known({guid})
    finally:
        await store.close()

    assert known == ({guid} if asks else set())
    assert len(bot.says()) == asks


@on(STUCK)
async def test_comments_beside_a_proposal_are_worked(bot: Bot) -> None:
    """Somebody may have reacted to it, which GitHub tells nobody of; later it is just talk."""
    proposed, guids = await decomposed(bot), []
    for words in ("Nice.", "/reject", "A pity."):
        await bot.reply(proposed, words)
        guids.append(
            next(
                each.guid
                for each in reversed(bot.github.deliveries)
                if each.event == "issue_comment" and each.payload["comment"]["body"] == words
            )
        )
    store = await open_current(bot.settings.database_url.get_secret_value())

    try:
        assert await Deliveries(store, bot.github.clock).known({*guids}) == {*guids[:2]}
    finally:
        await store.close()
    bot.proposes()
    bot.says()
