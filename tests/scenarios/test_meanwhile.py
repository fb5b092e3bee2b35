"""A pull request ends, or gets another commit, while Cairn works on it or on a repair of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import pytest

from tests.fake_github.state import Issue
from tests.model_server import Held
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import NOTES, answer
from tests.scenarios.test_failing_checks import BETTER, SAID, check, checkpoint

End = Literal["merged", "closed"]
WORD = {"merged": "✅ | **1.1** Write one.md | completed", "closed": "| declined"}


@pytest.fixture
def files() -> Mapping[str, object]:
    """Two notes to write."""
    return NOTES


async def end(bot: Bot, pull: Issue, how: End) -> None:
    """Merge or close a pull request."""
    if how == "merged":
        await bot.github.merge_pull(REPOSITORY, pull.number)
    else:
        await bot.github.close(REPOSITORY, pull.number)


def told(bot: Bot, pull: Issue) -> str:
    """All that was said on a pull request and not read yet."""
    return "\n".join(bot.github.says(REPOSITORY, pull.number))


async def begun(bot: Bot, pull: Issue, by: str) -> Held:
    """A review or a failing check makes Cairn ask the model, which does not answer yet."""
    held = Held(BETTER)
    bot.model.says(held)
    if by == "review":
        await bot.github.review(REPOSITORY, pull.number, "CHANGES_REQUESTED", "Be kinder.")
    else:
        await bot.github.check(REPOSITORY, pull.pull.sha, "failure", name="ci", output=SAID)
    await held.asked.wait()
    return held


async def answered(bot: Bot, held: Held) -> None:
    """The model answers, and all that follows is done."""
    held.go.set()
    await bot.idle()


async def theirs(bot: Bot) -> Issue:
    """A person's pull request on which a check fails."""
    await bot.github.push(REPOSITORY, {"one.md": b"Bad.\n"}, branch="theirs")
    pull = await bot.github.open_pull(REPOSITORY, "Mine", head="theirs")
    await bot.idle()
    await check(bot, pull.pull.sha)
    return pull


@pytest.mark.sample(1, "a conversation for each case")
@pytest.mark.parametrize("how", ["merged", "closed"])
@pytest.mark.parametrize("by", ["review", "check"])
async def test_a_revision_whose_pull_request_ends(bot: Bot, how: End, by: str) -> None:
    """The task is what its pull request became, and no advice is given that cannot work."""
    pull = await checkpoint(bot)
    held = await begun(bot, pull, by)
    await end(bot, pull, how)

    await answered(bot, held)

    said = told(bot, pull)
    assert f"Pull request {pull.number} was {how} " in said
    assert WORD[how] in said
    assert "failed |" not in said
    assert "try again" not in said
    bot.says()


async def test_a_cancelled_revision_leaves_its_task_in_review(bot: Bot) -> None:
    """Its pull request is open and as good as before."""
    pull = await checkpoint(bot)
    held = await begun(bot, pull, "review")
    await bot.github.comment(REPOSITORY, pull.number, "/execute cancel", by="writer")

    await answered(bot, held)

    assert "👀 | **1.1** Write one.md | in review" in told(bot, pull)


async def test_a_revision_in_vain_leaves_its_task_in_review(bot: Bot) -> None:
    """What failed is the revision, not the task."""
    pull = await checkpoint(bot)
    bot.model.otherwise = lambda _: answer({"../outside.md": "No."})

    await bot.github.review(REPOSITORY, pull.number, "CHANGES_REQUESTED", "Be kinder.")
    await bot.idle()

    said = told(bot, pull)
    assert "**Nothing was pushed, and this pull request is unchanged:**" in said
    assert "👀 | **1.1** Write one.md | in review" in said
