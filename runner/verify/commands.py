"""``verify.commands``: the commands that a repository names for its verification.

Exit code 0 means passed. If a report is named as well, it must exist and agree. A command that is
known to start one test runner tells of each test; any other one is one test.
"""

from __future__ import annotations

import re
import secrets
import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from runner.code.languages import is_among_tests, is_test_file
from runner.errors import TaskError
from runner.ports import CommandResult, SandboxSession
from runner.state.findings import Level, TestFailure, what_happened
from runner.text.counting import counted
from runner.text.sanitize import as_typed
from runner.verify.folders import below, opened, placed
from runner.verify.judging import (
    Read,
    Tool,
    by_exit_code,
    fetched,
    fetched_here,
    gathered,
    new_report,
    ran,
)
from runner.verify.junit import SuiteReport, UnreadableReport, plain, pytest, read_reports
from runner.verify.levels import NOT_FOUND, lacking, to_install
from runner.verify.python_layout import PythonLayout
from runner.verify.tools.cargo import Cargo
from runner.verify.tools.dotnet import Dotnet
from runner.verify.tools.go import Go
from runner.verify.tools.jvm import GRADLE, MAVEN, Phpunit
from runner.verify.tools.node import Node, suite_of_line
from runner.verify.tools.python import Pytest, collected, collecting_plugin, sealed_plugin
from runner.verify.tools.ruby import Make, Minitest, Rspec, Script

COMMAND = "command"
"""What the levels of commands are marked with."""

_REMOVE = "IFS=; rm -f $1"
_KNOWN = 'command -v "$1"'
_FIRST = re.compile(r"(?:\w+=[^\s$`'\"]* +)*([\w.+-]+)(?= |$)")
_NOT_EXECUTABLE = 126
_NO_MODULE = re.compile(r"^\S*python[\w.]*: (No module named \S+)", re.MULTILINE)
_PYTEST = re.compile(r"(?<![\w./-])(?:[\w./-]*/)?(?:pytest|py\.test)(?![\w./=-])")
_ALONE = re.compile(
    r"(?:env +)?(?:(?!PYTHONPATH|PYTEST_)\w+=[^\s;&|<>`$()#'\"]* +)*"
    r"(?:\S*python[\d.]* -m )?(?:\S*/)?(?:pytest|py\.test)(?: [^;&|<>`$()\n#]*)?"
)
_EARLY = re.compile(r"^!+ stopping after \d+ failures !+$", re.MULTILINE)
_FAMILY = "-o junit_family=xunit1 --continue-on-collection-errors"
"""The family that names the file of each test; see ``runner.verify.tools.python``."""
_WITH_OPTIONS = 'export PYTEST_ADDOPTS="$PYTEST_ADDOPTS $0"; exec "$@"'
"""https://docs.pytest.org/en/stable/reference/reference.html#envvar-PYTEST_ADDOPTS"""
_WITH_PLUGIN = f'export PYTHONPATH="$1${{PYTHONPATH:+:$PYTHONPATH}}"; shift; {_WITH_OPTIONS}'
_PUT = 'mkdir "$1" && cat >"$1/$2.py"'
_STARTS: Final = {
    **dict.fromkeys(
        ("npm test", "npm t", "npm run test", "yarn test", "yarn run test", "pnpm test"), "node"
    ),
    "pnpm run test": "node",
    "go test ./...": "go",
    "cargo test": "cargo",
    "dotnet test": "dotnet",
    "bundle exec rspec": "rspec",
    "vendor/bin/phpunit": "phpunit",
}
"""What a line starts, letter by letter, and the tool that does the same."""


@dataclass(frozen=True, slots=True)
class Commands:
    """Commands of a repository, and the shell pattern of the JUnit reports they leave ('': none).

    ``proposed`` says that a model named them: a program that is not there is then no fault of the
    sandbox image. ``before`` are the files of the tree that a change was made on: tests keep their
    names, whatever files it adds. They work in ``folder`` ('': the workspace), where a Python
    project may be laid out.
    """

    commands: tuple[tuple[str, ...], ...] = ()
    report: str = ""
    proposed: bool = False
    before: Collection[str] = field(default=(), repr=False, compare=False)
    folder: str = ""
    layout: PythonLayout | None = field(default=None, repr=False, compare=False)

    def __bool__(self) -> bool:
        return bool(self.commands)

    async def opened(self, session: SandboxSession) -> SandboxSession:
        """Return the session that they are run in."""
        return await opened(session, self.folder, self.layout) if self.folder else session

    def placed(self, level: Level, paths: Collection[str]) -> Level:
        """The level of one of them, as it is told of a workspace with these ``paths``."""
        if not self.folder:
            return _with_files(level, paths, self.before)
        there = below(self.folder, paths)
        level = _with_files(level, there, below(self.folder, self.before))
        line = f"cd {shlex.quote(self.folder)} && {as_typed(level.command)}"
        return replace(placed(level, self.folder, there), command=("sh", "-c", line))


async def command_levels(
    session: SandboxSession,
    own: Commands,
    *,
    timeout: float,
    paths: Collection[str],
    tools: Sequence[Tool],
) -> tuple[Level, ...]:
    """Run the commands one after another, each a level, also after one that failed.

    One repair then sees all that is wrong. What needs the one before is one line: ``a && b``.
    ``paths`` are the files of the tree, ``tools`` what can run its tests. Raises ``TaskError``
    (kind ``environment``) when the sandbox lacks the program of one.
    """
    session, tools = await own.opened(session), TOOLS if own.folder else tools
    if own.report:
        await session.run(["sh", "-c", _REMOVE, "sh", own.report], timeout=60)
    levels: list[Level] = []
    for command in own.commands:
        explained = own.proposed or any(level.result == "failed" for level in levels)
        levels.append(
            await _level(session, command, own, tools, timeout=timeout, explained=explained)
        )
    if own.report and not levels[-1].broken:
        levels[-1] = await _with_report(session, levels[-1], own.report)
    return tuple(own.placed(level, paths) for level in levels)


async def known_programs(session: SandboxSession, own: Commands) -> None:
    """Look for the program that each command starts; of a shell line for the one it begins with.

    A path in a shell line is left out: a line before it may make that file. Raises ``TaskError``
    (kind ``environment``) for the first that the sandbox does not have.
    """
    session = await own.opened(session)
    for command in filter(program_of, own.commands):
        known = await session.run(["sh", "-c", _KNOWN, "sh", program_of(command)])
        if known.exit_code:
            raise _absent(known, command)


def program_of(command: Sequence[str]) -> str:
    """Return the program that a command starts; of a shell line the one it begins with, if any."""
    if command[0] != "sh" or not "".join(command[1:2]).startswith("-"):  # a script of its own
        return command[0]
    line = _FIRST.match(command[-1])
    return line[1] if line else ""


async def started_commands(
    session: SandboxSession,
    own: Commands,
    *,
    timeout: float,
    whole: bool,
    paths: Collection[str] = (),
) -> tuple[Level, ...]:
    """Start each command without a change, where pytest only collects; each is a level.

    Unless the ``whole`` of them is to be started, only those of pytest before all others are.
    One that is still at work after its share of the time has started. Raises ``TaskError`` (kind
    ``environment``) for the first that does not start at all.
    """
    levels: list[Level] = []
    for command in own.commands:
        of_pytest = _ALONE.fullmatch(as_typed(command))
        if not (of_pytest or whole):
            break  # what it makes may be needed by those behind it
        share = timeout / len(own.commands)
        name, folder, report = _plugin_name(), new_report("plugin"), new_report("json")
        options = f"--setup-only -q -p {name}" if of_pytest else "--collect-only -q"
        await session.run(["sh", "-c", _PUT, "sh", folder, name], stdin=collecting_plugin(report))
        run = ["sh", "-c", _WITH_PLUGIN, options, folder, *command]
        result, level = await ran(session, run, tool=COMMAND, timeout=share)
        content = await fetched(session, report)
        await session.run(["rm", "-rf", folder])
        level = replace(level, command=command)
        missing = _NO_MODULE.search(level.output)
        if result.timed_out or name in level.output:
            level = replace(level, result="passed")
        elif result.exit_code == NOT_FOUND:
            raise _absent(result, command, f" {level.output.strip()[-500:]}")
        elif result.exit_code == _NOT_EXECUTABLE or (result.exit_code and missing):
            why = missing[1] if missing else level.output.strip()[-500:]
            what = f"The command `{as_typed(command)}` of verify.commands cannot start ({why})."
            raise TaskError("environment", what)
        elif of_pytest:
            level = collected(level, result, content, timeout=share)
        else:
            level = by_exit_code(level, result, timeout=share)
        levels.append(own.placed(level, paths) if own.folder else level)
    return tuple(levels)


def _plugin_name() -> str:
    return f"cairn_{secrets.token_hex(8)}"


async def _level(
    session: SandboxSession,
    command: tuple[str, ...],
    own: Commands,
    tools: Sequence[Tool],
    *,
    timeout: float,
    explained: bool,
) -> Level:
    """Run one; ``explained`` says that a missing program does not mean the image lacks it.

    A model proposed the command, or what failed before would have built it.
    """
    if own.report or (judged := await _by_tool(session, command, tools, timeout=timeout)) is None:
        report, options = new_report("xml"), ""
        line = as_typed(command)
        if len(_PYTEST.findall(line)) == 1 and (own.report or "--junit" not in line):
            options = _FAMILY if own.report else f"{_FAMILY} --junitxml={report}"
        run = ["sh", "-c", _WITH_OPTIONS, options, *command] if options else command
        name, folder, seal = _plugin_name(), new_report("plugin"), ""
        if options and _ALONE.fullmatch(line):
            options, seal = f"{options} -p {name}", new_report("end")
            plugin = sealed_plugin(folder, options, seal)
            await session.run(["sh", "-c", _PUT, "sh", folder, name], stdin=plugin)
            run = ["sh", "-c", _WITH_PLUGIN, options, folder, *command]
        result, level = await ran(session, run, tool=COMMAND, timeout=timeout)
        # it switches reports off, or has other paths
        if options and (b"--junitxml" in result.stderr or name.encode() in result.stderr):
            options = seal = ""
            result, level = await ran(session, command, tool=COMMAND, timeout=timeout)
        if result.exit_code == NOT_FOUND and not explained:
            raise _absent(result, command, f"\n{level.output[-500:]}")
        judged = by_exit_code(replace(level, command=command), result, timeout=timeout)
        if options and not own.report and not judged.broken:
            judged = _with_names(judged, await fetched_here(session, report))
        if seal:
            judged = _sealed(judged, await fetched(session, seal))
            await session.run(["rm", "-rf", folder])
    if own.proposed and judged.result == "passed":
        return replace(judged, reason=f"by a command the model proposed: {as_typed(command)}")
    return judged


async def _by_tool(
    session: SandboxSession, command: tuple[str, ...], tools: Sequence[Tool], *, timeout: float
) -> Level | None:
    """The level of a command that says what a tool starts by itself; None for any other one."""
    line = as_typed(command)
    suite = suite_of_line(line)
    tool = next((each for each in tools if each.name == _STARTS.get(line)), None)
    tool = Node(suite) if suite else tool
    if tool is None:
        return None
    try:
        level = await tool.run(session, timeout=timeout)
    except TaskError:  # it is not there, or cannot tell: the command speaks for itself
        return None
    return replace(level, tool=COMMAND, command=command)


def _sealed(level: Level, end: bytes) -> Level:
    """The level as it is if pytest came to its end, and did what its report says.

    ``end`` is nothing where it does not tell, ``begun`` or the number of tests that failed.
    """
    agrees = not end or (end.isdigit() and (end == b"0" or level.result == "failed"))
    if agrees or level.broken or level.exit_code not in (0, 1):
        return level
    why = (
        f"pytest ended with exit code {level.exit_code} before its tests were over, or the "
        "tests changed how pytest judges them, so none of the tests counts"
    )
    return replace(level, result="failed", broken=why, reason=why)


def _with_names(level: Level, xml: bytes) -> Level:
    """Add what pytest reports of each test, where that agrees with how the command ended."""
    try:
        report = read_reports([xml], pytest)
    except UnreadableReport:
        if level.result == "failed" or xml or not _ALONE.fullmatch(as_typed(level.command)):
            return level
        why = "pytest ended with exit code 0 before its tests were over, so none of them counts"
        return replace(level, result="failed", broken=why, reason=why)
    if report.broken or bool(report.failures) != (level.result == "failed"):
        return level
    if _EARLY.search(level.output):
        report = replace(report, names=(), green=())  # the others are not gone
    return _reported(level, report)


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
    return _reported(level, report)


def _reported(level: Level, report: SuiteReport) -> Level:
    level = replace(level, passed=report.passed, green=report.green, found=report.names)
    if not report.failures:
        return level
    reason = f"{counted(len(report.failures), 'test')} failed, {report.passed} passed"
    return replace(level, result="failed", failures=report.failures, reason=reason)


def _named(paths: Collection[str]) -> dict[str, str]:
    """Test files by what a report may call them; '' for a name that several have."""
    files: dict[str, str] = {}
    tests = [path for path in paths if is_test_file(path) or is_among_tests(path)]
    for most in (None, 1):  # what is named in full is meant by it
        for path in tests:
            parts = path.rpartition(".")[0].split("/")
            for name in (".".join(parts[at:]) for at in range(len(parts))[:most]):
                files[name] = "" if name in files and most is None else path
    return files


def _with_files(level: Level, paths: Collection[str], before: Collection[str]) -> Level:
    """The level with ids that begin with a file, also where a report names classes.

    A name means what it meant among the files ``before``, as far as that is there. No file counts
    as green where that is not known of all of them.
    """
    old = {name: path for name, path in _named(before).items() if not path or path in paths}
    files = _named(paths) | old

    def placed(test: str) -> str:
        start, colons, case = test.partition("::")
        if start in paths:
            return test
        parts = (start.rpartition(".")[0].replace("/", ".") if "/" in start else start).split(".")
        for end in range(len(parts), 0, -1):
            if path := files.get(".".join(parts[:end])):
                return "::".join((path, *parts[end:], *([case] if colons else [])))
        return test

    found = tuple(map(placed, level.found))
    failures = tuple(replace(each, test=placed(each.test)) for each in level.failures)
    green = sorted({test.partition("::")[0] for test in found})
    known = green if all(path in paths for path in green) else ()
    return replace(level, found=found, failures=failures, green=tuple(known))


def as_one_test(level: Level) -> Level:
    """A run that names no tests as one test, named by its command or tool; others as they are.

    A run that was stopped says nothing.
    """
    name = as_typed(level.command) if level.tool == COMMAND else level.tool
    if level.name != "tests" or level.found or level.failures or level.broken:
        return level
    if level.result == "passed":
        return replace(level, found=(name,), passed=1)
    if level.result == "failed" and level.cause == "exit_code":
        return replace(
            level, failures=(TestFailure(name, f"{what_happened(level)}\n{level.output}"),)
        )
    return level


@dataclass(frozen=True, slots=True)
class OwnTests:
    """The ``Tool`` of a repository's own commands, all of them together."""

    own: Commands
    paths: Collection[str]
    tools: Sequence[Tool]
    name = COMMAND

    def found(self, paths: Collection[str], read: Read) -> bool:
        """They take the place of whatever a tree has."""
        return bool(self.own)

    async def run(
        self, session: SandboxSession, *, timeout: float, only: Sequence[str] = ()
    ) -> Level:
        """Run all commands; they know no ``only``. A command that names no tests is one test."""
        levels = await command_levels(
            session, self.own, timeout=timeout, paths=self.paths, tools=self.tools
        )
        levels = tuple(map(as_one_test, levels))
        worst = max(levels, key=lambda level: (bool(level.broken), level.result == "failed"))
        return replace(
            worst,
            failures=tuple(failure for level in levels for failure in level.failures),
            passed=sum(level.passed for level in levels),
            found=tuple(name for level in levels for name in level.found),
            seconds=sum(level.seconds for level in levels),
        )


TOOLS: Final[tuple[Tool, ...]] = (
    Pytest(),
    Node(),
    Cargo(),
    Go(),
    MAVEN,
    GRADLE,
    Dotnet(),
    Rspec(),
    Minitest(),
    Phpunit(),
    Make(),
    Script(),
)
"""Each one with tests in the project is run; one of the last two only if there is no other."""

PATIENT: Final[tuple[Tool, ...]] = (Pytest(share=0.7), *TOOLS[1:])
"""The same, where tests may take more time than one command has."""
