"""``verify.commands``: what a repository says verifies it, in place of what its files tell.

Exit code 0 is passed. Where a report is named as well, it must be there, and say the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from runner.errors import TaskError
from runner.findings import Level
from runner.ports import Box
from runner.text import as_typed
from runner.verifiers.judging import by_exit_code, counted, ran
from runner.verifiers.junit import UnreadableReport, read_reports
from runner.verifiers.junit_dialects import plain
from runner.verifiers.levels import NOT_FOUND
from runner.verifiers.reports import gathered

COMMAND = "command"
"""What the levels of commands are marked with."""

_REMOVE = "IFS=; rm -f $1"


@dataclass(frozen=True, slots=True)
class Commands:
    """Commands of a repository, and the shell pattern of the JUnit reports they leave ('': none).

    ``proposed`` says that a model named them: a program that is not there is then no fault of the
    sandbox image.
    """

    commands: tuple[tuple[str, ...], ...] = ()
    report: str = ""
    proposed: bool = False

    def __bool__(self) -> bool:
        return bool(self.commands)


async def command_levels(box: Box, own: Commands, *, timeout: float) -> tuple[Level, ...]:
    """Run the commands one after another, each a level, also after one that failed.

    One repair then sees all that is wrong. What needs the one before is one line: ``a && b``.
    Raises ``TaskError`` (kind ``environment``) when the sandbox lacks the program of one.
    """
    if own.report:
        await box.run(["sh", "-c", _REMOVE, "sh", own.report], timeout=60)
    levels: list[Level] = []
    for command in own.commands:
        told = own.proposed or any(level.result == "failed" for level in levels)
        levels.append(await _level(box, command, own, timeout=timeout, told=told))
    if own.report:
        levels[-1] = await _with_report(box, levels[-1], own.report)
    return tuple(levels)


async def _level(
    box: Box, command: tuple[str, ...], own: Commands, *, timeout: float, told: bool
) -> Level:
    """Run one; ``told`` says that a missing program is no news about the image.

    A model proposed the command, or what failed before would have built it.
    """
    result, level = await ran(box, command, tool=COMMAND, timeout=timeout)
    if result.exit_code == NOT_FOUND and not told:
        raise TaskError(
            "environment",
            f"The command `{as_typed(command)}` of verify.commands starts a program that is not in "
            "the sandbox image. Name an image that has it (sandbox.image) or install it in "
            f"sandbox.setup.\n{level.output[-500:]}",
        )
    judged = by_exit_code(level, result, timeout=timeout)
    if own.proposed and judged.result == "passed":
        return replace(judged, reason=f"by a command the model proposed: {as_typed(command)}")
    return judged


async def _with_report(box: Box, level: Level, pattern: str) -> Level:
    """Add what the report says: a green command whose report is red or missing has failed."""
    try:
        report = read_reports(await gathered(box, [pattern]), plain)
    except UnreadableReport as error:
        if level.result == "failed":
            return level
        return replace(level, result="failed", reason=f"{error} at {pattern} (verify.report)")
    if report.broken:
        return replace(level, result="failed", broken=report.broken, reason=report.broken)
    level = replace(level, passed=report.passed, green=report.green)
    if not report.failures:
        return level
    reason = f"{counted(len(report.failures))} failed, {report.passed} passed"
    return replace(level, result="failed", failures=report.failures, reason=reason)
