"""A merge queue waits for required checks on commits of its own; Cairn gives its checks."""

from __future__ import annotations

from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import NOTES, on


@on(NOTES)
async def test_a_merge_queue_gets_its_checks(bot: Bot) -> None:
    """Once, and so that it holds nothing up; also for pull requests of people."""
    await bot.github.push(REPOSITORY, {"mine.md": b"Mine.\n"}, branch="mine")
    pull = await bot.github.open_pull(REPOSITORY, "Mine", head="mine")

    for _ in range(2):
        head = await bot.github.queue(REPOSITORY, pull.number)
        await bot.idle()

    checks = bot.view.checks
    assert [each["name"] for each in checks] == ["cairn/trust", "cairn/stack"]
    for check in checks:
        assert check["head_sha"] == head
        assert (check["status"], check["conclusion"]) == ("completed", "neutral")
        assert "your CI shows whether" in check["output"]["summary"]
