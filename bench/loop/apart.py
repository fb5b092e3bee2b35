"""Tasks whose tests nobody wrote: what a test that is asked for apart makes of them.

The tests that the repository would have of a task are taken away; those of the tasks before stand.
The fault model writes the test that is asked for: the task's own, one that expects something else,
or one that passes with any code. Whatever it is, right code must not be lost by it, and nothing
that is wrong may be called shown more often than the model's own mistakes allow.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bench.loop.answers import Minds
from bench.loop.apart_tests import quality
from bench.loop.corpus import Task
from bench.loop.environment import BenchEnvironment
from bench.loop.naming import Character
from bench.loop.play import AT_ONCE
from bench.loop.runs import Result, run
from bench.loop.stats import mean, share
from bench.loop.theory import POLICIES, Place

QUALITIES = ((0.0, 0.0), (0.1, 0.0), (0.3, 0.0), (0.5, 0.0), (0.0, 0.2), (0.3, 0.2))
"""Shares of tests apart that are wrong, and of those that pass with any code."""

_WITHIN = 0.02
_START = {"tests/test_start.py": "def test_start():\n    assert True\n"}
_PROGRAM = ("right", "harmless", "unseen", "wrong")


@dataclass(frozen=True, slots=True)
class _Played:
    result: Result
    right: bool
    claimed: bool
    """What an ideal loop reaches on the same draws."""


def untested(task: Task) -> Task:
    """The task without the tests that the repository has of it."""
    base = {path: text for path, text in task.base.items() if path != task.seen[0]}
    return replace(task, base={**base, **_START})


def ideal(minds: Minds, who: Character, task: Task) -> tuple[bool, bool]:
    """Whether an ideal loop commits right code, and whether it says so of wrong code.

    A fault of syntax is repaired as ever; a program is shown the test apart once where it fails.
    """
    number: Counter[str] = Counter()
    place, told, kind = Place(), False, quality(who, task)
    meant = minds.fresh(who, task, 0)
    while True:
        good = meant.truth in ("right", "harmless", "unseen")
        if meant.truth in _PROGRAM:
            if kind == "vacuous" or told or (kind == "right" and good):
                shown = kind == "right" and good
                return meant.truth in ("right", "harmless"), shown and meant.truth == "unseen"
            told, move = True, "repair"
        else:
            move = POLICIES["hybrid"]("syntax", place)
        if move == "stop":
            return False, False
        number[move] += 1
        if move == "repair":
            place = place.repaired(test=meant.truth in _PROGRAM)
            meant = minds.repair(who, task, number["repair"] - 1, meant)
        else:
            place = place.asked()
            meant = minds.fresh(who, task, number["fresh"])


async def play(
    environment: BenchEnvironment,
    tasks: Sequence[Task],
    cell: tuple[float, float],
    worth: tuple[float, float],
    seeds: Sequence[int],
) -> list[_Played]:
    """Play each task with each seed."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(task: Task, seed: int) -> _Played:
        who = Character(*cell, seed, wrong=worth[0], vacuous=worth[1])
        async with turns:
            result = await run(environment, untested(task), "hybrid", who)
        return _Played(result, *ideal(environment.minds, who, task))

    return await asyncio.gather(*(one(task, seed) for seed in seeds for task in tasks))


HEAD = (
    "| p | x | wrong tests | vacuous | runs | right code kept | ideal, same draws | shown | "
    "shown and wrong | ideal | calls |"
)


def line(
    cell: tuple[float, float], worth: tuple[float, float], played: Sequence[_Played]
) -> Iterator[str]:
    """One line of the table, and the runs that ended worse than the ideal ones."""
    count = len(played)
    kept = [each.result.right for each in played]
    claimed = [each.result.shown and not each.result.right for each in played]
    over = mean([[right - each.right] for right, each in zip(kept, played, strict=True)])
    said = share(sum(claimed), count)
    best = sum(each.claimed for each in played) / count
    ok = over.value >= -_WITHIN and said.low <= best
    yield (
        f"| {cell[0]:g} | {cell[1]:g} | {worth[0]:g} | {worth[1]:g} | {count} "
        f"| {sum(kept) / count:.1%} | {100 * over.value:+.1f} points "
        f"| {sum(each.result.shown for each in played) / count:.1%} | {said.value:.1%} "
        f"| {best:.1%} | {sum(each.result.calls for each in played) / count:.2f} "
        f"| {'ok' if ok else 'MISSED'}"
    )
    for each in played:
        if each.right and not each.result.right:
            who = each.result.who
            yield f"- {each.result.task.name} seed {who.seed}: {each.result.why or 'wrong code'}"
