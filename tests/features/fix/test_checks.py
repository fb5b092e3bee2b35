"""Checks as others make them: none, hundreds, hostile ones, long logs."""

from __future__ import annotations

import pytest

from tests.fake_github.state import Issue
from tests.marks import OUTSIDE
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import note
from tests.scenarios.test_outside_checks import EVIL, files, red, theirs

pytestmark = OUTSIDE

__all__ = ["files"]


async def fix(bot: Bot, pull: Issue) -> str:
    """Comment ``/execute fix``; what the bot says."""
    await bot.reply(pull, "/execute fix")
    return "\n".join(bot.github.says(REPOSITORY, pull.number))


@pytest.mark.parametrize("conclusion", ["skipped", "neutral", "cancelled", "action_required"])
async def test_fix_where_nothing_failed(bot: Bot, conclusion: str) -> None:
    """A check that did not end shows no fault, and is not called passed: no model is asked."""
    pull = await theirs(bot, {"one.md": b"Bad.\n"})
    await red(bot, pull, conclusion)

    said = await fix(bot, pull)

    assert "No check of this pull request has failed" in said
    assert "passed" not in said


async def test_fix_of_what_ran_too_long(bot: Bot) -> None:
    """A check that timed out has failed as well."""
    pull = await theirs(bot, {"one.md": b"Bad.\n"})
    await red(bot, pull, "timed_out")
    bot.model.says(note("one.md", "Good."))

    assert "proposes a repair" in await fix(bot, pull)


async def test_fix_finds_the_one_of_hundreds(bot: Bot) -> None:
    """The failing check may be on any page of GitHub's list."""
    pull = await theirs(bot, {"one.md": b"Bad.\n"})
    sent, bot.github.webhook_url = bot.github.webhook_url, None
    await red(bot, pull, name="lint")
    for number in range(230):
        await bot.github.check(REPOSITORY, pull.pull.sha, "success", name=f"job {number}")
    bot.github.webhook_url = sent
    bot.model.says(note("one.md", "Good."))

    said = await fix(bot, pull)

    assert "proposes a repair" in said
    assert len(bot.pulls) == 2


async def test_fix_with_hundreds_of_failures(bot: Bot) -> None:
    """The question stays within its bounds, and the answer can be read."""
    pull = await theirs(bot, {"one.md": b"Bad.\n"})
    sent, bot.github.webhook_url = bot.github.webhook_url, None
    for number in range(150):
        await bot.github.check(
            REPOSITORY, pull.pull.sha, "failure", name=f"job {number}", log="x" * 2_000 + "\n"
        )
    bot.github.webhook_url = sent
    bot.model.says(note("one.md", "Good."))

    said = await fix(bot, pull)

    assert "proposes a repair" in said
    assert len(said) < 3_000
    assert len(bot.prompts[0]) < 60_000
    assert len(bot.pulls[-1].body or "") < 10_000


@pytest.mark.parametrize("below", [True, False])
async def test_fix_of_a_check_with_a_hostile_name(bot: Bot, below: bool) -> None:
    """Its name stays a word: no link, no mention, no heading, no closed issue."""
    pull = await theirs(bot, {"one.md": b"Bad.\n"})
    if below:
        await bot.github.check(REPOSITORY, bot.view.branches["main"], "failure", name=EVIL)
        await red(bot, pull)
    await red(bot, pull, name=EVIL)
    bot.model.says(note("one.md", "Good."))

    said = await fix(bot, pull)

    shown = "lint 'x' | @\u200bocto/team [go]\u200b(http://evil.example) "
    assert f"`{shown}" in said
    for text in (said, bot.pulls[-1].body or "", bot.message(bot.pulls[-1])):
        assert "@octo" not in text
        assert "closes #1" not in text
        assert "\n## Big" not in text


async def test_fix_with_a_very_long_log(bot: Bot) -> None:
    """Its end says why it failed; only that much of it is shown."""
    pull = await theirs(bot, {"one.md": b"Bad.\n"})
    log = "fine\n" * 1_500_000 + "FAILED: the note says nothing\n" + "post job cleanup\n" * 20
    await red(bot, pull, output={}, log=log)
    bot.model.says(note("one.md", "Good."))

    said = await fix(bot, pull)

    assert "proposes a repair" in said
    assert "FAILED: the note says nothing" in bot.prompts[0]
    assert len(bot.prompts[0]) < 60_000


async def test_fix_in_a_locked_conversation(bot: Bot) -> None:
    """The repair is proposed all the same; its comment comes when somebody unlocks it."""
    pull = await theirs(bot, {"one.md": b"Bad.\n"})
    await red(bot, pull)
    await bot.github.lock(REPOSITORY, pull.number)
    bot.model.says(note("one.md", "Good."))

    assert await fix(bot, pull) == ""

    assert bot.pulls[-1].title == f"Make the failing checks of #{pull.number} pass"
    await bot.github.lock(REPOSITORY, pull.number, locked=False)
    await bot.idle()
    (said,) = bot.github.says(REPOSITORY, pull.number)
    assert "proposes a repair" in said
