"""``make bench ARGS="loop ..."``: what is played, from a few minutes to all of it."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from bench.loop import apart, catalogue, table
from bench.loop.ablation import ablation
from bench.loop.corpus import roadmaps, tasks
from bench.loop.environment import BenchEnvironment, environment
from bench.loop.naming import Character
from bench.loop.play import CELLS, Played, play, repairs_by_fault, truths, unlike
from bench.loop.runs import BASELINES, ENGINE, Result
from bench.loop.walks import walk

PARTS = ("walks", "table", "apart", "only", "ablation")
_QUICK_CELLS = ((1.0, 1.0), (0.3, 0.6), (0.5, 0.6))
_QUICK_STRATEGIES = ("hybrid", "single", "regenerate")
_LARGE = ("bracket", "no_colon", "open_string")


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """Read what is to be played."""
    parser = argparse.ArgumentParser(prog="python -m bench loop", description=__doc__)
    parser.add_argument("--full", action="store_true", help="every part, cell and strategy")
    parser.add_argument(
        "--parts",
        nargs="+",
        choices=PARTS,
        metavar="PART",
        help=f"{', '.join(PARTS)} (quick: walks, table)",
    )
    parser.add_argument("--language", choices=["python", "javascript", "all"], default="python")
    parser.add_argument("--seeds", type=int, help="how many seeds, from 1 (quick: 1, full: 5)")
    parser.add_argument("--cells", nargs="+", metavar="P/X", type=_cell, help="such as 0.5/0.6")
    parser.add_argument(
        "--strategies", nargs="+", choices=[*ENGINE, *BASELINES], metavar="STRATEGY"
    )
    parser.add_argument(
        "--faults", nargs="+", choices=catalogue.FAULTS, metavar="FAULT", help="for the part only"
    )
    asked = parser.parse_args(arguments)
    full = asked.full
    asked.parts = asked.parts or (PARTS if full else ("walks", "table"))
    asked.cells = asked.cells or (((1.0, 1.0), *CELLS) if full else _QUICK_CELLS)
    asked.strategies = asked.strategies or ((*ENGINE, *BASELINES) if full else _QUICK_STRATEGIES)
    asked.seeds = range(1, 1 + (asked.seeds or (5 if full else 1)))
    asked.language = "" if asked.language == "all" else asked.language
    return asked


def _cell(text: str) -> tuple[float, float]:
    p, _, x = text.partition("/")
    return float(p), float(x)


async def measure(folder: Path, arguments: Sequence[str] = ()) -> AsyncIterator[str]:
    """Play what is asked for; each line as soon as it is known."""
    asked = options(arguments)
    chosen = tasks(asked.language)
    yield f"{len(chosen)} tasks, seeds {asked.seeds.start} to {asked.seeds.stop - 1}"
    async with environment(chosen) as place:
        for part in asked.parts:
            yield ""
            async for line in _PLAYED[part](place, asked, folder):
                yield line


async def _walks(
    place: BenchEnvironment, asked: argparse.Namespace, folder: Path
) -> AsyncIterator[str]:
    yield "Whole roadmaps on git checkouts, p = x = 1:"
    for roadmap in roadmaps():
        if asked.language in ("", roadmap.language):
            for shown in (True, False):
                yield str(await walk(place, roadmap, Character(1, 1, 1), folder, shown=shown))


async def _table(
    place: BenchEnvironment, asked: argparse.Namespace, _folder: Path
) -> AsyncIterator[str]:
    chosen = tasks(asked.language)
    hybrid: list[Played] = []
    verdicts: list[str] = []
    for line in table.head():
        yield line
    for cell in asked.cells:
        played = await play(
            place, chosen, cell=cell, strategies=asked.strategies, seeds=asked.seeds
        )
        hybrid += played.get("hybrid", [])
        for line in table.table(cell, played):
            yield line
        if "hybrid" in played:
            verdicts.append(table.verdict(cell, played))
            verdicts += table.recovered(cell, played["hybrid"])
    for line in ("", *verdicts):
        yield line
    known = truths(place)
    yield ""
    yield f"hybrid: {table.paths(hybrid)}"
    for line in table.beginnings(hybrid):
        yield line
    calls = [call for each in hybrid for call in known.get(each.result.model, [])]
    yield f"asked to change what was not shown: {sum(call.blind for call in calls)} of {len(calls)}"
    for line in table.repairs(repairs_by_fault([each.result for each in hybrid], known)):
        yield line
    worse = unlike(hybrid, known)
    yield f"ended worse than the ideal loop on the same draws: {len(worse)} of {len(hybrid)}"
    for line in worse[:40]:
        yield f"- {line}"


async def _only(
    place: BenchEnvironment, asked: argparse.Namespace, _folder: Path
) -> AsyncIterator[str]:
    chosen = tasks(asked.language)
    faults = asked.faults or catalogue.FAULTS
    found = [await catalogue.alone(place, chosen, fault) for fault in faults]
    for line in catalogue.lines(found):
        yield line
    yield f"as expected: {sum(each.ok for each in found)} of {len(found)}"
    large = [task for task in chosen if task.before.count("\n") >= 60]
    repaired = [await catalogue.alone(place, large, fault, most=4) for fault in _LARGE]
    ratios = [ratio for each in repaired for run in each.once for ratio in _ratio(run)]
    if ratios:
        yield (
            f"repair of one syntax fault in a file of 60 lines and more: {len(ratios)} repairs, "
            f"completion {sum(ratios) / len(ratios):.0%} of the first answer's, "
            f"at most {max(ratios):.0%}"
        )


def _ratio(run: Result) -> list[float]:
    """The completion of the repair over that of the first answer, when there was one repair."""
    tokens = [exchange.completion_tokens for exchange in run.exchanges]
    return [tokens[1] / tokens[0]] if len(tokens) == 2 else []


async def _ablation(
    place: BenchEnvironment, asked: argparse.Namespace, _folder: Path
) -> AsyncIterator[str]:
    for cell in ((0.1, 0.6), (0.3, 0.9)):
        yield f"p = {cell[0]:g}, x = {cell[1]:g}:"
        for line in await ablation(place, tasks(asked.language), cell, asked.seeds):
            yield line


async def _apart(
    place: BenchEnvironment, asked: argparse.Namespace, _folder: Path
) -> AsyncIterator[str]:
    yield apart.HEAD
    yield "|" + " --- |" * (apart.HEAD.count("|") - 1)
    for cell in asked.cells:
        for worth in apart.QUALITIES:
            played = await apart.play(place, tasks("python"), cell, worth, asked.seeds)
            for line in apart.line(cell, worth, played):
                yield line


_PLAYED = {
    "walks": _walks,
    "table": _table,
    "apart": _apart,
    "only": _only,
    "ablation": _ablation,
}
