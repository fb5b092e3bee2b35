"""Ten tasks, and people who merge, close, push, review, revise, add and delete at will.

``make chaos`` plays 300 events (``ARGS``, ``CHAOS_SEED`` and ``CHAOS_EVENTS`` choose others). With
an odd seed, runs work on three tasks at the same time.

After each event:

- Every open pull request shows its own change and nothing else, or says why not. What is next to
  the default branch can be merged, or says what people have to do, unless a person wrote the same
  file there by hand, or opened it again after the same file was merged for a task that says the
  same in other words: that is a conflict for people, as GitHub shows.
- No commit that a person pushed to our branches is forced away.
- The default branch has every file that people pushed there and did not remove. Its roadmap is byte
  for byte what people wrote, but for ticks.
- What people removed, reworded or forced away does not come back.
- A task is ticked on the default branch only if its work is there; a task whose pull request was
  merged there is ticked, or Cairn said why not.
- No task has two open pull requests (but for one that a person opened again), and none that is done
  gets another one.
- The model is asked once for each pull request and each revision, and for nothing else.

After every fifth event, the tasks that Cairn says are to be done are those that GitHub shows to be
so. Several times the server is killed in the middle of its work (``kill -9``) and started again. In
the end all that is open is merged, no secret was written anywhere, and all that was left behind
agrees.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.scenarios.bot import Bot, conversation
from tests.scenarios.crowd import ROADMAP, Crowd, Writer
from tests.scenarios.left_behind import leaks
from tests.scenarios.projects import notes

EVENTS = int(os.environ.get("CHAOS_EVENTS", "20"))
SEEDS = [int(seed) for seed in os.environ.get("CHAOS_SEED", "2 3").split()]
BETWEEN_KILLS = max(10, EVENTS // 5)
"""Events between two kills of the server."""


async def listed(bot: Bot) -> set[str]:
    """The ids of the tasks that Cairn says are to be done."""
    await bot.comment("/execute --dry-run")
    said = bot.says()[-1]
    return set(re.findall(r"\[DRY RUN\] \d+\. (\d+\.\d+):", said))


async def honest(bot: Bot, crowd: Crowd) -> None:
    """What Cairn says is open is what GitHub shows to be open."""
    said = await listed(bot)
    assert said == {line.id for line in crowd.waiting()}


async def play(bot: Bot, crowd: Crowd, events: int) -> None:
    """Let so many things happen to a server that runs."""
    for number in range(events):
        await crowd.act()
        crowd.check()
        if number % 5 == 4:
            await honest(bot, crowd)


async def story(bot: Bot, crowd: Crowd) -> None:
    """Ten tasks, all events with a kill in between, and the end."""
    async with bot.started():
        await bot.comment("/execute --max-tasks 10")
        crowd.check()
        await play(bot, crowd, min(BETWEEN_KILLS, EVENTS))
    for start in range(BETWEEN_KILLS, EVENTS, BETWEEN_KILLS):
        await crowd.work_and_be_killed()
        async with bot.started():
            await bot.idle()
            crowd.check()
            await play(bot, crowd, min(BETWEEN_KILLS, EVENTS - start))
    async with bot.started():
        await crowd.merge_rest()
        await honest(bot, crowd)


@pytest.mark.long("a minute of people who do what they like")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", SEEDS)
async def test_whatever_people_do(
    tmp_path: Path, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Every promise above holds after each event, and in the end."""
    beside = 3 if seed % 2 else 1
    config = f"limits: {{parallel: {beside}}}\n".encode()
    async with conversation(tmp_path, notes(ROADMAP, **{".github/cairn.yml": config})) as bot:
        bot.model.otherwise = writer = Writer()
        crowd = Crowd(bot, writer, seed, beside=beside)
        try:
            await story(bot, crowd)
            bot.check()
            assert leaks(bot, log=caplog.text) == []
        except AssertionError as error:
            raise AssertionError(f"{error}\n{crowd.picture()}") from error
