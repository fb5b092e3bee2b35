"""A server that ends in the middle of a revision goes on at its next start as if it had not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fake_github.state import Issue
from tests.marks import MORE
from tests.model_server import Held
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.endings import NOTE, stopped_after_checkpoint
from tests.scenarios.process import serving
from tests.scenarios.projects import note

BETTER = note("one.md", "A better note.")

MOMENTS = {
    "reading": ("GET", "*/compare/*"),
    "committing": ("POST", "*/git/commits"),
    "describing": ("PATCH", "*/pulls/*"),
    "answering": ("POST", "*/replies"),
    "telling": ("PATCH", "*/issues/comments/*"),
}
"""The call that is on its way when the server ends; its effect comes after that end."""


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Bot]:
    """A conversation whose server the test starts and ends."""
    async with conversation(tmp_path, NOTE) as bot:
        yield bot
        bot.check()


async def review(bot: Bot, pull: Issue) -> None:
    """Request changes; the server must say that it has the deliveries."""
    lines = [("one.md", 1, 1, "Kinder, please.")]
    number = pull.number
    status = await bot.github.review(REPOSITORY, number, "CHANGES_REQUESTED", on=lines)
    assert status == 202


def check_revised(bot: Bot, pull: Issue, before: str) -> None:
    """One commit, one reply, one comment; the model was asked once for it."""
    assert bot.view.state.bare.text("rev-parse", f"{pull.pull.sha}^") == before
    assert bot.changed(pull) == {"one.md": b"A better note.\n"}
    ((_, reply),) = bot.github.says_in_threads(REPOSITORY, pull.number)
    assert f"Changed in {pull.pull.sha}." in reply
    assert pull.threads[0].resolved
    (comment,) = bot.github.says(REPOSITORY, pull.number)
    assert f"Added {pull.pull.sha} to this pull request" in comment
    assert pull.body is not None
    assert pull.body.count("**Revised**") == 1
    assert len(bot.model.requests) == 2


@pytest.mark.sample(1, "a revision for each moment of a stop")
@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_stopped_server_finishes_a_revision(talk: Bot, moment: str) -> None:
    """Stopped at any of these calls, it adds one commit and answers once."""
    pull = await stopped_after_checkpoint(talk)
    before = pull.pull.sha
    talk.model.says(BETTER)
    async with talk.started():
        fault = talk.holds(*MOMENTS[moment])
        await review(talk, pull)
        await fault.reached.wait()
    fault.release()

    async with talk.started():
        await talk.idle()

    check_revised(talk, pull, before)


@MORE
async def test_a_killed_server_finishes_a_revision(talk: Bot) -> None:
    """Killed while the branch moves, it finds its own commit there."""
    pull = await stopped_after_checkpoint(talk)
    before = pull.pull.sha
    talk.model.says(BETTER)
    async with serving(talk) as server:
        fault = talk.holds("PATCH", "*/pulls/*")
        await review(talk, pull)
        await fault.reached.wait()
        await server.end()
    assert pull.pull.sha != before
    fault.release()

    async with serving(talk) as server:
        await server.until(": ended")

    check_revised(talk, pull, before)


async def test_a_push_on_top_of_our_own_commit_stays_there(talk: Bot) -> None:
    """Somebody pushes while the server is down: the commit that was added is not added again."""
    pull = await stopped_after_checkpoint(talk)
    before = pull.pull.sha
    talk.model.says(BETTER)
    async with talk.started():
        fault = talk.holds("PATCH", "*/pulls/*")
        await review(talk, pull)
        await fault.reached.wait()
    fault.release()
    ours = pull.pull.sha
    await talk.github.push(REPOSITORY, {"more.md": b"Mine.\n"}, branch=pull.pull.head)
    theirs = pull.pull.sha

    async with talk.started():
        await talk.idle()

    (comment,) = talk.github.says(REPOSITORY, pull.number)
    assert f"Added {ours}" in comment
    assert len(talk.github.says_in_threads(REPOSITORY, pull.number)) == 1
    assert pull.pull.sha == theirs
    assert talk.view.state.bare.text("rev-parse", f"{ours}^") == before


@pytest.mark.long("starts a server as a process of its own, and kills it")
async def test_a_question_that_was_answered_is_paid_once(talk: Bot) -> None:
    """Killed while it waits for the model, the question is asked again; answered, it is not."""
    pull = await stopped_after_checkpoint(talk)
    before = pull.pull.sha
    kept = Held(BETTER)
    talk.model.says(kept, BETTER)
    async with serving(talk) as server:
        await review(talk, pull)
        await kept.asked.wait()
        await server.end()
    kept.go.set()

    async with serving(talk) as server:
        await server.until(": ended")

    assert len(talk.model.requests) == 3
    talk.model.requests.pop()
    check_revised(talk, pull, before)
