"""``/execute status`` on the pull requests that Cairn made, and after a run was cancelled."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from app.github.comments import section
from tests.fake_github.state import Issue
from tests.scenarios.bot import REPOSITORY, Bot, conversation, run_of
from tests.scenarios.pages import TOKEN, page_of
from tests.scenarios.projects import note, notes, on

PLAN_ONLY = b"dashboard: false\ntriggers: {push: execute}\n"
THREE = "- [ ] 1.1 Write `one.md`\n- [ ] 1.2 Write `two.md`\n- [ ] 1.3 Write `three.md`\n"


@pytest.fixture
def files() -> Mapping[str, object]:
    """Three notes to write."""
    return notes(THREE)


async def status(bot: Bot, pull: Issue) -> str:
    """What the bot answers to the command on a pull request."""
    bot.github.says(REPOSITORY, pull.number)
    await bot.reply(pull, "/execute status", by="reader")
    (said,) = bot.github.says(REPOSITORY, pull.number)
    return said


async def test_a_checkpoint_says_its_place_in_the_stack(bot: Bot) -> None:
    """Run, task, position, what it builds on, what to merge first."""
    bot.model.says(note("one.md"), note("two.md"), note("three.md"))
    await bot.comment("/execute")
    (progress,) = bot.says()
    first, second, third = bot.pulls

    bottom, middle, top = [await status(bot, pull) for pull in bot.pulls]

    made = f"Run `{run_of(progress)}`, requested on #{bot.issue.number}, made this pull request"
    assert f"{made} for `1.2 Write two.md`." in middle
    assert (
        f"**Stacked on #{first.number}.** Merge #{first.number} first. This pull request is number "
        f"2 of 3 in its stack. #{third.number} builds on this one." in middle
    )
    assert "**Merge this one first.** This pull request is number 1 of 3 in its stack." in bottom
    assert f"Merge #{first.number}, then #{second.number} first." in top
    for pull, said in zip(bot.pulls, (bottom, middle, top), strict=True):
        assert section(pull.body or "", "place") in said


async def test_the_issue_shows_what_is_in_review(bot: Bot) -> None:
    """The order to merge in, whoever asks; what is merged is gone from it."""
    bot.model.says(note("one.md"), note("two.md"), note("three.md"))
    await bot.comment("/execute")
    bot.says()
    first, second, third = bot.pulls

    await bot.comment("/execute status", by="reader")

    (said,) = bot.says()
    assert "**In review:** 3 pull requests are open for `ROADMAP.md`." in said
    assert f"| #{first.number} | 1.1 Write one.md | first |" in said
    assert f"| #{second.number} | 1.2 Write two.md | after #{first.number} |" in said
    order = f"after #{first.number}, then #{second.number}"
    assert f"| #{third.number} | 1.3 Write three.md | {order} |" in said
    await bot.github.merge_pull(REPOSITORY, first.number)
    await bot.comment("/execute status")
    (said,) = bot.says()
    assert f"| #{second.number} | 1.2 Write two.md | first |" in said
    assert f"#{first.number} |" not in said


@pytest.fixture
async def read(tmp_path: Path) -> AsyncIterator[Bot]:
    """A running bot whose pages the test can read."""
    async with conversation(tmp_path, notes(THREE), CAIRN_ADMIN_TOKEN=TOKEN) as bot, bot.started():
        yield bot
        await bot.idle()
        bot.check()


async def test_a_task_that_people_changed_or_deleted_is_told_everywhere(read: Bot) -> None:
    """The answer, the dashboard, the comment of a run and its page say it in the same words."""
    bot = read
    await in_other_words(bot)
    await bot.later(seconds=61)

    await bot.comment("/execute status")
    said = bot.says()[-1]
    await bot.comment("/execute --task 1.3")

    comment = bot.says()[-1]
    (board,) = [i.body or "" for i in bot.view.issues.values() if "cairn:plan" in (i.body or "")]
    first, second = bot.pulls[:2]
    changed = f"1.1 Write one.md (changed in the roadmap since; now *1.1: {CHANGED}*)"
    gone = "1.2 Write two.md (removed from the roadmap)"
    assert changed in said
    assert gone in said
    for shown in (board, comment):
        assert f"- #{first.number} {changed}" in shown
        assert f"- #{second.number} {gone}" in shown
    page = await page_of(bot, run_of(comment))
    assert f"1.1 Write one.md (changed in the roadmap since; now 1.1: {CHANGED})" in page
    assert f'pull/{second.number}">#{second.number}</a> {gone}' in page
    for pull in bot.pulls:  # each that needs it also says that its merge ticks nothing
        bot.github.says(REPOSITORY, pull.number)


@on(notes(THREE, **{".github/cairn.yml": PLAN_ONLY}))
async def test_a_plan_without_a_dashboard_knows_what_is_in_review(bot: Bot) -> None:
    """It counts and lists as the dashboard does, and what is in review is not to be done."""
    await in_other_words(bot, note("one.md", "Two words."))

    (plan,) = [i.body or "" for i in bot.view.issues.values() if "cairn:plan" in (i.body or "")]
    assert "2 tasks: 1 to do, 1 in review, 0 done." in plan
    assert f"- #{bot.pulls[1].number} 1.2 Write two.md (removed from the roadmap)" in plan
    assert "1.3** Write" not in plan
    assert "- [ ]" not in plan
    for where in (*bot.pulls, *bot.view.issues.values()):
        bot.github.says(REPOSITORY, where.number)


async def in_other_words(bot: Bot, *answers: str) -> None:
    """Three tasks are in review; the newest roadmap words one in another way and lacks another."""
    bot.model.says(note("one.md"), note("two.md"), note("three.md"), *answers)
    await bot.comment("/execute --max-tasks 3")
    bot.says()
    text = (bot.view.file("main", "ROADMAP.md") or b"").decode()
    rows = [row for row in text.split("\n") if "two.md" not in row]
    newer = "\n".join(rows).replace("Write `one.md`", "Write `one.md` in two words")
    await bot.github.push(REPOSITORY, {"ROADMAP.md": newer})
    await bot.idle()


CHANGED = "Write one.md in two words"


async def test_a_merged_checkpoint_says_so(bot: Bot) -> None:
    """Its place in the stack is history."""
    bot.model.says(note("one.md"))
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    (pull,) = bot.pulls
    await bot.github.merge_pull(REPOSITORY, pull.number)
    await bot.idle()

    assert "It is merged." in await status(bot, pull)


async def test_a_revised_checkpoint_shows_its_revisions(bot: Bot) -> None:
    """They are the runs of the pull request."""
    bot.model.says(note("one.md"))
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    (pull,) = bot.pulls
    bot.model.says(note("one.md", "A better note."))
    await bot.reply(pull, "/execute revise be kinder")
    revision = run_of(bot.github.says(REPOSITORY, pull.number)[0])

    said = await status(bot, pull)

    assert "It does not build on another pull request of Cairn" in said
    assert f"Run `{revision}`: **ended**" in said
