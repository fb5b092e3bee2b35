"""A merge queue waits for required checks on commits of its own; Cairn gives its check."""

from __future__ import annotations

from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import NOTES, on


@on(NOTES)
async def test_a_merge_queue_gets_its_check(bot: Bot) -> None:
    """Once, and so that it holds nothing up; also for pull requests of people."""
    await bot.github.push(REPOSITORY, {"mine.md": b"Mine.\n"}, branch="mine")
    pull = await bot.github.open_pull(REPOSITORY, "Mine", head="mine")

    for _ in range(2):
        head = await bot.github.queue(REPOSITORY, pull.number)
        await bot.idle()

    (check,) = bot.view.checks
    assert (check["name"], check["head_sha"]) == ("cairn/trust", head)
    assert (check["status"], check["conclusion"]) == ("completed", "neutral")
    assert "for your CI to say" in check["output"]["summary"]
