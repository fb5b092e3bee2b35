"""``/execute status`` on the pull requests that Cairn made, and after a run was cancelled."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fake_github.state import Issue
from tests.scenarios.bot import REPOSITORY, Bot, run_of
from tests.scenarios.projects import note, notes

THREE = "- [ ] 1.1 Write `one.md`\n- [ ] 1.2 Write `two.md`\n- [ ] 1.3 Write `three.md`\n"


@pytest.fixture
def files() -> Mapping[str, object]:
    """Three notes to write."""
    return notes(THREE)


async def status(bot: Bot, pull: Issue) -> str:
    """What the bot answers to the command on a pull request."""
    bot.github.says(REPOSITORY, pull.number)
    await bot.reply(pull, "/execute status", by="reader")
    (said,) = bot.github.says(REPOSITORY, pull.number)
    return said


async def test_a_checkpoint_says_its_place_in_the_stack(bot: Bot) -> None:
    """Run, task, position, what it builds on, what to merge first."""
    bot.model.says(note("one.md"), note("two.md"), note("three.md"))
    await bot.comment("/execute")
    (progress,) = bot.says()
    first, second, third = bot.pulls

    bottom, middle, top = [await status(bot, pull) for pull in bot.pulls]

    made = f"Run `{run_of(progress)}`, asked for on #{bot.issue.number}, made this pull request"
    assert f"{made} for `1.2 Write two.md`." in middle
    assert "It is number 2 of 3 in its stack" in middle
    assert f"It builds on #{first.number}. Merge #{first.number} first." in middle
    assert f"#{third.number} builds on it." in middle
    assert "number 1 of 3" in bottom
    assert "merge this one first" in bottom
    assert f"It builds on #{second.number}. Merge #{first.number} first." in top


async def test_a_merged_checkpoint_says_so(bot: Bot) -> None:
    """Its place in the stack is history."""
    bot.model.says(note("one.md"))
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    (pull,) = bot.pulls
    await bot.github.merge_pull(REPOSITORY, pull.number)
    await bot.idle()

    assert "It is merged." in await status(bot, pull)


async def test_a_revised_checkpoint_shows_its_revisions(bot: Bot) -> None:
    """They are the runs of the pull request."""
    bot.model.says(note("one.md"))
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    (pull,) = bot.pulls
    bot.model.says(note("one.md", "A better note."))
    await bot.reply(pull, "/execute revise be kinder")
    revision = run_of(bot.github.says(REPOSITORY, pull.number)[0])

    said = await status(bot, pull)

    assert "It builds on no other pull request of Cairn" in said
    assert f"Run `{revision}`: **ended**" in said
