"""Run a project's tests with pytest in the sandbox and judge how that ended.

Exit codes: https://docs.pytest.org/en/stable/reference/exit-codes.html. What counts is the JUnit
report: a test process that ends without one has proved nothing, whatever its exit code.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import replace
from time import monotonic

from runner.errors import TaskError
from runner.findings import Level
from runner.ports import Box, CommandResult
from runner.verifiers.junit import Report, UnreadableReport, read_report
from runner.verifiers.levels import NOT_FOUND, shown

_OK, _FAILED, _INTERRUPTED, _USAGE, _NO_TESTS = 0, 1, 2, 4, 5
_LARGEST_REPORT = 4 << 20
_NO_PYTEST = re.compile(rb"^ModuleNotFoundError: No module named 'pytest'\s*$", re.MULTILINE)

# `python3 -m pytest`, but pytest and its plugins are there before the workspace is on the path: a
# `pytest.py` or `pluggy.py` that an answer brings must not be what judges the answer. `-I` keeps
# out what earlier commands left in the user's own folders.
_START = (
    "import sys, pytest; from _pytest.config import default_plugins as names; "
    "[__import__('_pytest.' + name) for name in names]; sys.path.insert(0, ''); "
    "sys.exit(pytest.main(sys.argv[2:]))"
)


async def tests_level(box: Box, *, timeout: float) -> Level:
    """Run all tests within ``timeout`` seconds.

    Raises ``TaskError`` (kind ``environment``) when the sandbox has no pytest or no Python.
    """
    # a name nothing in the sandbox can guess: it may share /tmp with others
    report = f"/tmp/cairn-{secrets.token_hex(16)}.xml"  # noqa: S108
    command = _command(report)
    began = monotonic()
    result = await box.run(command, timeout=timeout)
    seconds = monotonic() - began
    _must_have_pytest(result)
    fetch = 'head -c "$2" "$1"; rm -f "$1"'
    xml = await box.run(["sh", "-c", fetch, "sh", report, str(_LARGEST_REPORT)], timeout=60)
    level = Level(
        "tests",
        "failed",
        command=tuple(command),
        exit_code=result.exit_code,
        output=shown(result),
        seconds=seconds,
    )
    return _judged(level, result, xml.stdout, timeout)


def _command(report: str) -> list[str]:
    return [
        *("python3", "-B", "-I", "-c", _START, "pytest"),
        *("-q", "--tb=short", "-p", "no:cacheprovider"),
        # xunit1 is the family that names file and line of each test
        *("-o", "junit_family=xunit1", f"--junitxml={report}"),
    ]


def _must_have_pytest(result: CommandResult) -> None:
    if result.exit_code == NOT_FOUND:
        message = "python3 is not in the sandbox image. Name an image that has it (sandbox.image)."
        raise TaskError("environment", message)
    if result.exit_code == _FAILED and _NO_PYTEST.search(result.stderr):
        message = (
            "pytest is not in the sandbox image, so the repository's tests cannot run. Name an "
            "image that has it (sandbox.image) or install it in sandbox.setup."
        )
        raise TaskError("environment", message)


def _judged(level: Level, result: CommandResult, xml: bytes, timeout: float) -> Level:
    """Put the verdict into the level; everything that is not proved is failed or skipped."""
    if result.timed_out:
        return replace(level, reason=f"the tests did not end within {timeout:g} seconds")
    if result.exit_code == _NO_TESTS:
        return replace(level, result="skipped", reason="pytest found no tests")
    try:
        report = read_report(xml)
    except UnreadableReport as error:
        return replace(level, reason=f"{_ending(result.exit_code)} ({error})")
    if result.exit_code == _OK and not report.failures:
        return _green(level, report)
    reason = _red(report) if report.failures else _ending(result.exit_code)
    return replace(level, failures=report.failures, reason=reason)


def _green(level: Level, report: Report) -> Level:
    if report.passed:
        return replace(level, result="passed")
    return replace(level, result="skipped", reason=f"all {report.skipped} tests were skipped")


def _red(report: Report) -> str:
    count = len(report.failures)
    return f"{count} {'test' if count == 1 else 'tests'} failed, {report.passed} passed"


def _ending(code: int) -> str:
    """Say how a pytest run ended that left no failing test to show."""
    words = {
        _OK: "the test process ended early without finishing the tests",
        _INTERRUPTED: "the test run was interrupted",
        _USAGE: "pytest refused its options or configuration",
    }
    if code < 0 or code > 128:
        return f"the test process was killed by signal {-code if code < 0 else code - 128}"
    return words.get(code, f"pytest ended with exit code {code}")
