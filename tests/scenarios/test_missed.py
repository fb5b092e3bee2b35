"""Webhooks that never arrived, or were refused, are fetched from GitHub and worked once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.endings import ANSWER, ONE_NOTE, check_finished
from tests.scenarios.projects import NOTES, note, on
from tests.scenarios.pushing import triggered

HOOKS = "*/app/hook/deliveries*"


@pytest.fixture
async def talk(tmp_path: Path, files: Mapping[str, object]) -> AsyncIterator[Bot]:
    """A conversation whose server the test starts and ends."""
    async with conversation(tmp_path, files) as bot:
        yield bot
        bot.check()


async def comment(bot: Bot, body: str) -> int:
    """Comment without waiting for the bot; the webhook's status (0: nobody answered)."""
    return await bot.github.comment(REPOSITORY, bot.issue.number, body, by="writer")


def fetched(bot: Bot) -> int:
    """How many deliveries were fetched with their payload."""
    asked = [r.path for r in bot.github.requests if "/app/hook/deliveries/" in r.path]
    return len(asked)


@ONE_NOTE
async def test_a_command_while_the_server_is_down(talk: Bot) -> None:
    """It is worked after the start, and never again."""
    talk.model.says(ANSWER)
    assert await comment(talk, "/execute") == 0

    for _ in range(2):
        async with talk.started():
            await talk.idle()

    check_finished(talk)
    assert fetched(talk) == 1


@ONE_NOTE
async def test_a_dropped_delivery_is_worked_within_minutes(bot: Bot) -> None:
    """The server was up, but the delivery got lost on the way."""
    bot.model.says(ANSWER)
    url, bot.github.webhook_url = bot.github.webhook_url, None
    await comment(bot, "/execute")
    bot.github.webhook_url = url

    await bot.later(minutes=5)

    check_finished(bot)


@ONE_NOTE
async def test_a_delivery_that_was_refused_for_its_signature(bot: Bot) -> None:
    """The secrets differed for a while; what GitHub itself shows the App is trusted."""
    bot.model.says(ANSWER)
    secret, bot.github.app.webhook_secret = bot.github.app.webhook_secret, "another one"
    assert await comment(bot, "/execute") == 403
    bot.github.app.webhook_secret = secret

    await bot.later(minutes=5)

    check_finished(bot)


@ONE_NOTE
async def test_a_replay_under_a_fresh_id_does_nothing(bot: Bot) -> None:
    """Whoever holds a signed body cannot start anything with it."""
    bot.model.says(ANSWER)
    await bot.comment("/execute")
    replayed = replace(bot.github.deliveries[0], guid="11111111-2222-3333-4444-555555555555")

    assert await bot.github.send(*bot.github.signed(replayed)) == 202
    await bot.idle()

    check_finished(bot)


@on(NOTES)
async def test_the_same_words_again_are_a_command_of_their_own(bot: Bot) -> None:
    """A second comment means something new, also with the text of the first."""
    bot.model.says(note("one.md"), note("two.md"))

    for _ in range(2):
        await bot.comment("/execute --max-tasks 1")

    assert len(bot.pulls) == 2
    bot.says()


@on(NOTES)
async def test_missed_commands_are_worked_in_their_order(talk: Bot) -> None:
    """The oldest first, across the pages of GitHub's list."""
    for n in range(120):
        await comment(talk, f"Just talk {n}.")
    await comment(talk, "/execute skip 1.1")
    await comment(talk, "/execute --max-tasks 1")
    talk.model.says(note("two.md"))

    async with talk.started():
        await talk.idle()

    assert talk.checkpoints() == ["1.2 Write two.md"]
    talk.says()


@ONE_NOTE
async def test_a_stop_between_loses_and_doubles_nothing(talk: Bot) -> None:
    """The server ends while it works what it fetched; the next one goes on."""
    talk.model.says(ANSWER)
    await comment(talk, "/execute")
    held = talk.holds("GET", "*/permission")
    async with talk.started():
        await held.reached.wait()
    held.release()

    async with talk.started():
        await talk.idle()

    check_finished(talk)


@ONE_NOTE
async def test_github_does_not_list_them_at_first(talk: Bot) -> None:
    """The server starts all the same and asks again soon."""
    talk.model.says(ANSWER)
    await comment(talk, "/execute")
    talk.github.fail("GET", HOOKS, status=502, times=4)

    async with talk.started():
        await talk.idle()
        assert talk.pulls == []
        await talk.later(minutes=6)

    check_finished(talk)


@ONE_NOTE
async def test_what_was_answered_is_not_fetched(talk: Bot) -> None:
    """A server with a new database does not work what another one has worked."""
    talk.model.says(ANSWER)
    async with talk.started():
        await comment(talk, "/execute")
        await talk.idle()
    for file in talk.settings.cairn_data_dir.glob("cairn.db*"):
        file.unlink()

    async with talk.started():
        await talk.idle()

    check_finished(talk)


@ONE_NOTE
async def test_what_is_older_than_three_days_is_gone(talk: Bot) -> None:
    """GitHub keeps deliveries for three days, and nobody waits for them longer."""
    await comment(talk, "/execute")
    talk.github.clock.advance(3 * 24 * 3600 + 60)

    async with talk.started():
        await talk.idle()

    assert talk.says() == []
    assert talk.pulls == []


@on(triggered("plan", ""))
async def test_a_push_that_was_missed_brings_its_plan(talk: Bot) -> None:
    """Events of other kinds are taken up alike."""
    async with talk.started():
        await talk.idle()
    await talk.github.push(REPOSITORY, {"ROADMAP.md": b"- [ ] 1.1 Write `new.md`\n"})

    async with talk.started():
        await talk.idle()

    assert fetched(talk) == 1
    assert len(talk.view.state.issues) == 2
    talk.github.says(REPOSITORY, 2)
