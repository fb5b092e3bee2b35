"""The bench's roadmaps executed end to end: by ``cairn run``, and by a server on its GitHub."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from bench.loop.corpus import Roadmap, roadmaps
from bench.loop.doors import DOORS, Corpus, executed
from bench.loop.environment import environment
from bench.loop.naming import Character
from bench.loop.stats import Estimate, share
from bench.loop.table import COMMON
from bench.loop.theory import Model, expected
from tests.runner.sandbox.sandbox_bench import ROOT

_CELLS = ((1.0, 1.0), (0.5, 0.6))


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """Read what is to be executed."""
    parser = argparse.ArgumentParser(prog="python -m bench corpus", description=__doc__)
    known = [roadmap.name for roadmap in roadmaps()]
    parser.add_argument("--roadmaps", nargs="+", choices=known, default=known, metavar="NAME")
    parser.add_argument("--doors", nargs="+", choices=DOORS, default=list(DOORS), metavar="DOOR")
    parser.add_argument("--sandbox", choices=["bubblewrap", "docker", "process"])
    parser.add_argument("--cells", nargs="+", metavar="P/X", default=_CELLS, type=_cell)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    asked.sandbox = asked.sandbox or ("bubblewrap" if ROOT else "docker")
    if asked.sandbox == "bubblewrap" and not os.path.isdir(ROOT):  # noqa: PTH112 - '' is no folder
        parser.error("bubblewrap: set TEST_SANDBOX_ROOT to a folder of scripts/sandbox-root")
    return asked


def _cell(text: str) -> tuple[float, float]:
    p, _, x = text.partition("/")
    return float(p), float(x)


async def measure(folder: Path, arguments: Sequence[str] = ()) -> AsyncIterator[str]:
    """Execute what is asked for, a line a roadmap and one for all."""
    asked = options(arguments)
    chosen = [roadmap for roadmap in roadmaps() if roadmap.name in asked.roadmaps]
    async with environment([task for roadmap in chosen for task in roadmap.tasks]) as place:
        for p, x in asked.cells:
            for door in asked.doors:
                yield f"{door}, {asked.sandbox}, p = {p:g}, x = {x:g}:"
                found = []
                for roadmap in chosen:
                    where = folder / f"{p:g}-{x:g}" / door.replace(" ", "-") / roadmap.name
                    who = Character(p, x, asked.seed)
                    found.append(
                        await executed(place, roadmap, who, where, door=door, sandbox=asked.sandbox)
                    )
                    why = f" ({found[-1].problem})" if found[-1].problem else ""
                    yield f"   {_line(found[-1:], roadmap)}{why}"
                yield f"   {_line(found)}; {_goals(found, p, x)}"
                if any(each.errors for each in found):
                    yield f"   {_recovered(found)}"


def _line(found: Sequence[Corpus], roadmap: Roadmap | None = None) -> str:
    tasks = sum(each.tasks for each in found)
    finished, wrong = (sum(getattr(each, what) for each in found) for what in ("finished", "wrong"))
    tokens = sum(each.tokens for each in found) / tasks
    text = f"{finished} of {tasks} tasks finished, {wrong} claimed and wrong, {tokens:,.0f} tokens"
    if roadmap is not None:
        return f"{roadmap.name}: {text} a task"
    return f"all: {text} a task; finished {_percent(share(finished, tasks))}"


def _goals(found: Sequence[Corpus], p: float, x: float) -> str:
    """The theory beside it: what runs afterwards can only add to what one loop finishes."""
    tasks = sum(each.tasks for each in found)
    finished, wrong = (
        share(sum(getattr(each, what) for each in found), tasks) for what in ("finished", "wrong")
    )
    exact = expected(Model(p, x), "hybrid")
    tokens = sum(each.tokens for each in found) / tasks
    ok = finished.high >= exact.finished - 0.03 and wrong.low <= exact.claimed
    if p == x == 1:
        ok = finished.value == 1 and tokens <= 5_000
    theory = f"theory {exact.finished:.1%}, claimed and wrong {exact.claimed:.1%}"
    return f"{theory}: {'ok' if ok else 'MISSED'}"


def _recovered(found: Sequence[Corpus]) -> str:
    """The errors in tasks that ended right, of all that were seen."""
    seen = sum((each.errors for each in found), Counter[str]())
    good = sum((each.recovered for each in found), Counter[str]())
    parts = [f"{error} {good[error]} of {seen[error]}" for error in sorted(seen)]
    common = share(sum(good[each] for each in COMMON), sum(seen[each] for each in COMMON))
    return f"errors recovered: {', '.join(parts)}; of common types {_percent(common)}"


def _percent(estimate: Estimate) -> str:
    return f"{estimate.value:.1%} [{estimate.low:.1%}, {min(estimate.high, 1):.1%}]"
