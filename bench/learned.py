"""Whether what Cairn learned helps: advice from attempts that were really played, and the memory.

``python -m bench learned [--attempts N] [--seed N] [--parts advice memory]``. The engine works on
the tasks of the loop bench with three fault models, one of which is often wrong. Its records are
analysed as on a server, the advised change is written into the configuration, and tasks with new
draws are played with the model before and after it.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.runs.lessons import UNASKED
from bench.finding import Finding, Line, Peer
from bench.loop.corpus import Task, roadmaps, tasks
from bench.loop.environment import BenchEnvironment, environment
from bench.loop.naming import Character
from bench.loop.runs import Result, run
from bench.loop.stats import share
from bench.loop.walks import Walk, walk
from runner.analysis.compare import CONFIDENCE
from runner.analysis.intervals import Counts, Interval, difference
from runner.analysis.recorded import analyse
from runner.config.editing import with_keys
from runner.config.model import parse_config
from runner.config.options import todays_settings
from runner.files.results import FileMemory
from runner.history.records import DAY, Execution
from runner.people.analysis_sentences import advice_lines

MODELS = {"oak-1": (0.2, 0.2), "elm-2": (0.7, 0.6), "yew-3": (0.5, 0.6)}
"""How likely a fresh answer and a repair of each are right; the first one has the flaw."""

CONFIG = b"# Ours.\nmodel: oak-1\nloop: hybrid\n"
_PARTS = ("advice", "memory")
_MOST_NOTES = 240
"""Tokens: 6 % of the 4,000 that a question may show if the model's window is not known."""

_LATER = 10_000
"""Added to the seed of tasks that are played after the history: other draws."""


async def measure(folder: Path, arguments: Sequence[str] = ()) -> AsyncIterator[Line | str]:
    """Play a history and what follows from it; roadmaps with and without a memory."""
    parser = argparse.ArgumentParser(prog="python -m bench learned")
    parser.add_argument("--attempts", type=int, default=300, help="of the history")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--parts", nargs="+", choices=_PARTS, default=_PARTS)
    chosen = parser.parse_args(list(arguments))
    async with environment(tasks("python")) as place:
        if "advice" in chosen.parts:
            async for line in _advice(place, chosen.attempts, chosen.seed):
                yield line
        if "memory" in chosen.parts:
            async for line in _memory(place, folder, chosen.seed):
                yield line


async def _advice(place: BenchEnvironment, attempts: int, seed: int) -> AsyncIterator[Line | str]:
    executions, results = await _history(place, attempts, seed)
    config = parse_config(CONFIG)
    found = analyse(executions, todays_settings(config), error=UNASKED)
    for name in MODELS:
        own = [result for result in results if result.who.run == name]
        value = share(sum(result.claimed for result in own), len(own))
        yield Finding(what=f"{len(own)} attempts with {name}", value=100 * value.value, unit="%")
    if not found.advice:
        yield "   nothing is advised: MISSED"
        return
    (one,) = found.advice[:1]
    content = with_keys(CONFIG, one.changes)
    after = parse_config(content).model.name if content else ""
    told = next(line for line in advice_lines(one) if " points (" in line)
    yield f"   advised: {told}"
    today = config.model.name or ""
    before, later = [await _played(place, name, seed) for name in (today, after or "")]
    ours, theirs = (sum(each.finished for each in played) for played in (later, before))
    yield Finding(
        what=f"tasks finished after the merge, with {after}",
        value=100 * ours / len(later),
        unit="%",
        peer=Peer(what=f"before, with {today}", value=100 * theirs / len(before)),
        goal="> before",
        ok=ours > theirs,
    )
    yield _as_advised(before, later, one.evidence[0].difference)


def _as_advised(before: Sequence[Result], later: Sequence[Result], advised: Interval) -> Finding:
    """The gain as the history would count it; the two intervals of 90 % should overlap."""
    done = tuple(sum(each.claimed for each in played) for played in (before, later))
    counts = Counts((done[0], done[1]), (len(before), len(later)))
    gained = difference([counts], CONFIDENCE)
    return Finding(
        what=f"gained ({100 * gained.low:.0f} to {100 * gained.high:.0f})",
        value=100 * gained.value,
        unit="points",
        peer=Peer(what="advised", value=100 * advised.value),
        goal="intervals overlap",
        ok=gained.low <= advised.high and advised.low <= gained.high,
    )


async def _history(
    place: BenchEnvironment, attempts: int, seed: int
) -> tuple[list[Execution], list[Result]]:
    """Attempts at random tasks with random models, and their records as the history keeps them."""
    draw = random.Random(seed)  # noqa: S311 - the same history for the same seed
    every, executions, results = tasks("python"), [], []
    for number in range(attempts):
        name, task = draw.choice(list(MODELS)), draw.choice(every)
        result = await _attempt(place, task, name, seed + number)
        record = result.record
        assert record is not None
        models = replace(record.models, writing=name)
        executions.append(replace(record, models=models, at=DAY + 3600.0 * number))
        results.append(result)
    return executions, results


async def _attempt(place: BenchEnvironment, task: Task, name: str, seed: int) -> Result:
    return await run(place, task, "hybrid", Character(*MODELS[name], seed, run=name))


async def _played(place: BenchEnvironment, name: str, seed: int) -> list[Result]:
    """Every task once, with draws that the history does not have."""
    return [await _attempt(place, task, name, seed + _LATER) for task in tasks("python")]


@dataclass(frozen=True, slots=True)
class _Sum:
    """What walks came to together."""

    right: int
    completed: int
    tokens: int
    calls: int


async def _memory(place: BenchEnvironment, folder: Path, seed: int) -> AsyncIterator[Line | str]:
    """The same roadmaps twice with one memory, and the second time without it."""
    learned, forgotten = [], []
    for roadmap in roadmaps():
        if roadmap.language != "python":
            continue
        memory = FileMemory(folder / f"{roadmap.name}.json", mask=str)
        first, later = Character(0.5, 0.6, seed), Character(0.5, 0.6, seed + _LATER)
        await walk(place, roadmap, first, folder, shown=True, memory=memory)
        learned.append(await walk(place, roadmap, later, folder, shown=True, memory=memory))
        forgotten.append(await walk(place, roadmap, later, folder, shown=True))
    ours, without = _sum(learned), _sum(forgotten)
    yield _beside("tasks that are right, with a memory", ours.right, without.right, ">= without")
    yield Finding(
        what="tokens of a call, with a memory",
        value=ours.tokens / ours.calls,
        unit="tokens",
        peer=Peer(what="without", value=without.tokens / without.calls),
        goal=f"at most {_MOST_NOTES} more",
        ok=ours.tokens / ours.calls <= without.tokens / without.calls + _MOST_NOTES,
    )


def _sum(walks: Sequence[Walk]) -> _Sum:
    return _Sum(*(sum(getattr(each, name) for each in walks) for name in _Sum.__slots__))


def _beside(what: str, value: int, without: int, goal: str) -> Finding:
    peer = Peer(what="without", value=without)
    return Finding(what=what, value=value, unit="tasks", peer=peer, goal=goal, ok=value >= without)
