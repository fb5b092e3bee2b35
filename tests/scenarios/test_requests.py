"""How much is asked of GitHub: its limits are shared by all repositories of an installation."""

from __future__ import annotations

import pytest

from tests.marks import MORE
from tests.scenarios.bot import REPOSITORY, Bot
from tests.scenarios.projects import ADD, CALC, note, notes, on

MOST = 26
"""Requests of a run of one task, from the comment to its last word; GitHub allows 5,000 an hour."""

ONE_TASK = {**CALC, "ROADMAP.md": b"- [ ] 1.1 Add `calc/add.py` and `tests/test_add.py`\n"}


@on(ONE_TASK)
async def test_a_run_of_one_task_asks_little_of_github(bot: Bot) -> None:
    """From the command to the pull request and the last word it takes at most 26 requests."""
    bot.model.says(ADD)
    before = len(bot.github.requests)

    await bot.comment("/execute")

    (said,) = bot.says()
    assert "is done" in said
    asked = [f"{each.method} {each.path}" for each in bot.github.requests[before:]]
    assert len(asked) <= MOST, "\n".join(asked)


@MORE
@on(ONE_TASK)
async def test_the_configuration_is_read_once_for_a_command(bot: Bot) -> None:
    """Whoever needs it while a command is worked takes what was read for the first of them."""
    bot.model.says(ADD)

    await bot.comment("/execute")

    bot.says()
    assert len(bot.calls("GET", "/contents/.github/cairn.yml")) == 1


@on(ONE_TASK)
async def test_the_next_command_reads_the_configuration_anew(bot: Bot) -> None:
    """What was changed between two comments counts for the second."""
    await bot.comment("/execute status")
    await bot.comment("/execute status")

    assert len(bot.says()) == 2
    assert len(bot.calls("GET", "/contents/.github/cairn.yml")) == 2


MOST_OF_A_MERGE = 24
"""Requests to the API after a merge in a stack of six.

Its two events are worked side by side, and each of them reads the configuration and the roadmap.
"""

WORDS = ("one", "two", "six", "ten", "elf", "owl")
SIX = "".join(f"- [ ] 1.{number} Write `{word}.md`\n" for number, word in enumerate(WORDS, 1))


@pytest.mark.sample(0, "a run for each kind of merge")
@on(notes(SIX, **{".github/cairn.yml": b"limits: {open_pull_requests: 6}\n"}))
@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
async def test_a_merge_in_a_stack_of_six_asks_little_of_github(bot: Bot, method: str) -> None:
    """It takes one commit at most, no verification of known files, and few requests."""
    bot.model.says(*(note(f"{word}.md") for word in WORDS))
    await bot.comment("/execute")
    bot.says()
    assert len(bot.pulls) == 6
    before, checks = len(bot.github.requests), len(bot.view.checks)

    await bot.github.merge_pull(REPOSITORY, bot.pulls[0].number, method=method)
    await bot.idle()

    bot.github.says(REPOSITORY, bot.pulls[1].number)
    all_of_them = [f"{each.method} {each.path}" for each in bot.github.requests[before:]]
    asked = [each for each in all_of_them if ".git/" not in each and "access_tokens" not in each]
    assert len(asked) <= MOST_OF_A_MERGE, "\n".join(asked)
    assert sum("/git/commits" in each for each in asked) <= 1
    made = [check["name"] for check in bot.view.checks[checks:]]
    assert sorted(made) == ([] if method == "merge" else ["cairn/stack", "cairn/trust"])
