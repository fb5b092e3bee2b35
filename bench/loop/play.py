"""Many runs: every task, strategy and seed of some (p, x), on the same draws."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bench.loop.corpus import Task
from bench.loop.environment import BenchEnvironment
from bench.loop.ideal import Ideal, ideal
from bench.loop.naming import Character
from bench.loop.runs import Result, run
from runner.loop.driver import Node
from runner.nodes import NODES

AT_ONCE = 2
CELLS = (
    (0.1, 0.3), (0.1, 0.6), (0.3, 0.3), (0.3, 0.6), (0.3, 0.9), (0.5, 0.3), (0.5, 0.6), (0.5, 0.9),
    (0.7, 0.3), (0.7, 0.6), (0.9, 0.6),
)  # fmt: skip
"""The (p, x) of the table of the theory."""


@dataclass(frozen=True, slots=True)
class Played:
    """A run, and what an ideal loop makes of the same draws."""

    result: Result
    ideal: Ideal


async def play(
    environment: BenchEnvironment,
    tasks: Sequence[Task],
    *,
    cell: tuple[float, float],
    strategies: Iterable[str],
    seeds: Iterable[int],
    nodes: Mapping[str, Node] = NODES,
) -> dict[str, list[Played]]:
    """Return the runs of one cell by strategy."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(task: Task, strategy: str, seed: int) -> Played:
        who = Character(*cell, seed)
        async with turns:
            result = await run(environment, task, strategy, who, nodes)
        return Played(result, ideal(environment.minds, who, task, strategy))

    chosen = [(strategy, seed) for strategy in strategies for seed in seeds]
    asked = [(task, *each) for each in chosen for task in tasks]
    found = await asyncio.gather(*(one(*each) for each in asked))
    played: dict[str, list[Played]] = {}
    for each in found:
        played.setdefault(each.result.strategy, []).append(each)
    return played


@dataclass(frozen=True, slots=True)
class Truth:
    """One call as the fault model knows it: its kind, what was answered, and to which fault."""

    kind: str
    truth: str
    fault: str
    of: str
    blind: bool


def truths(environment: BenchEnvironment) -> dict[str, list[Truth]]:
    """Read the fault model's log, by the model's name."""
    found: dict[str, list[Truth]] = {}
    for line in environment.truth.read_text(encoding="utf-8").splitlines():
        data = json.loads(line)
        each = Truth(
            kind=data["kind"],
            truth=data.get("truth", ""),
            fault=data.get("fault", ""),
            of=data.get("of", ""),
            blind=data.get("blind", False),
        )
        found.setdefault(data["model"], []).append(each)
    return found


def repairs_by_fault(
    results: Iterable[Result], known: dict[str, list[Truth]]
) -> dict[str, tuple[int, int]]:
    """How many repairs were asked for of each fault, and how many were answered rightly."""
    asked: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for result in results:
        for call in known.get(result.model, []):
            if call.kind == "repair":
                asked[call.of or "none"] += 1
                right[call.of or "none"] += call.truth in ("right", "harmless")
    return {fault: (asked[fault], right[fault]) for fault in sorted(asked)}


def unlike(played: Iterable[Played], known: dict[str, list[Truth]]) -> list[str]:
    """Name the runs that ended worse than the ideal loop's, with what was answered in each."""
    found = []
    for each in played:
        result, best = each.result, each.ideal
        if result.finished or best.end != "finished":
            continue
        calls = known.get(result.model, [])
        text = ", ".join(f"{c.kind} {c.truth} {c.fault}".strip() for c in calls)
        end = "claimed, wrong" if result.claimed else f"failed ({result.why})"
        found.append(f"{result.task.name} seed {result.who.seed}: {end}: {text}")
    return found
