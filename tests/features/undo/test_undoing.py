"""A merged task is taken back on GitHub: a pull request with the inverse of its change."""

from __future__ import annotations

import pytest

from runner.state.status_words import CHECKS
from tests.fake_github.state import Issue
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.conflicting import mergeable
from tests.scenarios.projects import ADD, CALC, DOUBLE, NOTES, note, notes, on
from tests.scenarios.pushing import push

LINES = "\n\n".join(f"Line {number}." for number in range(1, 13))
TWICE = notes("- [ ] 1.1 Write `one.md`\n- [ ] 1.2 Improve `one.md`\n")


async def merged(bot: Bot, *answers: str, method: str = "merge") -> list[Issue]:
    """The tasks that these answers do, each merged, all comments read."""
    bot.model.says(*answers)
    await bot.comment("/execute")
    pulls = bot.pulls
    for pull in pulls:
        await bot.github.merge_pull(REPOSITORY, pull.number, method=method)
        await bot.idle()
    bot.says()
    for pull in pulls:
        bot.github.says(REPOSITORY, pull.number)
    return pulls


def undoing(bot: Bot) -> Issue:
    """The one pull request that takes something back."""
    (pull,) = [each for each in bot.pulls if each.pull.head.startswith("cairn/undo/")]
    return pull


def shown(bot: Bot, pull: Issue) -> dict[str, bytes | None]:
    """Path → new content of what a pull request changes on its base."""
    base, head = bot.view.files("main"), bot.view.files(pull.pull.sha)
    paths = sorted(path for path in base | head if base.get(path) != head.get(path))
    return {path: bot.view.file(pull.pull.sha, path) for path in paths}


@pytest.mark.sample(1, "a conversation for each case")
@on(NOTES)
@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
async def test_a_merged_task_is_taken_back(bot: Bot, method: str) -> None:
    """Its file is gone, its box is open; the neighbour's stay. No model is asked."""
    await merged(bot, note("one.md"), note("two.md"), method=method)

    await bot.comment("/execute undo 1.1")

    (said,) = bot.says()
    pull = undoing(bot)
    assert f"/pull/{pull.number}" in said
    assert pull.title == "Undo: 1.1 Write one.md"
    assert pull.pull.base == "main"
    changed = shown(bot, pull)
    assert changed.keys() == {"ROADMAP.md", "one.md"}
    assert changed["one.md"] is None
    assert changed["ROADMAP.md"] == b"- [ ] 1.1 Write `one.md`\n- [x] 1.2 Write `two.md`\n"
    assert len(bot.prompts) == 2


@pytest.mark.nightly("test_it_can_be_done_again_and_undone_again")
@on(NOTES)
async def test_what_was_taken_back_is_open_again(bot: Bot) -> None:
    """After the merge the next run does the task again."""
    await merged(bot, note("one.md"), note("two.md"))
    await bot.comment("/execute undo 1.1")
    bot.says()
    await bot.github.merge_pull(REPOSITORY, undoing(bot).number)
    await bot.idle()
    bot.model.says(note("one.md", "Better."))

    await bot.comment("/execute")

    assert "**1.1**" in bot.says()[-1]
    assert bot.changed(bot.pulls[-1])["one.md"] == b"Better.\n"


@on(NOTES)
async def test_its_own_pull_request_needs_no_id(bot: Bot) -> None:
    """Asked for on the merged pull request, that one is meant."""
    first, _ = await merged(bot, note("one.md"), note("two.md"))

    await bot.reply(first, "/execute undo")

    (said,) = bot.github.says(REPOSITORY, first.number)
    assert f"/pull/{undoing(bot).number}" in said
    assert undoing(bot).title == "Undo: 1.1 Write one.md"


@pytest.mark.nightly("test_what_came_later_stays")
@on(TWICE)
async def test_what_came_after_in_the_same_file_stays(bot: Bot) -> None:
    """The inverse is merged three ways with the file as it is today."""
    await merged(bot, note("one.md", LINES), note("one.md", LINES.replace("Line 1.", "Line one.")))
    await bot.github.push(
        REPOSITORY, {"one.md": LINES.replace("Line 1.", "Line one.").encode() + b"\n\nMine.\n"}
    )
    await bot.idle()

    await bot.comment("/execute undo 1.2")

    bot.says()
    assert shown(bot, undoing(bot))["one.md"] == LINES.encode() + b"\n\nMine.\n"


@on(TWICE)
async def test_a_conflict_names_the_files_and_does_nothing(bot: Bot) -> None:
    """The lines were changed since: people read where, and no branch is made."""
    await merged(bot, note("one.md"), note("one.md", "Another note."))

    await bot.comment("/execute undo 1.1")

    (said,) = bot.says()
    assert "What 1.1 wrote in one.md was changed since" in said
    assert "Nothing was changed" in said
    assert len(bot.pulls) == 2


@on(CALC)
async def test_a_task_that_others_use_is_not_taken_back(bot: Bot) -> None:
    """Without it the tests of a later task fail: they are named, and nothing is proposed."""
    await merged(bot, ADD, DOUBLE)

    await bot.comment("/execute undo 1.1")

    (said,) = bot.says()
    assert "Without task 1.1 the tests fail" in said
    assert "test_double" in said
    assert len(bot.pulls) == 2


@pytest.mark.nightly("test_the_tests_are_run_without_the_task")
@on(CALC)
async def test_the_rest_is_tested(bot: Bot) -> None:
    """The description says what was run over the repository without the task."""
    await merged(bot, ADD, DOUBLE)

    await bot.comment("/execute undo 1.2")

    bot.says()
    body = undoing(bot).body or ""
    assert f"| tests | {CHECKS['passed']} |" in body
    assert "`calc/double.py` (deleted)" in body


@on(NOTES)
async def test_only_a_finished_task_is_taken_back(bot: Bot) -> None:
    """Open, in review or unknown: the answer says so; who may not write is refused."""
    bot.model.says(note("one.md"))
    await bot.comment("/execute --max-tasks 1")
    bot.says()

    await bot.comment("/execute undo 1.1")
    await bot.comment("/execute undo 1.2")
    await bot.comment("/execute undo 9.9")
    await bot.comment("/execute undo")
    await bot.comment("/execute undo 1.1", by="reader")

    review, open_, unknown, unnamed, refused = bot.says()
    assert "Task 1.1 is not finished on `main`" in review
    assert "Task 1.2 is not finished on `main`" in open_
    assert "has no task `9.9`" in unknown
    assert "Name the task to undo" in unnamed
    assert "needs the *write* permission" in refused
    assert len(bot.pulls) == 1


@on(NOTES)
async def test_asked_twice_it_is_one(bot: Bot) -> None:
    """The second answer links the same pull request."""
    await merged(bot, note("one.md"), note("two.md"))
    await bot.comment("/execute undo 1.1")

    await bot.comment("/execute undo 1.1")

    first, second = bot.says()
    number = undoing(bot).number
    assert f"/pull/{number}" in first
    assert f"/pull/{number}" in second


@on(NOTES)
async def test_one_in_conflict_is_made_anew(bot: Bot) -> None:
    """Its description says how, while the box next to the one it clears was changed."""
    await merged(bot, note("one.md"), note("two.md"))
    await bot.comment("/execute undo 1.1")
    pull = undoing(bot)
    await push(bot, "- [x] 1.1 Write `one.md`\n- [x] 1.2 Write `two.md` in French\n")
    assert not mergeable(bot, pull)
    assert "comment `/execute undo 1.1` again" in (pull.body or "")

    await bot.comment("/execute undo 1.1")

    bot.says()
    assert mergeable(bot, pull)
    assert shown(bot, pull) == {
        "ROADMAP.md": b"- [ ] 1.1 Write `one.md`\n- [x] 1.2 Write `two.md` in French\n",
        "one.md": None,
    }


@pytest.mark.sample(0, "a conversation for each case")
@on(NOTES | {".github/cairn.yml": b"pull_requests: {strategy: single}\n"})
@pytest.mark.parametrize("method", ["merge", "squash"])
async def test_one_of_several_in_one_pull_request(bot: Bot, method: str) -> None:
    """Of a pull request with several tasks only the change of the one that is named goes."""
    (pull,) = await merged(bot, note("one.md"), note("two.md"), method=method)

    await bot.reply(pull, "/execute undo 1.2")

    bot.github.says(REPOSITORY, pull.number)
    assert shown(bot, undoing(bot)).keys() == {"ROADMAP.md", "two.md"}


@on(NOTES)
async def test_a_review_of_what_takes_it_back(bot: Bot) -> None:
    """It shows no task's work: who asks for changes is told what to do instead."""
    await merged(bot, note("one.md"), note("two.md"))
    await bot.comment("/execute undo 1.2")
    bot.says()
    pull = undoing(bot)
    on = [("two.md", 1, 1, "Keep this line.")]

    await bot.github.review(REPOSITORY, pull.number, "COMMENTED", "Looks fine.")
    await bot.idle()
    assert bot.github.says(REPOSITORY, pull.number) == []
    await bot.github.review(
        REPOSITORY, pull.number, "CHANGES_REQUESTED", "Keep it.", on=on, side="LEFT"
    )
    await bot.idle()

    (said,) = bot.github.says(REPOSITORY, pull.number)
    assert "this one takes back a merged task" in said
    assert "close it and add the change you want as a new task" in said
    assert len(bot.prompts) == 2
