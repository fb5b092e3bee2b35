"""Which changed lines of Python the tests run, where the sandbox has coverage.py.

A process that a test starts is not measured. So nothing is reported if no line seems to run: then
the tests run the code where it cannot be measured.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from runner.ports import SandboxSession
from runner.state.findings import Level
from runner.verify.judging import fetched, new_report, ran
from runner.verify.tools.python import beside_pytest

_NOT_THERE = 77
_MOST_NAMED = 10
_ENDED = (0, 1)
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
import json
from importlib.util import find_spec
here, report, paths = os.getcwd(), sys.argv[2], json.loads(sys.argv[3])
files = {path: os.path.join(here, path) for path in paths}
plugins = not os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD") and find_spec("pytest_cov")
cover = coverage.Coverage(data_file=None, config_file=False, include=list(files.values()))
cover.start()
code = pytest.main([*sys.argv[4:], *(["--no-cov"] if plugins else [])])
cover.stop()
found = {}
for path, file in files.items():
    try:
        _, statements, _, missing, _ = cover.analysis2(file)
    except coverage.CoverageException:
        continue
    found[path] = [statements, missing]
with open(report, "w") as file:
    json.dump(found, file)
sys.exit(code)
"""


async def coverage_level(
    session: SandboxSession,
    changed: Mapping[str, frozenset[int]],
    *,
    only: Sequence[str],
    timeout: float,
) -> Level | None:
    """Run all tests, or ``only`` these, and return how many ``changed`` lines (by path) they run.

    None where that could not be measured.
    """
    report = new_report("json")
    command = beside_pytest(_LOAD, _MEASURE, report, json.dumps(sorted(changed)))
    shown = " ".join(["coverage run -m pytest -q", *only[:_MOST_NAMED]])
    result, level = await ran(
        session, [*command, *only], tool="pytest", timeout=timeout, shown_as=shown
    )
    if result.timed_out or result.exit_code not in _ENDED:
        return None
    run, missed = _counted(await fetched(session, report), changed)
    if not run:
        return None
    return Level(
        "coverage",
        "passed",
        command=level.command,
        seconds=level.seconds,
        tool="pytest",
        passed=run,
        found=tuple(missed),
        reason=f"the tests run {run} of {run + len(missed)} changed lines",
    )


def _counted(report: bytes, changed: Mapping[str, frozenset[int]]) -> tuple[int, list[str]]:
    """How many of the lines were run, and the places of the others."""
    try:
        found: dict[str, Any] = dict(json.loads(report))
        run, missed = 0, list[str]()
        for path, lines in sorted(changed.items()):
            statements, missing = (frozenset(map(int, each)) for each in found.get(path, ((), ())))
            run += len(lines & statements - missing)
            missed += [f"{path}:{line}" for line in sorted(lines & statements & missing)]
    except (ValueError, TypeError):
        return 0, []
    return run, missed
