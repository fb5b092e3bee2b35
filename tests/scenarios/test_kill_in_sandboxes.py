"""A server killed in the middle goes on, whatever runs the code."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.runner.sandbox.sandbox_bench import DOCKER, ROOT, working_sandbox
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.endings import progress
from tests.scenarios.process import serving
from tests.scenarios.projects import ADD, CALC

pytestmark = pytest.mark.long("kills servers in each sandbox at each moment")

MOMENTS = {  # what GitHub creates after the server's end
    "the ref": ("POST", "*/git/refs"),
    "the pull request": ("POST", "*/pulls"),
    "the commit with the tick": ("POST", "*/git/commits"),
}


@pytest.fixture(params=["bubblewrap", DOCKER])
async def talk(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Bot]:
    """A conversation on a project with real tests; the test starts and ends its server."""
    await working_sandbox(request.param)  # skips, with the reason, where it does not work
    settings = {"CAIRN_SANDBOX": request.param}
    if request.param == "bubblewrap":
        if not ROOT:
            pytest.skip("bubblewrap: set TEST_SANDBOX_ROOT to a folder of scripts/sandbox-root")
        settings["CAIRN_SANDBOX_IMAGE"] = ROOT
    async with conversation(tmp_path, CALC, **settings) as bot:
        yield bot
        bot.check()


async def ask(bot: Bot) -> None:
    """Ask for one task."""
    body = "/execute --max-tasks 1"
    assert await bot.github.comment(REPOSITORY, bot.issue.number, body, by="writer") == 202


def check_finished_once(bot: Bot) -> None:
    """One answer was paid, one of each thing was made, one box is ticked."""
    assert "is done" in progress(bot.says())
    (pull,) = bot.pulls
    assert len(bot.model.requests) == 1
    assert bot.changed(pull).keys() == {"ROADMAP.md", "calc/add.py", "tests/test_add.py"}
    assert [name for name in bot.view.branches if name != "main"] == [pull.pull.head]


@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_kill_after_an_effect_doubles_nothing(talk: Bot, moment: str) -> None:
    """Killed while the call is on its way: GitHub does its part, and nobody is there to hear."""
    fault = talk.holds(*MOMENTS[moment])
    talk.model.says(ADD)
    async with serving(talk) as server:
        await ask(talk)
        await fault.reached.wait()
        await server.end()
    fault.release()

    async with serving(talk) as server:
        await server.until(": ended")

    check_finished_once(talk)
