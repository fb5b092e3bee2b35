"""Run a test command and judge it: exit code and report must agree, or nothing is proved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import monotonic

from runner.errors import TaskError
from runner.findings import Level
from runner.ports import Box, CommandResult
from runner.verifiers.junit import Report, UnreadableReport
from runner.verifiers.levels import NOT_FOUND, shown

_KILLED = 128


async def ran(
    box: Box, command: Sequence[str], *, tool: str, timeout: float, shown_as: str = ""
) -> tuple[CommandResult, Level]:
    """Run a command; return how it ended, and its level, failed until the report says better.

    ``shown_as`` is the line a person would type for it, where the command itself says too much.
    """
    began = monotonic()
    result = await box.run(command, timeout=timeout)
    level = Level(
        "tests",
        "failed",
        tool=tool,
        command=tuple(shown_as.split() or command),
        exit_code=result.exit_code,
        output=shown(result),
        seconds=monotonic() - began,
    )
    return result, level


def must_be_there(result: CommandResult, program: str, *, how: str = "") -> None:
    """Raise ``TaskError`` (kind ``environment``) when the sandbox does not have the program."""
    if result.exit_code == NOT_FOUND:
        raise not_there(program, how=how)


def not_there(what: str, *, how: str = "") -> TaskError:
    """What to do about a tool that the sandbox does not have."""
    more = f" ({how})" if how else ""
    return TaskError(
        "environment",
        f"{what} is not in the sandbox image. Name an image that has it (sandbox.image) or install "
        f"it in sandbox.setup{more}.",
    )


def judged(
    level: Level,
    result: CommandResult,
    read: Callable[[], Report],
    *,
    timeout: float,
    endings: Mapping[int, str] | None = None,
) -> Level:
    """Put the verdict into the level; everything that is not proved is failed or skipped.

    ``read`` returns the report or raises ``UnreadableReport``; ``endings`` are the tool's own
    exit codes in words.
    """
    if result.timed_out:
        return replace(level, reason=f"the tests did not end within {timeout:g} seconds")
    ending = ending_of(level.tool, result.exit_code, endings or {})
    try:
        report = read()
    except UnreadableReport as error:
        return replace(level, reason=f"{ending} ({error})")
    if result.exit_code == 0 and not report.failures:
        return _green(level, report)
    reason = _red(report) if report.failures else ending
    return replace(level, failures=report.failures, reason=reason)


def by_exit_code(level: Level, result: CommandResult, *, timeout: float) -> Level:
    """The verdict on a command that leaves no report: 0 is passed."""
    if result.timed_out:
        return replace(level, reason=f"the tests did not end within {timeout:g} seconds")
    if result.exit_code == 0:
        return replace(level, result="passed")
    return replace(level, reason=ending_of(level.tool, result.exit_code, {}))


def ending_of(tool: str, code: int, words: Mapping[int, str]) -> str:
    """Say how a test run ended that left no failing test to show."""
    if code < 0 or code > _KILLED:
        return f"the test process was killed by signal {-code if code < 0 else code - _KILLED}"
    early = "the test process ended early without finishing the tests"
    return words.get(code, early if code == 0 else f"{tool} ended with exit code {code}")


def _green(level: Level, report: Report) -> Level:
    if report.passed:
        return replace(level, result="passed")
    if report.skipped:
        return replace(level, result="skipped", reason=f"all {report.skipped} tests were skipped")
    return replace(level, result="skipped", reason=f"{level.tool} found no tests")


def _red(report: Report) -> str:
    count = len(report.failures)
    return f"{count} {'test' if count == 1 else 'tests'} failed, {report.passed} passed"
