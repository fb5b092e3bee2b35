"""A person unticks the box of a task whose pull request is merged or open: that stands."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.marks import MORE
from tests.scenarios.bot import Bot
from tests.scenarios.projects import note, notes
from tests.scenarios.pushing import push
from tests.scenarios.stacks import LINES, merge, stacked, ticks, unread_comments


@pytest.fixture
def files() -> Mapping[str, object]:
    """Three notes to write."""
    return notes(LINES)


@pytest.mark.parametrize("method", ["merge", pytest.param("squash", marks=MORE)])
async def test_on_the_default_branch(bot: Bot, method: str) -> None:
    """What is merged later brings no tick back, and the task is done again."""
    one, two, six = await stacked(bot)
    await merge(bot, one, method)
    assert ticks(bot) == "x  "

    await push(bot, LINES)

    for pull in (two, six):
        await merge(bot, pull, method)
        unread_comments(bot, pull)
    assert ticks(bot) == " xx"
    bot.model.says(note("one.md", "A better note."))
    await bot.comment("/execute")
    bot.says()
    again = bot.pulls[-1]
    assert again.title == one.title
    assert again.number > six.number
    await merge(bot, again, method)
    assert ticks(bot) == "xxx"


async def test_in_a_pull_request(bot: Bot) -> None:
    """The push stays: no revision, no newer default branch and no merge ticks the box."""
    one, two, six = await stacked(bot)
    await push(bot, LINES, branch=one.pull.head)
    bot.model.says(note("one.md", "A better note."))

    await bot.reply(one, "/execute revise say more")

    assert f"Added {one.pull.sha}" in unread_comments(bot, one)
    assert ticks(bot, one.pull.head) == "   "
    await push(bot, LINES, files={"README.md": b"# More\n"})
    await merge(bot, one)
    assert ticks(bot) == "   "
    for pull in (two, six):
        await merge(bot, pull)
    assert ticks(bot) == " xx"
    for pull in (one, two, six):
        unread_comments(bot, pull)
