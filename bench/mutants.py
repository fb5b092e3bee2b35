"""Do the tests notice when the code is wrong? Small faults are put into it, one at a time.

``make bench ARGS="mutants --count 300 --seed 1"``. A mutant is killed when one of the loop's own
tests that run the changed line fails, or the time is up. The faults are those of mutation testing
books: another comparison, ``and`` for ``or``, a number off by one, a condition turned round, a
statement gone.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import os
import random
import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from coverage import CoverageData

from bench.finding import Finding, Line

Reached = dict[tuple[str, int], list[str]]
"""Tests by file and line; line 0 stands for the whole file."""

ROOT = Path(__file__).parents[1]
ROOMS = ("runner/loop", "runner/checks", "runner/answers")
_TESTS = "tests/runner"
_MOST_TESTS, _SECONDS = 60, 120
_OTHER: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault: ``what`` is done to node ``number`` of the module's syntax tree."""

    path: str
    line: int
    number: int
    what: str


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a mutant: killed, alive, or never run by a test."""

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
    trees = [folder / f"tree{n}" for n in range(os.cpu_count() or 1)]
    for tree in trees:
        await asyncio.to_thread(_copied, tree)
    reached = await _tests_by_line(trees[0])
    drawn = random.Random(asked.seed).sample(list(_sites(trees[0])), asked.count)  # noqa: S311 - not a secret
    fates: list[Fate] = []
    async for fate in _fates(drawn, trees, reached):
        fates.append(fate)
        if asked.show and fate.word != "killed":
            yield f"{fate.word}: {fate.mutant.path}:{fate.mutant.line} {fate.mutant.what}"
    for line in _summary(fates):
        yield line


async def _fates(
    drawn: Sequence[Mutant], trees: Sequence[Path], reached: Reached
) -> AsyncIterator[Fate]:
    """Play the mutants, one at a time in each copy of the project."""
    free: asyncio.Queue[Path] = asyncio.Queue()
    for tree in trees:
        free.put_nowait(tree)

    async def play(mutant: Mutant) -> Fate:
        tree = await free.get()
        try:
            return await _played(mutant, tree, reached)
        finally:
            free.put_nowait(tree)

    for coming in asyncio.as_completed([play(mutant) for mutant in drawn]):
        yield await coming


def _summary(fates: Sequence[Fate]) -> Iterator[Line | str]:
    for room in ROOMS:
        words = Counter(fate.word for fate in fates if fate.mutant.path.startswith(room))
        yield f"{room}: " + ", ".join(f"{n} {word}" for word, n in sorted(words.items()))
    share = 100 * sum(fate.word == "killed" for fate in fates) / len(fates)
    what = f"mutants killed, of {len(fates)}"
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


async def _tests_by_line(tree: Path) -> Reached:
    """Run the loop's own tests once, and return which of them run each line."""
    settings = tree / "mutants.ini"
    rooms = "\n    ".join(ROOMS)
    settings.write_text(f"[run]\nsource =\n    {rooms}\ndata_file = {tree}/.coverage\n")
    await _pytest(tree, _TESTS, "--cov", f"--cov-config={settings}", "--cov-context=test",
                  "--cov-report=", "-n", str(os.cpu_count() or 1), seconds=1800)  # fmt: skip
    data = CoverageData(str(tree / ".coverage"))
    data.read()
    found: dict[tuple[str, int], set[str]] = defaultdict(set)
    for file in data.measured_files():
        path = str(Path(file).relative_to(tree))
        for line, contexts in data.contexts_by_lineno(file).items():
            tests = {context.partition("|")[0] for context in contexts if context}
            found[path, line] |= tests
            found[path, 0] |= tests
    return {place: sorted(tests) for place, tests in found.items()}


async def _played(mutant: Mutant, tree: Path, reached: Reached) -> Fate:
    """Run the tests of a mutant's line; of one that runs when it is imported, those of the file."""
    tests = reached.get((mutant.path, mutant.line)) or reached.get((mutant.path, 0), [])
    if not tests:
        return Fate(mutant, "not run by a test")
    file = tree / mutant.path
    whole = file.read_text()
    file.write_text(_with_fault(whole, mutant))
    try:
        few = random.Random(mutant.line).sample(tests, min(len(tests), _MOST_TESTS))  # noqa: S311 - not a secret
        ended = await _pytest(tree, "-n0", "-x", *sorted(few), seconds=_SECONDS)
    finally:
        file.write_text(whole)
    return Fate(mutant, "alive" if ended == 0 else "killed")


async def _pytest(tree: Path, *arguments: str, seconds: float) -> int:
    """Run pytest in a copy of the project; a run that takes too long is ended and has failed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments,
        cwd=tree, env={**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        return await asyncio.wait_for(process.wait(), seconds)
    except TimeoutError:
        process.kill()
        await process.wait()
        return 1


def _sites(tree: Path) -> Iterator[Mutant]:
    """Yield every mutant of the rooms."""
    for room in ROOMS:
        for file in sorted((tree / room).rglob("*.py")):
            path = str(file.relative_to(tree))
            for number, node in enumerate(ast.walk(ast.parse(file.read_text()))):
                if what := _fault(node):
                    yield Mutant(path, node.lineno, number, what)


def _fault(node: ast.AST) -> str:
    """Return the name of the fault that can be put into a node; '' for none."""
    match node:
        case ast.Compare(ops=[op, *_]) if type(op) in _OTHER:
            return "another comparison"
        case ast.BoolOp():
            return "and for or"
        case ast.Constant(value=bool()):
            return "the other truth"
        case ast.Constant(value=int()):
            return "one more"
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            return "plus for minus"
        case ast.If() | ast.IfExp() | ast.While():
            return "the condition turned round"
        case ast.Return(value=ast.expr()):
            return "nothing returned"
        case ast.Expr(value=ast.Call() | ast.Await()):
            return "a call less"
        case _:
            return ""


def _with_fault(code: str, mutant: Mutant) -> str:
    module = ast.parse(code)
    node = next(each for number, each in enumerate(ast.walk(module)) if number == mutant.number)
    _put(node)
    return ast.unparse(ast.fix_missing_locations(module))


def _put(node: ast.AST) -> None:
    if isinstance(node, ast.Compare):
        node.ops[0] = _OTHER[type(node.ops[0])]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.Constant):
        node.value = not node.value if isinstance(node.value, bool) else node.value + 1
    elif isinstance(node, ast.BinOp):
        node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.Return | ast.Expr):
        node.value = ast.Constant(None)
