"""GitHub fails at each call of a run, before the effect and after it; in the end there is one."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from tests.marks import MORE
from tests.scenarios.bot import Bot
from tests.scenarios.endings import ANSWER, ONE_NOTE, check_finished, check_paused

ASKING = [
    ("GET", "/app/installations/*"),
    ("POST", "*/access_tokens"),
    ("GET", "*/permission"),
    ("POST", "*/reactions"),
    ("GET", "*/contents/*"),
    ("GET", "*/git/trees/HEAD"),
    ("GET", "*/issues/*/comments"),
    ("POST", "*/issues/*/comments"),
    ("GET", "*/issues/comments/*"),
    ("GET", "*/pulls"),
    ("GET", "*/git/ref/heads/main"),
    ("GET", "*.git/info/refs"),
    ("POST", "*.git/git-upload-pack"),
    ("GET", "*/git/ref/heads/cairn/*"),
]
PUBLISHING = [
    ("POST", "*/git/trees"),
    ("POST", "*/git/commits"),
    ("POST", "*/git/refs"),
    ("POST", "*/pulls"),
]
TELLING = [
    ("PATCH", "*/issues/comments/*"),
    ("POST", "*/requested_reviewers"),
    ("POST", "*/check-runs"),
]
EVERY = [*ASKING, *PUBLISHING, *TELLING]
TRIES = 4  # of the client, for calls that may be repeated

# the runs that heal make the same calls as those that are told and resumed
FORTY = pytest.mark.sample(0, "a run for each of forty faults")
before_and_after = pytest.mark.parametrize("after", [False, True], ids=["before", "after"])


@ONE_NOTE
async def test_a_happy_run_makes_these_calls(bot: Bot) -> None:
    """The tables of calls above are complete, and name no call that is not made."""
    bot.model.says(ANSWER)
    before = len(bot.github.requests)  # the start looks for missed deliveries

    await bot.comment("/execute")

    check_finished(bot)
    seen = {_row(request.method, request.path) for request in bot.github.requests[before:]}
    assert seen == set(EVERY)


def _row(method: str, path: str) -> tuple[str, str] | str:
    rows = (row for row in EVERY if row[0] == method and fnmatchcase(path, row[1]))
    return next(rows, f"{method} {path}")


@FORTY
@ONE_NOTE
@before_and_after
@pytest.mark.parametrize(("method", "path"), EVERY)
async def test_a_failing_call_heals_by_itself(
    bot: Bot, method: str, path: str, after: bool
) -> None:
    """Whichever call fails, the run ends as if nothing had been when GitHub is back."""
    fault = bot.github.fail(method, path, times=TRIES, after=after)
    bot.model.says(ANSWER)

    await bot.comment("/execute")

    assert fault.hits
    for _ in range(TRIES):
        await bot.later(minutes=10)
    check_finished(bot)


@pytest.mark.sample(1, "a run for each call that may fail")
@ONE_NOTE
@before_and_after
@pytest.mark.parametrize(("method", "path"), PUBLISHING)
async def test_a_failed_publication_is_told_and_resumed(
    bot: Bot, method: str, path: str, after: bool
) -> None:
    """A run that cannot publish says so, blames no task, and finishes when it is resumed."""
    fault = bot.github.fail(method, path, times=TRIES, after=after)
    bot.model.says(ANSWER)
    await bot.comment("/execute")

    check_paused(bot, "GitHub does not answer as it should")
    assert after or bot.pulls == []
    fault.times = 0
    await bot.comment("/execute resume")

    check_finished(bot)


@ONE_NOTE
async def test_a_dropped_connection_is_an_outage_too(bot: Bot) -> None:
    """A pull request whose answer was lost with the connection is found, not opened twice."""
    bot.github.fail("POST", "*/pulls", drop=True, after=True)
    bot.model.says(ANSWER)
    await bot.comment("/execute")

    await bot.later(minutes=10)

    check_finished(bot)


@ONE_NOTE
async def test_a_limit_of_github_pauses_until_its_reset(bot: Bot) -> None:
    """A primary limit with a reset far away pauses the run until that time."""
    bot.github.rate_limit("primary", "POST", "*/git/commits")
    bot.model.says(ANSWER)
    await bot.comment("/execute")

    await bot.later(minutes=61)

    check_finished(bot)


@MORE
@ONE_NOTE
async def test_the_last_word_is_said_later(bot: Bot) -> None:
    """When GitHub does not even take the edit, a run that is done says so when it does again."""
    fault = bot.github.fail("PATCH", "*/issues/comments/*", times=1000)
    bot.model.says(ANSWER)
    await bot.comment("/execute")
    assert "is running" in bot.says()[0]

    fault.times = 0
    await bot.later(minutes=10)

    check_finished(bot)


@MORE
@ONE_NOTE
async def test_a_pause_nobody_could_be_told_of_is_told_later(bot: Bot) -> None:
    """A run that stays paused says so as soon as GitHub takes the edit."""
    refused = bot.github.fail("POST", "*/git/commits", times=1000)
    untold = bot.github.fail("PATCH", "*/issues/comments/*", times=1000)
    bot.model.says(ANSWER)
    await bot.comment("/execute")

    untold.times = 0
    await bot.later(minutes=3)

    check_paused(bot, "GitHub does not answer as it should")
    assert refused.hits == 2
