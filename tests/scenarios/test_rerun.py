"""The head of a pull request is verified again: somebody clicked *Re-run*, or pushed to it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fake_github.state import Issue
from tests.marks import MORE
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import ADD, CALC, DOUBLE, on

BROKEN = {"calc/add.py": b"def add(a, b):\n    return a - b\n"}
RIGHT = {"calc/add.py": b"def add(a, b):\n    return b + a\n"}


async def checkpoint(bot: Bot) -> Issue:
    """The first task as an open pull request, its comment read."""
    bot.model.says(ADD)
    await bot.comment("/execute --max-tasks 1")
    bot.says()
    return bot.pulls[0]


def check(bot: Bot, pull: Issue) -> Any:
    """The newest check on the head of a pull request that says how far it is verified."""
    return [each for each in trust(bot) if each["head_sha"] == pull.pull.sha][-1]


def trust(bot: Bot) -> list[Any]:
    """Every check that says how far something is verified."""
    return [each for each in bot.view.checks if each["name"] == "cairn/trust"]


def for_people(found: Any) -> list[str]:
    """What a check says, without the time that it took."""
    return [found["output"]["title"], found["output"]["summary"]]


async def rerun(bot: Bot, number: int, *, by: str = "writer") -> None:
    """Click *Re-run*, and wait."""
    await bot.github.rerun(REPOSITORY, number, by=by)
    await bot.idle()


@on(CALC)
async def test_rerun_verifies_the_head_again(bot: Bot) -> None:
    """The same tree says the same; no model is asked, and nobody gets a comment."""
    pull = await checkpoint(bot)
    before = dict(check(bot, pull))
    assert before["conclusion"] == "success"
    asked = len(bot.github.requests)

    await rerun(bot, before["id"])

    after = check(bot, pull)
    assert (after["status"], after["conclusion"]) == ("completed", "success")
    assert for_people(after) == for_people(before)
    written = [r for r in bot.github.requests[asked:] if r.method in ("POST", "PATCH")]
    shown = [r.method for r in written if "/check-runs" in r.path]
    assert shown == ["POST", "PATCH"]  # it begins, and it ends
    assert bot.github.says(REPOSITORY, pull.number) == []
    assert len(bot.prompts) == 1


@MORE
@on(CALC)
async def test_all_checks_at_once(bot: Bot) -> None:
    """*Re-run all checks* verifies the head again, once; for readers nothing happens."""
    pull = await checkpoint(bot)
    (before,) = trust(bot)

    await bot.github.rerun_all(REPOSITORY, before["id"], by="reader")
    await bot.idle()
    assert len(trust(bot)) == 1
    await bot.github.rerun_all(REPOSITORY, before["id"], by="writer")
    await bot.idle()

    assert [each["conclusion"] for each in trust(bot)] == ["success", "success"]
    assert for_people(check(bot, pull)) == for_people(before)
    assert bot.github.says(REPOSITORY, pull.number) == []


@on(CALC)
async def test_what_somebody_pushed_is_verified(bot: Bot) -> None:
    """A push that breaks the task makes the check red, and it says which test fails."""
    pull = await checkpoint(bot)

    await bot.github.push(REPOSITORY, BROKEN, branch=pull.pull.head)
    await bot.idle()

    found = check(bot, pull)
    assert found["head_sha"] == pull.pull.sha
    assert found["conclusion"] == "failure"
    summary = found["output"]["summary"]
    assert summary.startswith("**Not verified:** tests fail because of the change")
    assert "test_add" in summary
    (note,) = found["annotations"]
    assert (note["path"], note["annotation_level"]) == ("tests/test_add.py", "failure")
    assert "test_add" in note["message"]
    assert bot.view.file(pull.pull.sha, "calc/add.py") == BROKEN["calc/add.py"]
    assert len(bot.prompts) == 1
    await bot.github.push(REPOSITORY, RIGHT, branch=pull.pull.head)
    await bot.idle()
    assert check(bot, pull)["conclusion"] == "success"


@pytest.mark.nightly("test_who_may_not_starts_nothing_by_any_entry")
@on(CALC)
async def test_who_may_not_write_starts_nothing(bot: Bot) -> None:
    """Nor does a check that is not on an open pull request of ours."""
    pull = await checkpoint(bot)
    number = check(bot, pull)["id"]

    await rerun(bot, number, by="reader")
    await bot.github.close(REPOSITORY, pull.number)
    await rerun(bot, number)

    assert check(bot, pull)["conclusion"] == "success"
    assert len(trust(bot)) == 1


@MORE
@on(CALC)
async def test_a_pull_request_higher_up_is_compared_with_the_one_below(bot: Bot) -> None:
    """Its change is what it adds to that, so the result stays the same."""
    bot.model.says(ADD, DOUBLE)
    await bot.comment("/execute")
    bot.says()
    upper = bot.pulls[1]
    before = dict(check(bot, upper))

    await rerun(bot, before["id"])

    assert for_people(check(bot, upper)) == for_people(before)
    assert check(bot, upper)["conclusion"] == "success"
