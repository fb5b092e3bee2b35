"""Commit statuses that are red, and what is made of them on request."""

from __future__ import annotations

from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import note
from tests.scenarios.test_failing_statuses import WHY, files, status, theirs

__all__ = ["files"]


async def test_fix_sees_red_statuses(bot: Bot) -> None:
    """It says what is pending or red below; a pending approval does not hold up who asks."""
    pull = await theirs(bot)
    head = pull.pull.sha
    await status(bot, head, "pending", context="approval", description="waits for a review")
    await bot.reply(pull, "/execute fix")
    await status(bot, bot.view.branches["main"])
    await status(bot, head)
    await bot.reply(pull, "/execute fix")
    await status(bot, head, context="ci/two", description="one.md: no verb")
    bot.model.says(note("one.md", "This is good."))
    await bot.reply(pull, "/execute fix")

    running, below, started = bot.github.says(REPOSITORY, pull.number)
    assert "still running (`approval`)" in running
    assert "(`ci/jenkins`) also fail on the base branch" in below
    assert "proposes a repair" in started
    (prompt,) = bot.prompts
    assert "> one.md: no verb" in prompt
    assert WHY not in prompt


async def test_a_status_that_says_nothing_asks_no_model(bot: Bot) -> None:
    """A red light without a word is nothing to work from."""
    pull = await theirs(bot)
    await status(bot, pull.pull.sha, description="")

    await bot.reply(pull, "/execute fix")

    (said,) = bot.github.says(REPOSITORY, pull.number)
    assert "Cairn cannot see why" in said
    assert bot.prompts == []
