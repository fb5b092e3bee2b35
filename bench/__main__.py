"""``make bench``, or ``python -m bench [NAME ...]`` for some of the measures.

Prints one line a number: ours, the peer's or limit's of the same run, their ratio, the goal.
A number that misses its goal is said, not punished: the exit code is 0. The table of
docs/developers/benchmarks.md gets what was measured without options, with the commit.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path

from bench import (
    action,
    advice,
    answers,
    checks,
    classification,
    context,
    corpus,
    editing,
    history,
    isolation,
    learned,
    lint,
    mutants,
    nodes,
    normalising,
    oracle,
    overhead,
    parallel,
    planning,
    polling,
    recording,
    requests,
    resident,
    restacking,
    roadmap,
    saving,
    shown,
    simulation,
    size,
    startup,
    table,
    tasks,
    validation,
    verifying,
    wakeups,
    webhook,
    workers,
)
from bench.finding import Finding, Line
from bench.loop import measure as loop
from bench.loop import real
from bench.oracle import peers

Measure = Callable[[Path], AsyncIterator[Line | str]]

MEASURES: dict[str, Measure] = {
    "action": action.measure,
    "validation": validation.measure,
    "roadmap": roadmap.measure,
    "editing": editing.measure,
    "lint": lint.measure,
    "normalise": normalising.measure,
    "webhook": webhook.measure,
    "overhead": overhead.measure,
    "verifying": verifying.measure,
    "isolation": isolation.measure,
    "parallel": parallel.measure,
    "nodes": nodes.measure,
    "workers": workers.measure,
    "simulation": simulation.measure,
    "saving": saving.measure,
    "recording": recording.measure,
    "size": size.measure,
    "wakeups": wakeups.measure,
    "resident": resident.measure,
    "polling": polling.measure,
    "requests": requests.measure,
    "restack": restacking.measure,
    "loop": loop.measure,
    "corpus": corpus.measure,
    "real": real.measure,
    "context": context.measure,
    "history": history.measure,
    "help": startup.measure,
    "start": startup.server,
    "first": startup.first_question,
    "tasks": tasks.measure,
    "classification": classification.measure,
    "answers": answers.measure,
    "checks": checks.measure,
    "oracle": oracle.measure,
    "peers": peers.measure,
    "shown": shown.measure,
    "planning": planning.measure,
    "mutants": mutants.measure,
    "advice": advice.measure,
    "learned": learned.measure,
}


def main() -> None:
    """Run the measures that were named, or all."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(MEASURES))
    measures = dict(MEASURES)
    # those that take options of their own: see `loop --help`
    own = (
        ("loop", loop.measure),
        ("corpus", corpus.measure),
        ("real", real.measure),
        ("history", history.measure),
        ("answers", answers.measure),
        ("checks", checks.measure),
        ("oracle", oracle.measure),
        ("peers", peers.measure),
        ("mutants", mutants.measure),
        ("advice", advice.measure),
        ("learned", learned.measure),
    )
    for name, measure in own:
        if sys.argv[1:2] == [name]:
            measures[name] = partial(measure, arguments=sys.argv[2:])
            del sys.argv[2:]
    names = parser.parse_args().names or list(MEASURES)
    if unknown := set(names) - set(MEASURES):
        parser.error(f"no measure {', '.join(sorted(unknown))}; there are: {', '.join(MEASURES)}")
    logging.disable(logging.WARNING)  # what goes on inside is not what is printed here
    for name in names:
        one, five, _ = os.getloadavg()
        print(f"== {name} (load {one:.1f}, {five:.1f}; {os.cpu_count()} cores)", flush=True)
        where = table.here()
        found = asyncio.run(_run(measures[name]))
        if found and measures[name] is MEASURES[name]:  # with options it is another measure
            page = table.PAGE.read_text(encoding="utf-8")
            table.PAGE.write_text(table.written(page, name, found, where), encoding="utf-8")


async def _run(measure: Measure) -> list[Finding]:
    found = []
    with tempfile.TemporaryDirectory(prefix="cairn-bench-") as folder:
        async for line in measure(Path(folder)):
            print(f"   {line}" if not isinstance(line, str) else line, flush=True)
            found += [line] if isinstance(line, Finding) else []
    return found


if __name__ == "__main__":
    main()
