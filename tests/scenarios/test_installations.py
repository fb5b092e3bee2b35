"""The App's installation is suspended, changed or deleted while runs are under way."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from tests.model_server import Held
from tests.scenarios.bot import REPOSITORY, Bot, conversation, run_of
from tests.scenarios.endings import ANSWER, ONE_NOTE, check_finished
from tests.scenarios.pages import TOKEN, page_of
from tests.scenarios.projects import on
from tests.scenarios.proposing import STUCK, decomposed


@pytest.fixture
async def bot(tmp_path: Path, files: Mapping[str, object]) -> AsyncIterator[Bot]:
    """A running bot whose pages the test can read."""
    async with conversation(tmp_path, files, CAIRN_ADMIN_TOKEN=TOKEN) as bot, bot.started():
        yield bot
        await bot.idle()
        bot.check()


async def at_work(bot: Bot, command: str = "/execute") -> Held:
    """Start a run and return the answer its model is about to give."""
    answer = Held(ANSWER)
    bot.model.says(answer)
    await bot.github.comment(REPOSITORY, bot.issue.number, command, by="writer")
    await answer.asked.wait()
    return answer


def asked(bot: Bot) -> int:
    """How many requests GitHub has seen but for those about the App itself."""
    return sum(not r.path.startswith("/app/hook") for r in bot.github.requests)


@ONE_NOTE
async def test_a_run_rests_while_the_installation_is_suspended(bot: Bot) -> None:
    """Its page says why; it goes on when the suspension ends, and its comment is true again."""
    answer = await at_work(bot)
    run = run_of(bot.says()[0])
    await bot.github.suspend(REPOSITORY)
    answer.go.set()
    await bot.idle()

    page = await page_of(bot, run)
    assert "is suspended" in page
    assert "continues automatically" in page
    assert "/execute resume" not in page

    await bot.github.suspend(REPOSITORY, suspended=False)
    await bot.idle()

    check_finished(bot)


@ONE_NOTE
async def test_a_suspension_without_an_event_is_found_out(bot: Bot) -> None:
    """GitHub's own answer says so too, and the same event ends it."""
    answer = await at_work(bot)
    bot.says()
    installation = bot.github.installation(REPOSITORY)
    installation.suspended = bot.github.clock.now()
    answer.go.set()
    await bot.idle()
    assert bot.pulls == []

    await bot.github.suspend(REPOSITORY, suspended=False)
    await bot.idle()

    check_finished(bot)


@ONE_NOTE
async def test_what_a_person_paused_stays_so(bot: Bot) -> None:
    """The end of a suspension lets go on only what the suspension paused."""
    answer = await at_work(bot)
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute pause", by="writer")
    await bot.github.settle()
    answer.go.set()
    await bot.idle()
    await bot.github.suspend(REPOSITORY)
    await bot.github.suspend(REPOSITORY, suspended=False)
    await bot.idle()

    assert bot.pulls == []
    assert "is paused" in "".join(bot.says())
    await bot.comment("/execute resume")
    assert len(bot.pulls) == 1
    bot.says()


@ONE_NOTE
async def test_a_queued_run_waits_for_the_end_of_the_suspension(bot: Bot) -> None:
    """It has no place yet, and takes none meanwhile."""
    answer = await at_work(bot)
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="writer")
    assert bot.running is not None
    await bot.running.inbox.idle()
    await bot.github.suspend(REPOSITORY)
    answer.go.set()
    await bot.idle()
    await bot.github.suspend(REPOSITORY, suspended=False)
    await bot.idle()

    said = [text for text in bot.says() if text.startswith("### Cairn run")]
    told = [text.split("\n")[0].rpartition("` ")[2] for text in said]
    assert told == ["is done", "has ended"]  # nothing was left for the second


@ONE_NOTE
async def test_an_uninstalled_app_gives_up(bot: Bot) -> None:
    """Its runs are cancelled, and GitHub is asked nothing more about them."""
    answer = await at_work(bot)
    run = run_of(bot.says()[0])
    await bot.github.uninstall(REPOSITORY)
    answer.go.set()
    await bot.idle()
    before = asked(bot)

    await bot.later(minutes=30)
    await bot.later(hours=3)

    assert asked(bot) == before
    page = await page_of(bot, run)
    assert "cancelled" in page
    assert "the App was uninstalled" in page


@on(STUCK)
async def test_an_open_proposal_of_an_uninstalled_app_is_asked_about_no_more(bot: Bot) -> None:
    """What rests is cancelled too, and its reactions are not polled."""
    await decomposed(bot)
    await bot.github.uninstall(REPOSITORY)
    await bot.idle()
    before = asked(bot)

    for _ in range(5):
        await bot.later(minutes=15)

    assert asked(bot) == before


@ONE_NOTE
async def test_a_repository_that_is_taken_out_and_put_back(bot: Bot) -> None:
    """Its runs rest as long as the App may not use it."""
    answer = await at_work(bot)
    run = run_of(bot.says()[0])
    await bot.github.select(REPOSITORY, selected=False)
    await bot.github.settle()
    answer.go.set()
    await bot.idle()
    assert "no longer covers this repository" in await page_of(bot, run)

    await bot.github.select(REPOSITORY, selected=True)
    await bot.idle()

    check_finished(bot)


@ONE_NOTE
async def test_a_run_rests_while_its_repository_is_archived(bot: Bot) -> None:
    """Nobody can change it, not even a comment; it goes on when the repository is unarchived."""
    answer = await at_work(bot)
    run = run_of(bot.says()[0])
    await bot.github.archive(REPOSITORY)
    answer.go.set()
    await bot.idle()

    page = await page_of(bot, run)
    assert "this repository is archived" in page
    assert "continues automatically" in page
    assert bot.pulls == []

    await bot.github.archive(REPOSITORY, archived=False)
    await bot.idle()

    check_finished(bot)


@ONE_NOTE
async def test_a_run_that_waits_follows_its_repository_to_another_name(bot: Bot) -> None:
    """What is paused asks for the new name, also when the old one does not redirect any more."""
    answer = await at_work(bot)
    bot.says()
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute pause", by="writer")
    answer.go.set()
    await bot.idle()
    bot.says()

    await bot.github.rename(REPOSITORY, "octo/renamed")
    bot.github.world.renamed.clear()
    await bot.idle()
    await bot.github.comment("octo/renamed", bot.issue.number, "/execute resume", by="writer")
    await bot.idle()

    said = bot.github.says("octo/renamed", bot.issue.number)
    assert any("is done" in text for text in said), said
    assert [pull.title for pull in bot.github.repo("octo/renamed").pulls] == ["1.1 Write one.md"]


@ONE_NOTE
async def test_a_comment_that_somebody_deleted_is_made_again_for_the_end(bot: Bot) -> None:
    """How the run ended is said, even if people deleted its comment in between."""
    answer = await at_work(bot)
    (progress,) = bot.view.comments(bot.issue.number)[-1:]
    await bot.github.delete_comment(progress)
    answer.go.set()
    await bot.idle()

    (said,) = bot.says()
    assert "is done" in said
