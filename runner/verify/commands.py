"""``verify.commands``: the commands that a repository names for its verification.

Exit code 0 means passed. If a report is named as well, it must exist and agree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from runner.errors import TaskError
from runner.ports import CommandResult, SandboxSession
from runner.state.findings import Level
from runner.text.sanitize import as_typed
from runner.verify.judging import Tool, by_exit_code, counted, gathered, ran
from runner.verify.junit import UnreadableReport, plain, read_reports
from runner.verify.levels import NOT_FOUND, lacking, to_install
from runner.verify.tools.cargo import Cargo
from runner.verify.tools.go import Go
from runner.verify.tools.jvm import GRADLE, MAVEN, Phpunit
from runner.verify.tools.node import Node
from runner.verify.tools.python import Pytest
from runner.verify.tools.ruby import Make, Minitest, Rspec

COMMAND = "command"
"""What the levels of commands are marked with."""

_REMOVE = "IFS=; rm -f $1"
_KNOWN = 'command -v "$1"'


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


async def command_levels(
    session: SandboxSession, own: Commands, *, timeout: float
) -> tuple[Level, ...]:
    """Run the commands one after another, each a level, also after one that failed.

    One repair then sees all that is wrong. What needs the one before is one line: ``a && b``.
    Raises ``TaskError`` (kind ``environment``) when the sandbox lacks the program of one.
    """
    if own.report:
        await session.run(["sh", "-c", _REMOVE, "sh", own.report], timeout=60)
    levels: list[Level] = []
    for command in own.commands:
        explained = own.proposed or any(level.result == "failed" for level in levels)
        levels.append(await _level(session, command, own, timeout=timeout, explained=explained))
    if own.report:
        levels[-1] = await _with_report(session, levels[-1], own.report)
    return tuple(levels)


async def known_programs(session: SandboxSession, own: Commands) -> tuple[Level, ...]:
    """Look for the program that each command starts; what a shell line starts is left to it.

    Raises ``TaskError`` (kind ``environment``) for the first that the sandbox does not have.
    """
    for command in own.commands:
        if command[0] == "sh":
            continue
        known = await session.run(["sh", "-c", _KNOWN, "sh", command[0]])
        if known.exit_code:
            raise _absent(known, command)
    return ()


async def _level(
    session: SandboxSession,
    command: tuple[str, ...],
    own: Commands,
    *,
    timeout: float,
    explained: bool,
) -> Level:
    """Run one; ``explained`` says that a missing program does not mean the image lacks it.

    A model proposed the command, or what failed before would have built it.
    """
    result, level = await ran(session, command, tool=COMMAND, timeout=timeout)
    if result.exit_code == NOT_FOUND and not explained:
        raise _absent(result, command, f"\n{level.output[-500:]}")
    judged = by_exit_code(level, result, timeout=timeout)
    if own.proposed and judged.result == "passed":
        return replace(judged, reason=f"by a command the model proposed: {as_typed(command)}")
    return judged


def _absent(result: CommandResult, command: tuple[str, ...], more: str = "") -> TaskError:
    return TaskError(
        "environment",
        f"The command `{as_typed(command)}` of verify.commands starts a program that is "
        f"{lacking(result)}. {to_install(result)}.{more}",
    )


async def _with_report(session: SandboxSession, level: Level, pattern: str) -> Level:
    """Add what the report says: a green command whose report is red or missing has failed."""
    try:
        report = read_reports(await gathered(session, [pattern]), plain)
    except UnreadableReport as error:
        if level.result == "failed":
            return level
        why = f"{error} at {pattern} (verify.report)"  # the code is not to blame: exit code 0
        return replace(level, result="failed", broken=why, reason=why)
    if report.broken:
        return replace(level, result="failed", broken=report.broken, reason=report.broken)
    level = replace(level, passed=report.passed, green=report.green, found=report.names)
    if not report.failures:
        return level
    reason = f"{counted(len(report.failures))} failed, {report.passed} passed"
    return replace(level, result="failed", failures=report.failures, reason=reason)


TOOLS: Final[tuple[Tool, ...]] = (
    Pytest(),
    Node(),
    Cargo(),
    Go(),
    MAVEN,
    GRADLE,
    Rspec(),
    Minitest(),
    Phpunit(),
    Make(),
)
"""Each one with tests in the project is run; the last only if there is no other."""

PATIENT: Final[tuple[Tool, ...]] = (Pytest(share=0.7), *TOOLS[1:])
"""The same, where tests may take more time than one command has."""

NAMES: Final = (
    "pytest, node, jest, vitest, mocha, cargo, go, Maven, Gradle, RSpec, Minitest, PHPUnit, make"
)
"""What is looked for, for people."""
