"""Ten tasks, and people who merge, close, push, review, revise, add and delete at will.

``make chaos`` plays 300 events (``ARGS``, ``CHAOS_SEED`` and ``CHAOS_EVENTS`` choose others).
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.scenarios.bot import Bot, conversation
from tests.scenarios.crowd import ROADMAP, Crowd, Writer
from tests.scenarios.projects import notes

EVENTS = int(os.environ.get("CHAOS_EVENTS", "40"))
SEEDS = [int(seed) for seed in os.environ.get("CHAOS_SEED", "2").split()]


async def listed(bot: Bot) -> set[str]:
    """The ids of the tasks that Cairn says are to be done."""
    await bot.comment("/execute --dry-run")
    said = bot.says()[-1]
    return set(re.findall(r"\[DRY RUN\] \d+\. (\d+\.\d+):", said))


async def honest(bot: Bot, crowd: Crowd) -> None:
    """What Cairn says is open is what GitHub shows to be open."""
    said = await listed(bot)
    assert said == {line.id for line in crowd.waiting()}


@pytest.mark.long("a minute of people who do what they like")
@pytest.mark.parametrize("seed", SEEDS)
async def test_whatever_people_do(tmp_path: Path, seed: int) -> None:
    """Every promise holds after each event, and in the end every task is in an honest state."""
    async with conversation(tmp_path, notes(ROADMAP)) as bot, bot.started():
        bot.model.otherwise = writer = Writer()
        crowd = Crowd(bot, writer, seed)
        try:
            await bot.comment("/execute --max-tasks 10")
            crowd.check()
            for number in range(EVENTS):
                await crowd.act()
                crowd.check()
                if number % 5 == 4:
                    await honest(bot, crowd)
            await crowd.merge_rest()
            await honest(bot, crowd)
            bot.check()
        except AssertionError as error:
            raise AssertionError(f"{error}\n{crowd.picture()}") from error
