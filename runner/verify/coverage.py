"""Which changed lines of Python the tests run, where the sandbox has coverage.py.

A process that a test starts is not measured. So nothing is reported if no line seems to run: then
the tests run the code where it cannot be measured.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import replace

from runner.ports import SandboxSession
from runner.state.findings import Level
from runner.verify.judging import Tool, fetched, new_report, ran
from runner.verify.project import OnlyFiles
from runner.verify.projects import Inside
from runner.verify.tools.python import Pytest, beside_pytest

Lines = Mapping[str, frozenset[int]]
"""Numbers of lines, by the path that the repository has for a file."""

_NOT_THERE = 77
_MOST_NAMED = 10
ENDED = (0, 1)
"""Exit codes of pytest after a complete run."""

# it is loaded before the workspace can be imported, as pytest is
_LOAD = f"""
import os, sys
try:
    import coverage
except ImportError:
    sys.exit({_NOT_THERE})
if "coverage" in os.environ.get("CAIRN_OWN", "").split():
    sys.exit({_NOT_THERE})
"""
_MEASURE = """
import dis, json, warnings
from importlib.util import find_spec
here, report, paths = os.getcwd(), sys.argv[2], json.loads(sys.argv[3])
files = {path: os.path.realpath(os.path.join(here, own)) for path, own in paths.items()}
plugins = not os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD") and find_spec("pytest_cov")
cover = coverage.Coverage(data_file=None, config_file=False, include=list(files.values()))
cover.start()
code = pytest.main([*sys.argv[4:], *(["--no-cov"] if plugins else [])])
cover.stop()
def lines(code):
    yield from (line for _, line in dis.findlinestarts(code) if line)
    for inner in code.co_consts:
        if hasattr(inner, "co_code"):
            yield from lines(inner)
found = {}
warnings.simplefilter("ignore")
for path, file in files.items():
    try:
        with open(file, "rb") as source:
            statements = set(lines(compile(source.read(), file, "exec", dont_inherit=True)))
    except (OSError, SyntaxError, ValueError):
        continue
    missing = statements.difference(cover.get_data().lines(file) or ())
    found[path] = [sorted(statements), sorted(missing)]
with open(report, "w") as file:
    json.dump(found, file)
sys.exit(code)
"""


async def coverage_level(
    session: SandboxSession,
    changed: Lines,
    *,
    heads: frozenset[tuple[str, int]] = frozenset(),
    suites: OnlyFiles,
    timeout: float,
) -> Level | None:
    """Run the tests of ``suites`` and return how many ``changed`` lines they run together.

    Each of the tools is pytest, at the root or in a project below it. None where that could not be
    measured of one of them. Where only ``heads`` run, no test runs the change.
    """
    levels: list[Level] = []
    code, run = set[tuple[str, int]](), set[tuple[str, int]]()
    for tool, files in suites:
        level, report = await _measured(session, changed, tool, files, timeout=timeout)
        if level.exit_code not in ENDED:
            return None
        statements, missing = _read(report, changed)
        code |= statements
        run |= statements - missing
        levels.append(level)
    if not run:
        return None
    if run <= heads < code:
        code, run = code - heads, set()
    return Level(
        "coverage",
        "passed",
        command=_joined(levels),
        seconds=sum(level.seconds for level in levels),
        tool="pytest",
        passed=len(run),
        found=tuple(f"{path}:{line}" for path, line in sorted(code - run)),
        reason=f"the tests run {len(run)} of {len(code)} changed lines",
    )


async def _measured(
    session: SandboxSession, changed: Lines, tool: Tool, files: Sequence[str], *, timeout: float
) -> tuple[Level, bytes]:
    """Run a tool's tests, or those of ``files``; return how that ended, and what it measured."""
    folder = tool.folder if isinstance(tool, Inside) else ""
    inner = await tool.opened(session) if isinstance(tool, Inside) else session
    only = [path.removeprefix(f"{folder}/") for path in files]
    if not only and isinstance(tool, Pytest):
        only = list(tool.ignoring)
    report = new_report("json")
    paths = {path: posixpath.relpath(path, folder or ".") for path in sorted(changed)}
    command = beside_pytest(_LOAD, _MEASURE, report, json.dumps(paths))
    shown = ["coverage run -m pytest -q", *only[:_MOST_NAMED]]
    result, level = await ran(
        inner,
        [*command, *only],
        tool="pytest",
        timeout=timeout,
        shown_as=" ".join([f"cd {folder} &&", *shown] if folder else shown),
    )
    if result.timed_out:
        return replace(level, exit_code=None), b""
    return level, await fetched(inner, report)


def _joined(levels: Sequence[Level]) -> tuple[str, ...]:
    """One line of all commands, for a person at the root."""
    lines = [" ".join(level.command) for level in levels]
    line = " && ".join(f"({line})" for line in lines) if len(lines) > 1 else lines[0]
    return tuple(line.split())


def _read(report: bytes, changed: Lines) -> tuple[set[tuple[str, int]], set[tuple[str, int]]]:
    """The changed lines with code, and those of them that were not run."""
    code, missed = set[tuple[str, int]](), set[tuple[str, int]]()
    try:
        found = dict(json.loads(report))
        for path, lines in changed.items():
            statements, missing = (frozenset(map(int, each)) for each in found.get(path, ((), ())))
            code |= {(path, line) for line in lines & statements}
            missed |= {(path, line) for line in lines & statements & missing}
    except (ValueError, TypeError):
        return set(), set()
    return code, missed
