"""What happened behind Cairn's back: suspended, removed, archived, transferred, deleted, edited."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.marks import OUTSIDE
from tests.model_server import Held
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import note
from tests.scenarios.pushing import plan, plans, push, triggered
from tests.scenarios.test_dashboard import LINES, shown
from tests.scenarios.test_outside_ticks import NEW_TASK, NEWER

pytestmark = OUTSIDE


@pytest.fixture
def files() -> Mapping[str, object]:
    """Three notes to write, in two phases."""
    return triggered("plan", LINES)


async def one_task(bot: Bot, *, times: int = 1) -> None:
    """Let runs of one task each work, and read what they say."""
    names = ("one.md", "two.md")[:times]
    bot.model.says(*map(note, names))
    await bot.comment(f"/execute --max-tasks {times}")
    bot.says()


async def at_work(bot: Bot) -> Held:
    """Start a run of one task; return the answer its model is about to give."""
    held = Held(note("one.md"))
    bot.model.says(held)
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute --max-tasks 1", by="writer")
    await held.asked.wait()
    return held


async def away(bot: Bot, how: str, *, back: bool = False) -> None:
    """Take the repository out of Cairn's reach, or give it back."""
    if how == "suspended":
        await bot.github.suspend(REPOSITORY, suspended=not back)
    else:
        await bot.github.select(REPOSITORY, selected=back)
    await bot.idle()


AWAY = pytest.mark.parametrize("how", ["suspended", "removed"])


@AWAY
async def test_pushes_that_nobody_told_us_of(bot: Bot, how: str) -> None:
    """GitHub sends no events meanwhile; the dashboard shows the newest plan afterwards."""
    await one_task(bot)
    await shown(bot)
    await away(bot, how)
    await push(bot, NEWER + NEW_TASK)
    assert "**2.2**" not in plan(bot)

    await away(bot, how, back=True)

    assert "**2.2**" in await shown(bot)
    assert len(bot.prompts) == 1


@AWAY
async def test_a_merge_that_nobody_told_us_of(bot: Bot, how: str) -> None:
    """What builds on it is put on the default branch afterwards, without being asked for."""
    await one_task(bot, times=2)
    first, second = bot.pulls
    await away(bot, how)
    await bot.github.merge_pull(REPOSITORY, first.number, method="squash")
    await bot.idle()

    await away(bot, how, back=True)

    assert second.pull.base == "main"
    (said,) = bot.github.says(REPOSITORY, second.number)
    assert f"#{first.number} was merged by squash" in said
    assert "- ✅ **1.1**" in await shown(bot)
    assert len(bot.prompts) == 2


async def test_a_dashboard_that_was_due_when_its_repository_was_archived(bot: Bot) -> None:
    """It is written as soon as GitHub takes it."""
    await push(bot, NEWER)
    await one_task(bot)
    await bot.github.archive(REPOSITORY)
    assert "in review" not in await shown(bot)

    await bot.github.archive(REPOSITORY, archived=False)
    await bot.idle()

    assert "1 in review" in await shown(bot)


async def test_a_dashboard_that_was_due_when_the_app_was_suspended(bot: Bot) -> None:
    """Likewise."""
    await push(bot, NEWER)
    await one_task(bot)
    await bot.github.suspend(REPOSITORY)
    assert "in review" not in await shown(bot)

    await bot.github.suspend(REPOSITORY, suspended=False)
    await bot.idle()

    assert "1 in review" in await shown(bot)


async def test_a_dashboard_that_was_due_when_its_repository_was_transferred(bot: Bot) -> None:
    """It is written at the new owner, and a run there builds on what is in review."""
    await push(bot, NEWER)
    await one_task(bot)
    bot.github.add_repository("acme/other", {"README.md": b"x"})
    await bot.github.transfer(REPOSITORY, "acme")
    await bot.idle()
    await bot.later(seconds=61)
    there = bot.github.repo("acme/hello")
    (board,) = [issue for issue in there.issues.values() if "plan of the" in issue.title]
    assert "1 in review" in (board.body or "")

    bot.model.says(note("two.md"))
    await bot.github.comment("acme/hello", bot.issue.number, "/execute --max-tasks 1", by="writer")
    await bot.idle()

    first, second = bot.github.repo("acme/hello").pulls
    assert second.title.startswith("1.2 ")
    assert second.pull.base == first.pull.head
    assert "is done" in "".join(bot.github.says("acme/hello", bot.issue.number))


async def test_the_issue_is_closed_while_its_run_works(bot: Bot) -> None:
    """To close an issue stops nothing: the run ends as usual, and says so."""
    held = await at_work(bot)
    await bot.github.close(REPOSITORY, bot.issue.number)
    held.go.set()
    await bot.idle()

    (said,) = bot.says()
    assert "is done" in said
    assert len(bot.pulls) == 1


async def test_the_issue_is_deleted_while_its_run_works(bot: Bot) -> None:
    """There is no place to talk any more; the work is not lost, GitHub is not asked again."""
    held = await at_work(bot)
    await bot.github.delete_issue(REPOSITORY, bot.issue.number)
    held.go.set()
    await bot.idle()

    assert bot.checkpoints() == ["1.1 Write one.md"]
    await bot.later(minutes=5)
    before = len(bot.github.requests)
    await bot.later(hours=2)
    about = [each.path for each in bot.github.requests[before:] if "/issues/1" in each.path]
    assert about == []


async def test_the_comment_is_edited_by_a_person(bot: Bot) -> None:
    """The next thing there is to say takes its place."""
    held = await at_work(bot)
    (progress,) = bot.view.comments(bot.issue.number)[-1:]
    await bot.github.edit_comment(progress, "Ha ha.", by="writer")
    held.go.set()
    await bot.idle()

    (said,) = bot.says()
    assert "is done" in said
    assert "Ha ha." not in said


async def test_the_comment_is_deleted_after_the_end(bot: Bot) -> None:
    """Nobody needs it any more: it does not come back, and the status still knows the run."""
    await one_task(bot)
    (progress,) = [each for each in bot.view.comments(bot.issue.number) if each.by_app]
    await bot.github.delete_comment(progress)
    (pull,) = bot.pulls
    await bot.github.merge_pull(REPOSITORY, pull.number)
    await bot.idle()
    assert bot.says() == []

    await bot.comment("/execute status")

    (said,) = bot.says()
    assert f"| completed | [#{pull.number}](" in said


async def test_a_suspended_app_does_nothing_about_its_dashboards(bot: Bot) -> None:
    """It asks GitHub nothing until the suspension ends."""
    await push(bot, NEWER)
    (board,) = plans(bot)
    await bot.github.suspend(REPOSITORY)
    await bot.idle()
    before = len(bot.github.requests)

    await bot.github.edit_issue(REPOSITORY, board.number, "", by="writer")
    await bot.later(minutes=5)

    assert not [each for each in bot.github.requests[before:] if "/repos/" in each.path]
