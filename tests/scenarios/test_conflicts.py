"""A real conflict in code: the task is worked on once more, on the newest base; else people act."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fake_github.state import Issue
from tests.model_server import Held
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import note, notes
from tests.scenarios.stacks import (
    LINES,
    body,
    changed_lines,
    merge,
    merged_by_hand,
    place_check,
    ticks,
    unread_comments,
)

MINE, THEIRS, BOTH = "Their note.\n", "Their better note.\n", "Their note.\n\nA note."
AGAIN = note("one.md", BOTH)


@pytest.fixture
def files() -> Mapping[str, object]:
    """Three notes to write."""
    return notes(LINES)


async def reviewed(bot: Bot, tasks: int = 1) -> list[Issue]:
    """Some of the tasks as open pull requests."""
    bot.model.says(*(note(f"{word}.md") for word in ("one", "two", "six")[:tasks]))
    await bot.comment(f"/execute --max-tasks {tasks}")
    bot.says()
    return bot.pulls


async def write_on_main(bot: Bot, text: str = MINE, path: str = "one.md") -> None:
    """A person writes the file of a task on the default branch."""
    await bot.github.push(REPOSITORY, {path: text.encode()})
    await bot.idle()


def parents(bot: Bot, pull: Issue) -> list[str]:
    """The commits that the head of a pull request builds on."""
    return bot.view.state.bare.text("rev-parse", f"{pull.pull.sha}^@").split()


def is_mergeable(bot: Bot, pull: Issue) -> bool:
    """Whether GitHub can merge it."""
    return bool(bot.github.pull_body(REPOSITORY, pull.number)["mergeable"])


async def test_the_task_is_done_again_on_the_newest_base(bot: Bot) -> None:
    """One call, one commit on top of both, told in the pull request; then it can be merged."""
    (pull,) = await reviewed(bot)
    before = pull.pull.sha
    bot.model.says(AGAIN)

    await write_on_main(bot)

    assert parents(bot, pull) == [before, bot.view.branches["main"]]
    assert is_mergeable(bot, pull)
    assert bot.changed(pull) == {"one.md": BOTH.encode() + b"\n"}
    assert len(bot.model.requests) == 2
    prompt = bot.prompts[-1]
    assert "Their note." in prompt
    assert "> +A note." in prompt
    assert "keep their" in prompt
    comment = unread_comments(bot, pull)
    assert f"Cairn worked on the task again: {pull.pull.sha}" in comment
    assert "attempt 1 of 3" in comment
    assert f"because of a conflict with `main`: {pull.pull.sha}" in body(pull)
    assert "needs you" not in body(pull)
    assert "working on the task once more" not in body(pull)

    await merge(bot, pull)

    assert bot.view.state.bare.text("show", "main:one.md") == BOTH
    assert ticks(bot) == "x  "


async def test_while_it_is_worked_on_the_pull_request_says_so(bot: Bot) -> None:
    """Why, which files, and what to type instead."""
    (pull,) = await reviewed(bot)
    held = Held(AGAIN)
    bot.model.says(held)
    await bot.github.push(REPOSITORY, {"one.md": MINE.encode()})
    await held.asked.wait()

    assert "`main` and this branch both changed `one.md`, so Cairn is working on" in body(pull)
    assert "git merge origin/main" in body(pull)
    assert "needs you" not in body(pull)

    held.go.set()
    await bot.idle()
    unread_comments(bot, pull)
    assert is_mergeable(bot, pull)


async def test_an_attempt_in_vain_is_not_made_again(bot: Bot) -> None:
    """People are told what to do; only another change of the same file is worth another attempt."""
    (pull,) = await reviewed(bot)
    before = pull.pull.sha
    bot.model.says(*[note("two.md", f"Elsewhere {n}.") for n in range(5)])

    await write_on_main(bot)

    assert pull.pull.sha == before
    assert "**This pull request needs you before it can be merged.**" in body(pull)
    assert "tried the task again, but that did not resolve the conflict" in body(pull)
    assert "git merge origin/main" in body(pull)
    assert "**Nothing was pushed:**" in unread_comments(bot, pull)
    asked = len(bot.model.requests)

    await write_on_main(bot, "Elsewhere.\n", "more.md")
    assert len(bot.model.requests) == asked
    assert unread_comments(bot, pull) == ""
    assert "needs you" in body(pull)

    bot.model.says(AGAIN)
    await write_on_main(bot, THEIRS)
    assert is_mergeable(bot, pull)
    assert "attempt 2 of 3" in unread_comments(bot, pull)
    assert "needs you" not in body(pull)


async def test_what_a_person_pushed_to_is_left_to_people(bot: Bot) -> None:
    """No model is asked, and the branch stays as they left it."""
    (pull,) = await reviewed(bot)
    await bot.github.push(REPOSITORY, {"mine.md": b"Mine.\n"}, branch=pull.pull.head)
    await bot.idle()
    before, asked = pull.pull.sha, len(bot.model.requests)

    await write_on_main(bot)

    assert (pull.pull.sha, len(bot.model.requests)) == (before, asked)
    assert "needs you before it can be merged" in body(pull)


@pytest.mark.nightly("test_a_closed_change_is_taken_out_of_those_above")
async def test_a_closed_one_below_is_taken_out_by_a_new_attempt(bot: Bot) -> None:
    """Its commits must not stay: the branch becomes one commit, and what is above follows."""
    one, two, six = await reviewed(bot, 3)
    bot.model.says(note("two.md", "Their note.\n\nA note."))
    await write_on_main(bot, path="two.md")  # this one is not next to the default branch yet
    assert len(bot.model.requests) == 3

    await bot.github.close(REPOSITORY, one.number)
    await bot.idle()

    main = bot.view.branches["main"]
    assert parents(bot, two) == [main]
    assert parents(bot, six) == [two.pull.sha]
    assert is_mergeable(bot, two)
    assert len(bot.model.requests) == 4
    assert changed_lines(bot, six)[-1] == "+A note."
    assert "rebuilt as one commit" in unread_comments(bot, six)
    comments = unread_comments(bot, two)
    why = "Because this branch and its base both changed `two.md`, Cairn is working on the task"
    assert f"{why} once more" in comments
    assert f"Cairn worked on the task again: {two.pull.sha}" in comments
    await merge(bot, two)
    await merge(bot, six)
    assert ticks(bot) == " xx"


@pytest.mark.sample(1, "a conversation for each case")
@pytest.mark.parametrize("why", ["off", "skipped"])
async def test_people_can_forbid_it(bot: Bot, why: str) -> None:
    """Then they are told what to type, as long as the conflict is there."""
    (pull,) = await reviewed(bot)
    if why == "off":
        config = b"pull_requests:\n  revisions: 0\n"
        await bot.github.push(REPOSITORY, {".github/cairn.yml": config})
    else:
        await bot.comment("/execute skip 1.1")
        bot.says()
    before = pull.pull.sha

    await write_on_main(bot)

    assert (pull.pull.sha, len(bot.model.requests)) == (before, 1)
    assert "needs you before it can be merged" in body(pull)


async def test_whoever_resolves_it_is_not_needed_any_more(bot: Bot) -> None:
    """The description and the check of the stack say so as soon as their push is read."""
    (pull,) = await reviewed(bot)
    await bot.github.push(REPOSITORY, {"mine.md": b"Mine.\n"}, branch=pull.pull.head)
    await bot.idle()
    await write_on_main(bot)
    assert "needs you before it can be merged" in body(pull)

    await merged_by_hand(bot, pull, {"one.md": BOTH.encode()})

    assert is_mergeable(bot, pull)
    assert "needs you" not in body(pull)
    assert place_check(bot, pull) == "success"


@pytest.mark.nightly("test_whoever_resolves_it_is_not_needed_any_more")
async def test_a_conflict_that_the_base_takes_back_is_over(bot: Bot) -> None:
    """Nobody has to do anything then."""
    (pull,) = await reviewed(bot)
    await bot.github.push(REPOSITORY, {"mine.md": b"Mine.\n"}, branch=pull.pull.head)
    await write_on_main(bot)
    assert "needs you" in body(pull)
    assert place_check(bot, pull) == "failure"

    await bot.github.push(REPOSITORY, {"one.md": None})
    await bot.idle()

    assert "needs you" not in body(pull)
    assert place_check(bot, pull) == "success"
