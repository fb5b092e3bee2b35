"""Owners who have not accepted all that the App asks for: what is missing is said, and heals."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fake_github import payloads
from tests.marks import OUTSIDE
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import note, notes
from tests.scenarios.test_dashboard import LINES

pytestmark = OUTSIDE


@pytest.fixture
def files() -> Mapping[str, object]:
    """Three notes to write, in two phases."""
    return notes(LINES)


async def accept(bot: Bot, **permissions: str) -> None:
    """Accept permissions of the App, as an owner does on the installation's page."""
    one = bot.github.installation(REPOSITORY)
    one.permissions.update(permissions)
    accepted = payloads.installation(bot.github.world, "new_permissions_accepted", one)
    await bot.github.tell(accepted)
    await bot.idle()


@pytest.mark.parametrize("lacking", ["contents", "pull_requests"])
async def test_a_permission_that_every_run_needs(bot: Bot, lacking: str) -> None:
    """The run's comment says which one, and where; accepted, the run goes on by itself."""
    bot.github.installation(REPOSITORY).permissions[lacking] = "read"
    bot.model.says(note("one.md"))
    await bot.comment("/execute --max-tasks 1")

    (said,) = bot.says()
    assert "is paused" in said
    assert f"(needed: {lacking}: write)" in said
    assert "/settings/installations/" in said
    assert "continues automatically" in said
    assert bot.prompts == []

    await accept(bot, **{lacking: "write"})

    (said,) = bot.says()
    assert "is done" in said
    assert len(bot.pulls) == 1


async def test_a_permission_that_is_not_needed(bot: Bot) -> None:
    """Without check runs everything else works, which is said once; accepted, there are some."""
    del bot.github.installation(REPOSITORY).permissions["checks"]
    bot.model.says(note("one.md"), note("two.md"))
    await bot.comment("/execute --max-tasks 1")
    (said,) = bot.says()
    assert "its permission *Checks* has not been accepted yet" in said
    assert bot.view.checks == []

    await accept(bot, checks="write")
    await bot.comment("/execute --max-tasks 1")

    (said,) = bot.says()
    assert "has not been accepted yet" not in said
    assert {"cairn/trust", "cairn/stack"} <= {check["name"] for check in bot.view.checks}
