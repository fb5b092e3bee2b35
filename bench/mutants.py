"""Do the tests notice when the code is wrong? Small faults are put into it, one at a time.

``make bench ARGS="mutants --count 300 --seed 1"``. A mutant is killed when one of the loop's own
tests that run the changed line fails, or the time is up; tests that fail without a fault do not
count. See ``bench.faults`` for the faults.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from coverage import CoverageData

from bench.faults import Mutant, sites
from bench.finding import Finding, Line

ROOT = Path(__file__).parents[1]
ROOMS = ("runner/loop", "runner/checks", "runner/answers")
_TESTS = "tests/runner"
_MOST_TESTS, _MOST_SECONDS = 600, 30.0
_NOTICED = ("killed", "out of time")
_PLAYER = ("-p", "bench.fault_player")


@dataclass(frozen=True, slots=True)
class Tests:
    """Which tests run each line (line 0: anything in the file), and how long each test takes."""

    reached: dict[tuple[str, int], list[str]]
    seconds: dict[str, float]

    def of(self, mutant: Mutant) -> list[str]:
        """The tests that run a mutant's line; where it ran in no test, those of its file."""
        places = ((mutant.path, mutant.line), (mutant.path, 0))
        return next((self.reached[each] for each in places if self.reached.get(each)), [])


@dataclass(frozen=True, slots=True)
class MutantResult:
    """What became of a mutant: killed, out of time, alive, or never run by a test."""

    mutant: Mutant
    word: str


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the options of this measure."""
    parser = argparse.ArgumentParser(prog="python -m bench mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="name each mutant that lives")
    return parser.parse_args(arguments)


async def measure(folder: Path, arguments: Sequence[str] = ()) -> AsyncIterator[Line | str]:
    """Draw mutants, run the tests that reach each, and count those that are noticed."""
    asked = options(arguments)
    tree = folder / "tree"
    await asyncio.to_thread(_copied, tree)
    tests = await _tests_by_line(tree)
    yield f"{len(tests.seconds)} tests"
    drawn = random.Random(asked.seed).sample(list(sites(tree, ROOMS)), asked.count)  # noqa: S311 - not a secret
    results = await _results(drawn, tree, tests)
    if asked.show:
        for result in results:
            if result.word != "killed":
                place = f"{result.mutant.path}:{result.mutant.line}"
                yield f"{result.word}: {place} {result.mutant.what}"
    for line in _summary(results):
        yield line


async def _results(drawn: Sequence[Mutant], tree: Path, tests: Tests) -> list[MutantResult]:
    """Play the mutants, as many at a time as there are processors."""
    parts = [drawn[start :: os.cpu_count() or 1] for start in range(os.cpu_count() or 1)]
    played = (_played(part, tree, tests, n) for n, part in enumerate(parts) if part)
    return [result for part in await asyncio.gather(*played) for result in part]


async def _played(
    mutants: Sequence[Mutant], tree: Path, tests: Tests, number: int
) -> list[MutantResult]:
    """Let one pytest play some of the mutants."""
    found = {mutant: tests.of(mutant) for mutant in mutants}
    lines = [json.dumps({"mutant": asdict(m), "tests": found[m]}) for m in mutants if found[m]]
    given, answers = tree / f"mutants{number}.jsonl", tree / f"results{number}.jsonl"
    given.write_text("\n".join(lines))
    answers.touch()
    await _pytest(tree, _TESTS, "-n0", *_PLAYER, f"--mutants={given}", f"--results={answers}")
    results = [json.loads(line) for line in answers.read_text().splitlines()]
    if len(results) < len(lines):
        raise RuntimeError(f"{len(lines) - len(results)} mutants were not played to their end")
    never = [MutantResult(mutant, "not run by a test") for mutant in mutants if not found[mutant]]
    return [*never, *(MutantResult(Mutant(**each["mutant"]), each["word"]) for each in results)]


def _summary(results: Sequence[MutantResult]) -> Iterator[Line | str]:
    for room in ROOMS:
        words = Counter(result.word for result in results if result.mutant.path.startswith(room))
        yield f"{room}: " + ", ".join(f"{n} {word}" for word, n in sorted(words.items()))
    share = 100 * sum(result.word in _NOTICED for result in results) / len(results)
    what = f"mutants killed, of {len(results)}"
    yield Finding(what=what, value=share, unit="%", goal=">= 85 %", ok=share >= 85)


def _copied(tree: Path) -> None:
    parts = ("app", "handlers", "runner", "tests", "bench", "tools", "docs", "pyproject.toml")
    for part in parts:
        source = ROOT / part
        skipped = shutil.ignore_patterns("__pycache__")
        copy_of = tree / part
        tree.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, copy_of, ignore=skipped)
        else:
            shutil.copy(source, copy_of)


async def _tests_by_line(tree: Path) -> Tests:
    """Run the loop's own tests once, and return which of them run each line."""
    settings, passed_file = tree / "mutants.ini", tree / "tests.json"
    rooms = "\n    ".join(ROOMS)
    settings.write_text(f"[run]\nsource =\n    {rooms}\ndata_file = {tree}/.coverage\n")
    measured = ("--cov", f"--cov-config={settings}", "--cov-context=test", "--cov-report=")
    many = ("-n", str(os.cpu_count() or 1))
    await _pytest(tree, _TESTS, *many, *measured, *_PLAYER, f"--passed-to={passed_file}")
    seconds: dict[str, float] = json.loads(passed_file.read_text())
    found: dict[tuple[str, int], set[str]] = defaultdict(set)
    for path, line, test in _runs(tree):
        if test in seconds:
            found[path, line].add(test)
            found[path, 0].add(test)
    return Tests(_few(found, seconds), seconds)


def _runs(tree: Path) -> Iterator[tuple[str, int, str]]:
    """Yield each line that a test runs, as path, line and test."""
    data = CoverageData(str(tree / ".coverage"))
    data.read()
    for file in data.measured_files():
        path = str(Path(file).relative_to(tree))
        for line, contexts in data.contexts_by_lineno(file).items():
            for context in contexts:
                yield path, line, context.partition("|")[0]


def _few(
    found: dict[tuple[str, int], set[str]], seconds: dict[str, float]
) -> dict[tuple[str, int], list[str]]:
    """Of the tests of each place, take half a minute: its room's first, those that run least."""
    lines = Counter(test for (_, line), tests in found.items() if line for test in tests)
    few = {}
    for (path, line), tests in found.items():
        room = f"tests/{path.rpartition('/')[0]}/"
        near = sorted(tests, key=lambda t: (not t.startswith(room), lines[t], t))[:_MOST_TESTS]
        spent = itertools.accumulate(seconds[test] for test in near)
        few[path, line] = [t for t, at in zip(near, spent, strict=True) if at <= _MOST_SECONDS]
    return few


async def _pytest(tree: Path, *arguments: str) -> None:
    """Run pytest in the copy of the project."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments,
        cwd=tree, env={**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    await process.wait()
