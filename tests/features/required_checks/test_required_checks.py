"""Merge rules require a check of ours, and people open pull requests of their own."""

from __future__ import annotations

import pytest

from tests.fake_github.state import Issue
from tests.fake_github.world import PERMISSIONS
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import NOTES, on

pytestmark = on(NOTES)


async def opened(bot: Bot, *, by: str = "writer") -> Issue:
    """A person's pull request; the server has done all it does then."""
    await bot.github.push(REPOSITORY, {"mine.md": b"Mine.\n"}, branch="mine")
    pull = await bot.github.open_pull(REPOSITORY, "Mine", head="mine", by=by)
    await bot.idle()
    return pull


def names(bot: Bot, commit: str) -> list[str]:
    """Our checks on a commit; each of them is neutral."""
    found = [each for each in bot.view.checks if each["head_sha"] == commit]
    assert all(each["conclusion"] == "neutral" for each in found)
    return sorted(each["name"] for each in found)


@pytest.mark.parametrize("rules", ["required", "ruled"])
async def test_the_required_ones_are_made(bot: Bot, rules: str) -> None:
    """On the head, and again after a push; those that nobody requires are not made."""
    getattr(bot.view.state, rules)["main"] = ("build", "cairn/trust")

    pull = await opened(bot)

    assert names(bot, pull.pull.sha) == ["cairn/trust"]
    await bot.github.push(REPOSITORY, {"mine.md": b"More.\n"}, branch="mine")
    await bot.idle()
    assert names(bot, pull.pull.sha) == ["cairn/trust"]
    assert len(bot.view.checks) == 2


async def test_otherwise_nothing_is_made(bot: Bot) -> None:
    """No rule, no check; a rule for another branch is none for this one."""
    bot.view.state.required["release"] = ("cairn/trust",)

    await opened(bot)

    assert bot.view.checks == []


async def test_without_the_permission_nothing_else_suffers(bot: Bot) -> None:
    """An installation that has not accepted check runs gets none, and everything else works."""
    held = {name: level for name, level in PERMISSIONS.items() if name != "checks"}
    bot.github.create_app(permissions=held)
    bot.view.state.required["main"] = ("cairn/trust",)

    pull = await opened(bot)
    await bot.reply(pull, "/execute status")

    assert len(bot.github.says(REPOSITORY, pull.number)) == 1
    assert bot.view.checks == []
