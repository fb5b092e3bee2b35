"""Run a test command and judge it: exit code and report must agree, or nothing is proved.

Reports are fetched with a size limit, and with paths relative to the workspace.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from time import monotonic
from typing import Protocol

from runner.errors import TaskError
from runner.ports import CommandResult, SandboxSession
from runner.state.findings import Level
from runner.text.counting import counted
from runner.verify.junit import SuiteReport, UnreadableReport
from runner.verify.levels import NOT_FOUND, lacking, shown, to_install

NOT_STARTED = 126
"""From this exit code on a program could not be started, or was stopped
(https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_08_02)."""
_KILLED = 128
RED = range(1, _KILLED)
"""Exit codes of a tool that has no special code for failing tests."""

_LAST, _LONGEST = 20_000, 300
_ERROR = re.compile(r"(?:^|[\w.: ])(?:error|\w*Error|\w*Exception|fatal|panic)\b", re.IGNORECASE)
# pytest's progress at the end of a line: [ 61%]
_PERCENT = re.compile(rb"\[ {0,2}(\d{1,3})%\]")


async def ran(
    session: SandboxSession,
    command: Sequence[str],
    *,
    tool: str,
    timeout: float,
    shown_as: str = "",
) -> tuple[CommandResult, Level]:
    """Run a command; return how it ended, and its level, failed until the report says better.

    ``shown_as`` is the line a person would type for it, where the command itself says too much.
    """
    began = monotonic()
    result = await session.run(command, timeout=timeout)
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
        raise not_there(result, program, how=how)


def not_there(result: CommandResult, what: str, *, how: str = "") -> TaskError:
    """What to do about a tool that the sandbox does not have."""
    more = f" ({how})" if how else ""
    return TaskError("environment", f"{what} is {lacking(result)}. {to_install(result)}{more}.")


def judged(
    level: Level,
    result: CommandResult,
    read: Callable[[], SuiteReport],
    *,
    timeout: float,
    endings: Mapping[int, str] | None = None,
    red: Collection[int] = RED,
    own_error: Callable[[str], str] | None = None,
) -> Level:
    """Put the verdict into the level; everything that is not proved is failed or skipped.

    ``read`` returns the report or raises ``UnreadableReport``; ``endings`` are the tool's own
    exit codes in words, ``red`` those that mean that tests failed. Any other is a failure of the
    tool itself, whatever its report says; ``own_error`` finds the reason that the tool printed.
    """
    if result.timed_out:
        return _timed_out(level, result, timeout)
    ending = ending_of(level.tool, result.exit_code, endings or {})
    words = (own_error or error_line)(level.output) if result.exit_code else ""
    reason = f"{ending}: {words}" if words else ending
    try:
        report = read()
    except UnreadableReport as error:
        said = words or _last_line(result.stderr)
        return _broken(level, f"{ending}: {said}" if said else f"{ending} ({error})")
    if report.broken or result.exit_code not in (0, *red):
        return _broken(level, reason)
    if result.exit_code == 0 and not report.failures:
        return _green(level, report)
    if not report.failures:
        return _broken(level, reason if words else f"{ending}, though no test failed")
    reason = f"{counted(len(report.failures), 'test')} failed, {report.passed} passed"
    return _with_passing(replace(level, failures=report.failures, reason=reason), report)


def by_exit_code(level: Level, result: CommandResult, *, timeout: float) -> Level:
    """The verdict on a command that leaves no report: 0 is passed."""
    if result.timed_out:
        return _timed_out(level, result, timeout)
    if result.exit_code == 0:
        return replace(level, result="passed")
    reason = ending_of(level.tool, result.exit_code, {})
    return replace(level, reason=reason, cause="" if _is_signal(result.exit_code) else "exit_code")


def _timed_out(level: Level, result: CommandResult, timeout: float) -> Level:
    """Say when the tests were stopped, and how far they had come where the output shows it."""
    shares = _PERCENT.findall(result.stdout[-_LAST:])
    far = f" at {int(shares[-1])} %" if shares else ""
    return replace(_broken(level, f"the tests timed out after {timeout:g} s{far}"), cause="timeout")


def error_line(output: str) -> str:
    """The last line of an output that names an error, on one line; '' when none does."""
    lines = [line.strip() for line in output[-_LAST:].split("\n")]
    found = [line for line in lines if _ERROR.search(line[:_LONGEST])]
    return found[-1][:_LONGEST] if found else ""


def _last_line(output: bytes) -> str:
    """What a process said last, as it is where it ends itself before its tool can report."""
    lines = output[-_LAST:].decode("utf-8", "replace").strip().split("\n")
    return lines[-1].strip()[:_LONGEST]


def _broken(level: Level, why: str) -> Level:
    return replace(level, broken=why, reason=why)


def ending_of(tool: str, code: int, words: Mapping[int, str]) -> str:
    """Say how a test run ended that left no failing test to show."""
    if _is_signal(code):
        return f"the test process was killed by signal {-code if code < 0 else code - _KILLED}"
    early = "the test process ended early without finishing the tests"
    return words.get(code, early if code == 0 else f"{tool} ended with exit code {code}")


def _is_signal(code: int) -> bool:
    return code < 0 or code > _KILLED


def _green(level: Level, report: SuiteReport) -> Level:
    if report.passed:
        return _with_passing(replace(level, result="passed"), report)
    if report.skipped:
        return replace(level, result="skipped", reason=f"all {report.skipped} tests were skipped")
    return replace(level, result="skipped", reason=f"{level.tool} found no tests")


def _with_passing(level: Level, report: SuiteReport) -> Level:
    return replace(level, passed=report.passed, green=report.green, found=report.names)


LARGEST = 4 << 20
"""Bytes of reports that are read of one run."""

_FETCH = 'head -c "$2" "$1"; exec rm -rf "$1" "$1.cache"'
_FETCH_HERE = f'pwd -P; [ -f "$1" ] && {_FETCH}'
# a pattern is split into files, by nothing else
_GATHER = """\
IFS=; most=$1; shift; pwd -P
for pattern; do
    for file in $pattern; do
        [ -f "$file" ] && [ ! -L "$file" ] && head -c "$most" "$file" && printf '\\0'
    done
done | head -c "$most"
"""


def new_report(suffix: str) -> str:
    """Name a report as nothing in the sandbox can guess: it may share /tmp with others."""
    return f"/tmp/cairn-{secrets.token_hex(16)}.{suffix}"  # noqa: S108


async def fetched(session: SandboxSession, path: str) -> bytes:
    """Return a report as it is, and remove it; nothing if there is no report."""
    return (await session.run(["sh", "-c", _FETCH, "sh", path, str(LARGEST)], timeout=60)).stdout


async def fetched_here(session: SandboxSession, path: str) -> bytes:
    """Return a report with the workspace's own folder cut from its paths."""
    command = ["sh", "-c", _FETCH_HERE, "sh", path, str(LARGEST)]
    return _from_here((await session.run(command, timeout=60)).stdout)


async def gathered(session: SandboxSession, patterns: Sequence[str]) -> list[bytes]:
    """Return the files of the workspace that shell patterns name."""
    result = await session.run(["sh", "-c", _GATHER, "sh", str(LARGEST), *patterns], timeout=60)
    return [file for file in _from_here(result.stdout).split(b"\0") if file.strip()]


def _from_here(output: bytes) -> bytes:
    folder, _, content = output.partition(b"\n")
    return content.replace(folder + b"/", b"") if len(folder) > 1 else content


Read = Callable[[str], bytes | None]


class Tool(Protocol):
    """One test runner. Tests are named by the ids its own report gives them."""

    @property
    def name(self) -> str:
        """What the level is marked with (``pytest``, ``node``, ``cargo`` ...)."""

    def found(self, paths: Collection[str], read: Read) -> bool:
        """Say whether a tree has tests for it; ``read`` knows the configuration files."""

    async def run(
        self, session: SandboxSession, *, timeout: float, only: Sequence[str] = ()
    ) -> Level:
        """Run all tests, or ``only`` these, within ``timeout`` seconds.

        Raises ``TaskError`` (kind ``environment``) when they cannot run in this image.
        """
