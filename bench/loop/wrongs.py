"""Wrong programs for every task, each known to be caught by the visible tests."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from bench.loop.corpus import Task
from bench.loop.faults.program import PROGRAM, mutants
from bench.loop.judge import Judge

Program = tuple[str, str]
"""The fault's name and the code."""

UNSEEN = "unseen"
"""The fault of a task's slip, which only the tests held back find."""

MUTANTS = 4
_TRIED = 12
_AT_ONCE = 4


async def wrong_programs(judge: Judge, tasks: Sequence[Task]) -> dict[str, list[Program]]:
    """Return the programs by the task's name, the one that is not caught last."""
    turns = asyncio.Semaphore(_AT_ONCE)

    async def one(task: Task) -> list[Program]:
        async with turns:
            return [*await _caught(judge, task), (UNSEEN, task.slip)]

    found = await asyncio.gather(*(one(task) for task in tasks))
    return {task.name: programs for task, programs in zip(tasks, found, strict=True)}


async def _caught(judge: Judge, task: Task) -> list[Program]:
    found: list[Program] = []
    for name, code in _candidates(task):
        if name == "logic" and sum(known == "logic" for known, _ in found) == MUTANTS:
            continue
        tree = {**task.base, task.path: code}
        if name == "endless" or not await judge.passes(task, tree, kept=False):
            found.append((name, code))
    return found


def _candidates(task: Task) -> Iterator[Program]:
    for place, code in enumerate(dict.fromkeys(mutants(task))):
        if place < _TRIED:
            yield "logic", code
    for name, fault in PROGRAM.items():
        wrong = fault(task)
        if name != "logic" and wrong and wrong != task.right:
            yield name, wrong
