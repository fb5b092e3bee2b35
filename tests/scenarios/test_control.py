"""Commands about runs: cancel, status, and who waits for whom."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.fake_github.state import Issue
from tests.model_server import Fault, Held
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.endings import ANSWER, NOTE, ONE_NOTE, check_finished, progress
from tests.scenarios.projects import note, notes, on

TWO_NOTES = on(notes("- [ ] 1.1 Write `one.md`\n- [ ] 1.2 Write `two.md`\n"))


async def say(bot: Bot, body: str) -> None:
    """Comment and wait until the comment is dealt with, not until its run is done."""
    await bot.github.comment(REPOSITORY, bot.issue.number, body, by="writer")
    assert bot.running is not None
    await bot.running.inbox.idle()


@asynccontextmanager
async def working(bot: Bot, *after: str) -> AsyncIterator[Held]:
    """Start a run and keep the model's first answer back; leaving lets it go."""
    kept = Held(ANSWER)
    bot.model.says(kept, *after)
    await say(bot, "/execute")
    await kept.asked.wait()
    bot.says()
    try:
        yield kept
    finally:
        kept.go.set()
        await bot.idle()


@TWO_NOTES
async def test_a_working_run_is_cancelled_at_its_next_step(bot: Bot) -> None:
    """What the model is asked meanwhile is the last; nothing is published after the command."""
    async with working(bot):
        await say(bot, "/execute cancel")
        (reply,) = bot.says()
        assert "stops after the current step" in reply

    said = progress(bot.says())
    assert "was cancelled" in said
    assert "cancelled by writer" in said
    assert bot.pulls == []
    assert len(bot.model.requests) == 1


@TWO_NOTES
async def test_what_was_published_before_a_cancel_stays(bot: Bot) -> None:
    """Only the task in hand is given up; the checkpoint before it stays."""
    kept = Held(note("two.md"))
    bot.model.says(ANSWER, kept)
    await say(bot, "/execute")
    await kept.asked.wait()
    await say(bot, "/execute cancel")
    kept.go.set()
    await bot.idle()

    said = progress(bot.says())
    assert [pull.title for pull in bot.pulls] == ["1.1 Write one.md"]
    assert "| completed (not shown): " in said
    assert "| pending |" in said


@ONE_NOTE
async def test_a_paused_run_is_cancelled_at_once(bot: Bot) -> None:
    """A cancelled run does not go on when the time of its pause has come."""
    bot.model.says(Fault.http_429(retry_after=7200))
    await bot.comment("/execute")

    await bot.comment("/execute cancel")
    await bot.later(hours=3)

    assert "was cancelled" in progress(bot.says())
    assert len(bot.model.requests) == 1


@ONE_NOTE
async def test_a_queued_run_is_cancelled_before_it_begins(bot: Bot) -> None:
    """A run that waits for another never asks the model once it is cancelled."""
    other = bot.github.open_issue(REPOSITORY, "Me too", by="writer").number
    async with working(bot):
        await bot.github.comment(REPOSITORY, other, "/execute", by="writer")
        await bot.github.comment(REPOSITORY, other, "/execute cancel", by="writer")
        assert bot.running is not None
        await bot.running.inbox.idle()

    check_finished(bot)
    assert "was cancelled" in progress(bot.github.says(REPOSITORY, other))
    assert len(bot.model.requests) == 1


@ONE_NOTE
async def test_a_second_cancel_says_the_same(bot: Bot) -> None:
    """A run that is still stopping is named again, not denied."""
    async with working(bot):
        await say(bot, "/execute cancel")
        bot.says()
        await say(bot, "/execute cancel")
        assert "stops after the current step" in "".join(bot.says())

    assert "was cancelled" in progress(bot.says())


@ONE_NOTE
async def test_a_cancel_without_a_run_says_what_to_do(bot: Bot) -> None:
    """Where nothing runs there is nothing to cancel, and the reply says how to start."""
    await bot.comment("/execute cancel")

    (reply,) = bot.says()
    assert "There is no unfinished run" in reply


@ONE_NOTE
async def test_a_cancel_is_not_lost_to_an_outage(bot: Bot) -> None:
    """GitHub is away while a run is being cancelled: it is cancelled later, not resumed."""
    async with working(bot):
        away = bot.github.fail("GET", "*/contents/*", times=1000)
        await say(bot, "/execute cancel")
        unheard = bot.github.fail("PATCH", "*/issues/comments/*", times=1000)
    away.times = unheard.times = 0

    await bot.later(minutes=10)

    assert "was cancelled" in progress(bot.says())
    assert bot.pulls == []


@ONE_NOTE
async def test_the_status_of_a_working_run(bot: Bot) -> None:
    """While a run works its status says so."""
    async with working(bot):
        await say(bot, "/execute status")
        (reply,) = bot.says()
        assert "**running**" in reply

    bot.says()


@ONE_NOTE
async def test_the_status_of_a_paused_run(bot: Bot) -> None:
    """A paused run's status says why."""
    bot.model.says(Fault.http_429(retry_after=7200))
    await bot.comment("/execute")
    bot.says()

    await bot.comment("/execute status")

    (reply,) = bot.says()
    assert "**paused**" in reply
    assert "Rate limit reached" in reply


@ONE_NOTE
async def test_the_status_of_a_run_that_is_done(bot: Bot) -> None:
    """A run that is done lists its tasks with their pull requests."""
    bot.model.says(ANSWER)
    await bot.comment("/execute")
    check_finished(bot)

    await bot.comment("/execute status")

    (reply,) = bot.says()
    assert "**ended**" in reply
    assert "/pull/" in reply


@TWO_NOTES
async def test_two_runs_of_a_roadmap_queue(bot: Bot) -> None:
    """The second run says its position, starts by itself, and builds on the first."""
    async with working(bot, note("two.md")):
        await say(bot, "/execute")
        (queued,) = bot.says()
        assert "position 1 in the queue" in queued
        assert len(bot.model.requests) == 1

    assert [pull.title for pull in bot.pulls] == ["1.1 Write one.md", "1.2 Write two.md"]
    told = [said.split("\n")[0].rpartition("` ")[2] for said in bot.says()]
    assert told == ["is done", "has ended"]  # nothing was left for the second


@pytest.fixture
async def two(tmp_path: Path) -> AsyncIterator[tuple[Bot, Issue]]:
    """A bot in two repositories; one run at a time."""
    async with conversation(tmp_path, NOTE, CAIRN_CONCURRENCY="1") as bot:
        bot.github.add_repository("octo/other", NOTE, roles={"writer": "write"})
        issue = bot.github.open_issue("octo/other", "Please", by="writer")
        yield bot, issue
        bot.check()


async def both(bot: Bot, issue: Issue, *answers: Held) -> None:
    """Ask for a run in each repository; all answers are kept back."""
    bot.model.says(*answers)
    await say(bot, "/execute")
    await bot.github.comment("octo/other", issue.number, "/execute", by="writer")
    assert bot.running is not None
    await bot.running.inbox.idle()


async def test_repositories_work_side_by_side(tmp_path: Path) -> None:
    """Runs of two repositories ask the model at the same time."""
    answers = Held(ANSWER), Held(ANSWER)
    async with conversation(tmp_path, NOTE, CAIRN_CONCURRENCY="2") as bot, bot.started():
        bot.github.add_repository("octo/other", NOTE, roles={"writer": "write"})
        issue = bot.github.open_issue("octo/other", "Please", by="writer")
        await both(bot, issue, *answers)
        for answer in answers:
            await answer.asked.wait()
        for answer in answers:
            answer.go.set()
        await bot.idle()

        check_finished(bot)
        assert "is done" in progress(bot.github.says("octo/other", issue.number))


async def test_a_full_server_queues(two: tuple[Bot, Issue]) -> None:
    """With no place left another repository's run waits, says so, and starts by itself."""
    bot, issue = two
    first, second = Held(ANSWER), Held(ANSWER)
    async with bot.started():
        await both(bot, issue, first, second)
        assert "position 1 in the queue" in "".join(bot.github.says("octo/other", issue.number))
        assert not second.asked.is_set()
        first.go.set()
        await second.asked.wait()
        second.go.set()
        await bot.idle()

        check_finished(bot)
        assert "is done" in progress(bot.github.says("octo/other", issue.number))


@TWO_NOTES
async def test_a_working_run_is_paused_at_its_next_step_and_goes_on_when_resumed(bot: Bot) -> None:
    """A pause by a person keeps what was done; nothing is asked of the model twice."""
    async with working(bot, note("two.md")):
        await say(bot, "/execute pause")
        (reply,) = bot.says()
        assert "pauses after the current step" in reply

    said = progress(bot.says())
    assert "is paused" in said
    assert "paused by writer" in said
    assert bot.pulls == []

    await bot.comment("/execute resume")

    bot.says()
    assert len(bot.pulls) == 2
    assert len(bot.model.requests) == 2
