"""How much is asked of GitHub: its limits are shared by all repositories of an installation."""

from __future__ import annotations

from tests.scenarios.bot import Bot
from tests.scenarios.projects import ADD, CALC, on

MOST = 25
"""Requests of a run of one task, from the comment to its last word; GitHub allows 5,000 an hour."""

ONE_TASK = {**CALC, "ROADMAP.md": b"- [ ] 1.1 Add `calc/add.py` and `tests/test_add.py`\n"}


@on(ONE_TASK)
async def test_a_run_of_one_task_asks_little_of_github(bot: Bot) -> None:
    """From the command to the pull request and the last word it takes at most 25 requests."""
    bot.model.says(ADD)
    before = len(bot.github.requests)

    await bot.comment("/execute")

    (said,) = bot.says()
    assert "is done" in said
    asked = [f"{each.method} {each.path}" for each in bot.github.requests[before:]]
    assert len(asked) <= MOST, "\n".join(asked)


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
