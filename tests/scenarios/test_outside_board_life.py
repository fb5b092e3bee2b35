"""The dashboard's issue itself: renamed, closed and opened again, deleted, turned off."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.marks import OUTSIDE
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import note
from tests.scenarios.pushing import CONFIG, plan, plan_comments, plans, push, triggered
from tests.scenarios.test_dashboard import LINES, shown, tick
from tests.scenarios.test_outside_ticks import NEW_TASK, NEWER, edit

pytestmark = OUTSIDE


@pytest.fixture
def files() -> Mapping[str, object]:
    """Three notes to write, in two phases."""
    return triggered("plan", LINES)


async def test_its_title_is_changed(bot: Bot) -> None:
    """People call it what they like."""
    await push(bot, NEWER)
    (issue,) = plans(bot)
    issue.title = "Our plan"

    await push(bot, NEWER + NEW_TASK)

    assert plans(bot) == [issue]
    assert issue.title == "Our plan"
    assert "**2.2**" in plan(bot)


async def test_its_hidden_lines_are_deleted(bot: Bot) -> None:
    """It is still the one dashboard, and its lines come back."""
    await push(bot, NEWER)
    lines = plan(bot).split("\n")

    await edit(bot, "\n".join(line for line in lines if not line.startswith("<!--")))
    await push(bot, NEWER + NEW_TASK)

    assert len(plans(bot)) == 1
    assert plan(bot).startswith("<!-- cairn:plan:roadmap -->")
    assert "**2.2**" in plan(bot)


async def test_it_is_deleted(bot: Bot) -> None:
    """The next push makes another one, with a number of its own."""
    await push(bot, NEWER)
    (old,) = plans(bot)
    await bot.github.delete_issue(REPOSITORY, old.number)

    await push(bot, NEWER + NEW_TASK)

    (new,) = plans(bot)
    assert new.number > old.number
    assert "**2.2**" in plan(bot)


async def test_it_is_deleted_while_it_is_due(bot: Bot) -> None:
    """What a run changed is shown in a new one, within a minute or so."""
    await push(bot, NEWER)
    bot.model.says(note("one.md"))
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    await bot.github.delete_issue(REPOSITORY, plans(bot)[0].number)

    assert "1 in review" in await shown(bot)


async def test_a_closed_one_is_opened_again(bot: Bot) -> None:
    """A run that ended in between was not shown in it; who opens it wants to see how it is now."""
    await push(bot, NEWER)
    (issue,) = plans(bot)
    await bot.github.close(REPOSITORY, issue.number)
    bot.model.says(note("one.md"))
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    assert "in review" not in await shown(bot)

    await bot.github.reopen(REPOSITORY, issue.number)
    await bot.idle()

    assert "1 in review" in await shown(bot)
    assert plans(bot) == [issue]


async def test_another_issue_is_opened_again(bot: Bot) -> None:
    """It is none of our business."""
    await bot.github.close(REPOSITORY, bot.issue.number)
    await bot.github.reopen(REPOSITORY, bot.issue.number)
    await bot.idle()
    await bot.later(minutes=2)

    assert plans(bot) == []


async def test_it_is_turned_off_later(bot: Bot) -> None:
    """It says so and has no boxes any more; turned on again, it is as before."""
    await push(bot, NEWER)
    (issue,) = plans(bot)

    await push(bot, NEWER, files={CONFIG: b"dashboard: false\n"})

    off = plan(bot)
    assert "`dashboard: false`" in off
    assert "- [ ]" not in off
    assert issue.state == "open"
    await push(bot, NEWER + NEW_TASK)
    assert plan(bot) == off
    assert plan_comments(bot) == []

    await push(bot, NEWER + NEW_TASK, files={CONFIG: b"dashboard: true\n"})
    assert "**2.2**" in plan(bot)
    assert plans(bot) == [issue]


async def test_a_tick_in_a_page_from_before_it_was_turned_off(bot: Bot) -> None:
    """It starts nothing, and the text says again that it is turned off."""
    await push(bot, NEWER)
    old = plan(bot)
    await push(bot, NEWER, files={CONFIG: b"dashboard: false\n"})
    off = plan(bot)

    await tick(bot, old, "**2.1**")
    await bot.idle()

    assert bot.prompts == []
    assert plan(bot) == off


async def test_it_promises_no_more_than_is_done(bot: Bot) -> None:
    """Where pushes show nothing, it does not say that they do."""
    await push(bot, LINES, files={CONFIG: b"triggers: {push: 'off'}\n"})
    bot.model.says(note("one.md"))
    await bot.comment("/execute --max-tasks 1")
    bot.says()

    text = await shown(bot)

    assert "tick its box" in text
    assert "with every push" not in text
