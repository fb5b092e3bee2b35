"""GitHub lets Cairn do less than usual: a locked conversation, rules against its branches."""

from __future__ import annotations

import pytest

from tests.fake_github import Fault
from tests.model_server import Held
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.endings import ANSWER, ONE_NOTE, check_finished, check_paused
from tests.scenarios.projects import notes, on
from tests.scenarios.stacks import LINES, body, check_own, merge, stacked, unread_comments

RULED = (
    "Repository rule violations found\n\nCannot create ref due to creations being restricted.\n\n"
)


UNEXPLAINED = "Reference update failed"
"""What GitHub says of a rule instead, at times (github/rest-api-description, issue 4887)."""


def ruled(bot: Bot, method: str, path: str, message: str = RULED) -> Fault:
    """Let a ruleset forbid something until the fault is given no more times."""
    return bot.github.fail(method, path, status=422, times=999, body={"message": message})


@ONE_NOTE
async def test_a_locked_conversation_stops_no_run(bot: Bot) -> None:
    """GitHub takes no comment: the work is done all the same, and told after the lock."""
    await bot.github.lock(REPOSITORY, bot.issue.number)
    bot.model.says(ANSWER)

    await bot.comment("/execute")

    assert bot.says() == []
    assert bot.checkpoints() == ["1.1 Write one.md"]

    await bot.github.lock(REPOSITORY, bot.issue.number, locked=False)
    await bot.idle()

    check_finished(bot)
    assert len(bot.prompts) == 1
    await bot.github.lock(REPOSITORY, bot.issue.number, locked=False)
    await bot.idle()
    assert bot.says() == []


@ONE_NOTE
async def test_a_lock_that_ends_before_the_run_is_made_up_for(bot: Bot) -> None:
    """The comment is made as soon as there is something to say and GitHub takes it."""
    await bot.github.lock(REPOSITORY, bot.issue.number)
    answer = Held(ANSWER)
    bot.model.says(answer)
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute", by="writer")
    await answer.asked.wait()
    await bot.github.lock(REPOSITORY, bot.issue.number, locked=False)
    answer.go.set()
    await bot.idle()

    check_finished(bot)


@ONE_NOTE
@pytest.mark.parametrize("how", ["time", "resume"])
async def test_a_ruleset_against_our_branches_pauses_the_run(bot: Bot, how: str) -> None:
    """It says what to do, blames no task, and goes on without a second answer of the model."""
    rule = ruled(bot, "POST", "*/git/refs")
    bot.model.says(ANSWER)
    await bot.comment("/execute")

    said = check_paused(bot, "creations being restricted")
    assert "bypass list" in said
    assert "`cairn/**`" in said
    assert bot.pulls == []

    await bot.later(minutes=16)
    assert bot.pulls == []
    bot.says()
    rule.times = 0
    if how == "time":
        await bot.later(minutes=16)
    else:
        await bot.comment("/execute resume")

    check_finished(bot)
    assert len(bot.prompts) == 1


@ONE_NOTE
async def test_a_rule_that_github_does_not_explain_is_one(bot: Bot) -> None:
    """GitHub says only that it did not update the reference: the run waits as for other rules."""
    rule = ruled(bot, "POST", "*/git/refs", UNEXPLAINED)
    bot.model.says(ANSWER)
    await bot.comment("/execute")

    said = check_paused(bot, UNEXPLAINED)
    assert "bypass list" in said
    assert "a branch called `cairn`" in said

    rule.times = 0
    await bot.comment("/execute resume")
    check_finished(bot)
    assert len(bot.prompts) == 1


@ONE_NOTE
async def test_rules_about_a_file_are_about_its_task(bot: Bot) -> None:
    """No rule is waited for that concerns only what one task changes."""
    message = "Repository rule violations found\n\nFile path is restricted: one.md\n\n"
    bot.github.fail("POST", "*/git/refs", status=422, times=999, body={"message": message})
    bot.model.says(ANSWER)
    bot.model.otherwise = lambda asked: "No idea."

    await bot.comment("/execute")

    said = "\n".join(bot.says() + bot.proposes())
    assert "is paused" not in said
    assert "File path is restricted" in said


@on(notes(LINES))
async def test_a_rule_keeps_no_event_waiting(bot: Bot) -> None:
    """What cannot be brought up to date says so; the next event brings it up to date."""
    one, two, _ = await stacked(bot)
    errors = [{"type": "UNPROCESSABLE", "message": RULED}]
    rule = bot.github.fail("POST", "*/graphql", status=200, body={"data": None, "errors": errors})

    await merge(bot, one, "squash")

    assert rule.hits == 1
    if "Cairn could not bring this pull request up to date" in body(two):
        assert "bypass list" in body(two)
    else:  # two events tell of a merge, in lines of their own: the second was worked after this
        check_own(bot, two, 2)
    await bot.github.push(REPOSITORY, {"more.md": b"More.\n"})
    await bot.idle()
    check_own(bot, two, 2)
    assert "bypass list" not in body(two)
    unread_comments(bot, two)


SIGNED = "Repository rule violations found\n\nCommits must have verified signatures.\n\n"


@ONE_NOTE
async def test_a_rule_that_wants_signed_commits(bot: Bot) -> None:
    """What GitHub signs of what an App makes over the API is said in one sentence."""
    rule = ruled(bot, "POST", "*/git/refs", SIGNED)
    bot.model.says(ANSWER)
    await bot.comment("/execute")

    said = check_paused(bot, "Commits must have verified signatures")
    assert "GitHub signs a commit that an App makes over the API only if" in said
    assert "bypass list" in said

    rule.times = 0
    await bot.comment("/execute resume")
    check_finished(bot)
