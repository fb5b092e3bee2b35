"""A restack is work of its own: however long it takes, it holds up no command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fake_github.state import Issue
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.projects import notes, on
from tests.scenarios.stacks import LINES, merge, stacked

STACK = notes(LINES)
MOMENT = ("POST", "*/git/commits")
"""The first change that a squashed pull request makes on those above it."""


def read(bot: Bot, *pulls: Issue) -> list[str]:
    """What was said on these pull requests and was not read."""
    return [said for pull in pulls for said in bot.github.says(REPOSITORY, pull.number)]


def follows(bot: Bot, pulls: list[Issue]) -> None:
    """The rest of the stack stands on the default branch, in order."""
    assert [pull.pull.base for pull in pulls[1:]] == ["main", pulls[1].pull.head]


@on(STACK)
async def test_commands_are_answered_while_a_restack_hangs(bot: Bot) -> None:
    """On the issue, on the pull request that was merged, and on those that are moved."""
    pulls = await stacked(bot)
    held = bot.holds(*MOMENT)
    await bot.github.merge_pull(REPOSITORY, pulls[0].number, method="squash")
    await held.reached.wait()

    for number in (bot.issue.number, *(pull.number for pull in pulls)):
        answered = bot.holds("POST", f"*/issues/{number}/comments")
        await bot.github.comment(REPOSITORY, number, "/execute status", by="writer")
        await answered.reached.wait()
        answered.release()
    held.release()
    await bot.idle()

    follows(bot, pulls)
    assert "Run `" in "".join(bot.says())
    assert read(bot, *pulls)


@on(STACK)
async def test_restacks_of_a_repository_follow_one_another(bot: Bot) -> None:
    """The second merge waits for the first one's restack, and nothing is done twice."""
    pulls = await stacked(bot)
    held = bot.holds(*MOMENT)
    await bot.github.merge_pull(REPOSITORY, pulls[0].number, method="squash")
    await held.reached.wait()
    await bot.github.close(REPOSITORY, pulls[2].number)
    held.release()
    await bot.idle()

    assert (pulls[1].pull.base, pulls[2].state) == ("main", "closed")
    told = "".join(read(bot, *pulls))
    assert told.count("was merged by squash") == 1


async def test_a_restack_that_was_interrupted_goes_on_at_the_next_start(tmp_path: Path) -> None:
    """What was stored is worked, though the webhook itself is done."""
    async with conversation(tmp_path, STACK) as bot:
        async with bot.started():
            pulls = await stacked(bot)
            held = bot.holds(*MOMENT)
            await bot.github.merge_pull(REPOSITORY, pulls[0].number, method="squash")
            await held.reached.wait()
        held.release()
        async with bot.started():
            await bot.idle()
        follows(bot, pulls)
        read(bot, *pulls)
        bot.check()


@pytest.mark.parametrize("first", [True, False])
async def test_an_outage_delays_a_restack_and_loses_none(tmp_path: Path, first: bool) -> None:
    """Before it begins and in its middle."""
    async with conversation(tmp_path, STACK) as bot, bot.started():
        pulls = await stacked(bot)
        bot.github.fail("GET", "/repos/*/pulls*", times=9) if first else bot.github.fail(*MOMENT)
        await merge(bot, pulls[0], "squash")
        follows(bot, pulls)
        read(bot, *pulls)
        bot.check()
