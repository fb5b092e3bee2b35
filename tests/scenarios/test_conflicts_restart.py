"""A server that ends while a task is worked on again because of a conflict goes on as if not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fake_github.state import Issue
from tests.marks import MORE
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.endings import NOTE, stopped_after_checkpoint
from tests.scenarios.process import serving
from tests.scenarios.projects import note

AGAIN = note("one.md", "Their note.\n\nA note.")

MOMENTS = {
    "asking": ("POST", "*/issues/*/comments"),
    "explaining": ("POST", "*/graphql"),
    "committing": ("POST", "*/git/commits"),
    "describing": ("PATCH", "*/pulls/*"),
    "telling": ("PATCH", "*/issues/comments/*"),
}
"""The call that is on its way when the server ends; its effect comes after that end."""


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Bot]:
    """A conversation whose server the test starts and ends."""
    async with conversation(tmp_path, NOTE) as bot:
        yield bot
        bot.check()


async def write_on_main(bot: Bot) -> None:
    """Somebody writes the same file on the default branch."""
    await bot.github.push(REPOSITORY, {"one.md": b"Their note.\n"})


def check_redone(bot: Bot, pull: Issue, before: str) -> None:
    """One commit on top of both, one comment; the model was asked once for it."""
    parents = bot.view.state.bare.text("rev-parse", f"{pull.pull.sha}^@").split()
    assert parents == [before, bot.view.branches["main"]]
    (comment,) = bot.github.says(REPOSITORY, pull.number)
    assert f"Cairn worked on the task again: {pull.pull.sha}" in comment
    assert pull.body is not None
    assert pull.body.count("**Worked on again**") == 1
    assert "needs you" not in pull.body
    assert len(bot.model.requests) == 2


@pytest.mark.sample(2, "an attempt after a conflict for each moment of a stop")
@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_stopped_server_finishes_the_attempt(talk: Bot, moment: str) -> None:
    """Stopped at any of these calls, it adds one commit and says so once."""
    pull = await stopped_after_checkpoint(talk)
    before = pull.pull.sha
    talk.model.says(AGAIN)
    async with talk.started():
        fault = talk.holds(*MOMENTS[moment])
        await write_on_main(talk)
        await fault.reached.wait()
    fault.release()

    async with talk.started():
        await talk.idle()

    check_redone(talk, pull, before)


@MORE
async def test_a_killed_server_finishes_the_attempt(talk: Bot) -> None:
    """Killed while the pull request is described, it finds its own commit there."""
    pull = await stopped_after_checkpoint(talk)
    before = pull.pull.sha
    talk.model.says(AGAIN)
    async with serving(talk) as server:
        fault = talk.holds("PATCH", "*/pulls/*")
        await write_on_main(talk)
        await fault.reached.wait()
        await server.end()
    assert pull.pull.sha != before
    fault.release()

    async with serving(talk) as server:
        await server.until(": ended")

    check_redone(talk, pull, before)
