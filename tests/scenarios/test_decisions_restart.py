"""Decisions outlive the process: what is said while nobody listens is heard at the next start."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fake_github.state import Issue
from tests.marks import MORE
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.process import serving
from tests.scenarios.proposing import STUCK, TITLES, decomposed, proposal_comment, script_new_tasks

MOMENTS = {
    "permission asked": ("GET", "*/permission"),
    "applying": ("POST", "*/git/commits"),
    "answering": ("POST", "*/issues/*/comments"),
}
"""The call that is on its way when the server ends; its effect comes after that end."""


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Bot]:
    """A conversation whose server the test starts and ends."""
    async with conversation(tmp_path, STUCK) as bot:
        yield bot
        bot.check()


async def resting(talk: Bot) -> Issue:
    """A run that waits for a decision, and the end of its server."""
    async with talk.started():
        pull = await decomposed(talk)
    script_new_tasks(talk)
    return pull


def check_finished(talk: Bot, pull: Issue) -> None:
    """The proposal was applied once, and both parts are done once."""
    talk.says()
    talk.proposes()
    titles = talk.checkpoints()
    assert titles[-2:] == TITLES
    assert len(titles) == 3
    assert talk.view.file(pull.pull.sha, "ROADMAP.md").count(b"<!-- RECOVERY") == 1  # type: ignore[union-attr]


async def test_a_reaction_while_nobody_polls(talk: Bot) -> None:
    """It is seen by the first poll after the start."""
    pull = await resting(talk)
    talk.github.react(proposal_comment(talk, pull), "+1", by="writer")
    talk.github.clock.advance(3600)

    async with talk.started():
        await talk.idle()

    check_finished(talk, pull)


@pytest.mark.sample(1, "a run for each moment of a stop")
@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_stop_while_a_decision_is_worked(talk: Bot, moment: str) -> None:
    """Stopped at any of these calls and started again, it is applied once and answered once."""
    pull = await resting(talk)
    fault = talk.holds(*MOMENTS[moment])
    async with talk.started():
        await talk.github.comment(REPOSITORY, pull.number, "/approve", by="writer")
        await fault.reached.wait()
    fault.release()

    async with talk.started():
        await talk.idle()

    replies = [c.body for c in talk.view.comments(pull.number) if "is approved" in c.body]
    assert len(replies) == 1
    check_finished(talk, pull)


@MORE
async def test_a_kill_while_a_decision_is_applied(talk: Bot) -> None:
    """A killed server goes on from the stored decision, and nothing is done twice."""
    pull = await resting(talk)
    fault = talk.holds("POST", "*/git/commits")
    async with serving(talk) as server:
        await talk.github.comment(REPOSITORY, pull.number, "/approve", by="writer")
        await fault.reached.wait()
        await server.end()
    fault.release()

    async with serving(talk) as server:
        await server.until(": ended")

    check_finished(talk, pull)
