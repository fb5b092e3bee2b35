"""What happens to a pull request while its repair is made."""

from __future__ import annotations

import pytest

from tests.fake_github.state import Issue
from tests.model_server import Held
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.test_failing_checks import BETTER
from tests.scenarios.test_meanwhile import End, answered, end, files, theirs, told

__all__ = ["files"]


async def fixing(bot: Bot) -> tuple[Issue, Held]:
    """``/execute fix`` on it; the model does not answer yet."""
    pull = await theirs(bot)
    held = Held(BETTER)
    bot.model.says(held)
    await bot.github.comment(REPOSITORY, pull.number, "/execute fix", by="writer")
    await held.asked.wait()
    return pull, held


def repairs(bot: Bot) -> list[Issue]:
    """The pull requests that propose a repair of another one."""
    return [pull for pull in bot.pulls if pull.pull.head.startswith("cairn/fix/")]


async def test_a_push_while_a_repair_is_made(bot: Bot) -> None:
    """A repair of a commit that is gone is not proposed: nobody verified it on the new one."""
    pull, held = await fixing(bot)
    await bot.github.push(REPOSITORY, {"one.md": b"Good already.\n"}, branch="theirs")

    await answered(bot, held)

    assert repairs(bot) == []
    said = told(bot, pull)
    assert "**No repair was proposed:** Somebody pushed to `theirs`" in said
    assert "comment `/execute fix` again" in said
    assert [branch for branch in bot.view.branches if branch.startswith("cairn/")] == []


@pytest.mark.sample(1, "a conversation for each case")
@pytest.mark.parametrize("branch", ["kept", "deleted"])
@pytest.mark.parametrize("how", ["merged", "closed"])
async def test_a_repair_whose_pull_request_ends(bot: Bot, how: End, branch: str) -> None:
    """It is told in words, and leaves no branch behind."""
    pull, held = await fixing(bot)
    await end(bot, pull, how)
    if branch == "deleted":
        await bot.github.delete_branch(REPOSITORY, "theirs")

    await answered(bot, held)

    said = told(bot, pull)
    assert f"**No repair was proposed:** Pull request {pull.number} was {how}" in said
    assert [each for each in bot.view.branches if each.startswith("cairn/")] == []
    assert repairs(bot) == []
