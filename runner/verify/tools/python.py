"""Run a project's tests with pytest in the sandbox and judge how that ended.

Exit codes: https://docs.pytest.org/en/stable/reference/exit-codes.html. The JUnit report decides: a
test process that ends without one has proved nothing, whatever its exit code.
"""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from runner.code.languages import is_pytest_module
from runner.errors import TaskError
from runner.ports import CommandResult, SandboxSession
from runner.state.findings import Level, TestFailure
from runner.text.counting import counted
from runner.text.patterns import lazy_pattern
from runner.verify.judging import (
    Read,
    error_line,
    fetched,
    judged,
    must_be_there,
    new_report,
    ran,
)
from runner.verify.junit import (
    BadCase,
    SuiteReport,
    UnreadableReport,
    pytest,
    read_report,
    report_of,
)
from runner.verify.levels import lacking, to_install
from runner.verify.tools.ruby import MAKEFILES

_OF_PYTEST = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
PLAIN = ("test.py", "tests.py")
CONFIGURATION = (*_OF_PYTEST, *PLAIN, "package.json", *MAKEFILES)
"""Files whose content shows which tests a tree has: all that a ``read`` needs to know."""


def has_pytest(paths: Collection[str], read: Callable[[str], bytes | None]) -> bool:
    """Whether there are test modules by pytest's names, or a configuration of pytest's."""
    if any(is_pytest_module(path) for path in paths) or plain_modules(paths, read):
        return True
    return any(_configures(name, read(name) or b"") for name in _OF_PYTEST if name in paths)


def plain_modules(paths: Collection[str], read: Callable[[str], bytes | None]) -> tuple[str, ...]:
    """The modules of tests at the root that pytest does not look for: ``python test.py``.

    None where there are others that it finds.
    """
    if any(is_pytest_module(path) for path in paths):
        return ()
    there = {path: read(path) or b"" for path in PLAIN if path in paths}
    return tuple(path for path, text in there.items() if _TESTS.search(text))


def testpaths(paths: Collection[str], read: Callable[[str], bytes | None]) -> list[str] | None:
    """The folders that the root's configuration runs the tests of; all where it names none.

    None where nothing at the root says that its tests are run from there.
    """
    named = [name for name in _OF_PYTEST if name in paths and _configures(name, read(name) or b"")]
    if not named:
        return [] if "conftest.py" in paths else None
    options = _options(named[0], read(named[0]) or b"") or {}
    wanted = options.get("testpaths", ())
    return wanted.split() if isinstance(wanted, str) else [str(each) for each in wanted]


def _configures(name: str, content: bytes) -> bool:
    return name.endswith("pytest.ini") or _options(name, content) is not None


def _options(name: str, content: bytes) -> Mapping[str, Any] | None:
    """What a file of settings says to pytest; None where it is not about it."""
    text = content.decode("utf-8", "replace")
    try:
        if name == "pyproject.toml":
            data = tomllib.loads(text).get("tool", {}).get("pytest")
            return None if data is None else data.get("ini_options", data)
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        parser.read_string(text)
    except (tomllib.TOMLDecodeError, configparser.Error, AttributeError, TypeError, RecursionError):
        return None
    section = next((each for each in ("pytest", "tool:pytest") if each in parser), None)
    return None if section is None else dict(parser[section])


_TESTS = lazy_pattern(rb"^(?:import|from) unittest\b|^def test_", re.MULTILINE)
_MOST_SHOWN = 10
_LONGEST = 2_000
_FAILED, _INTERRUPTED, _INTERNAL, _USAGE, _NO_TESTS, _FORGED = 1, 2, 3, 4, 5, 76
_ENDINGS = {
    _INTERRUPTED: "pytest was interrupted",
    _INTERNAL: "pytest had an internal error",
    _USAGE: "pytest could not start",
    _FORGED: "the tests changed how pytest judges them",
}
_INTERNAL_LINE = lazy_pattern(r"^INTERNALERROR> (?! )(.+)$", re.MULTILINE)
_WRONG_USAGE = lazy_pattern(r"^\S+: error: (.+)$", re.MULTILINE)
_REFUSED = lazy_pattern(r"^ERROR: (?!usage:)(.+)$", re.MULTILINE)
_CONFTEST = lazy_pattern(r"^(?:ImportError|\w+) while loading conftest '(.+)'", re.MULTILINE)
_RAISED = lazy_pattern(r"^E {3}(?! )(.+)$", re.MULTILINE)
# pytest.exit while tests run, in a conftest that is being loaded, where pytest itself does not
# expect it, and in pytest_configure
_EXITS = (
    lazy_pattern(r"^!{3,} _pytest\.outcomes\.Exit: (.{1,2000}?) !{3,}$", re.MULTILINE | re.DOTALL),
    lazy_pattern(r"^E {3}_pytest\.outcomes\.Exit: (.+)$", re.MULTILINE),
    lazy_pattern(r"^INTERNALERROR> (?:_pytest\.outcomes\.Exit|SystemExit): (.+)$", re.MULTILINE),
    lazy_pattern(r"^Exit: (.{1,2000})\Z", re.MULTILINE | re.DOTALL),
)
_NO_PYTEST = lazy_pattern(rb"^ModuleNotFoundError: No module named 'pytest'\s*$", re.MULTILINE)

# `python3 -m pytest`, but pytest and its plugins are there before the workspace is on the path: a
# `pytest.py` or `pluggy.py` that an answer brings must not be what judges the answer. `-I` keeps
# out what earlier commands left in the user's own folders. What pytest itself has loaded of the
# project in hand (pluggy, packaging) is forgotten, so that its tests load the workspace's. What is
# there before the project stays to the end: pytest's own collections of garbage need not visit it.
_PREPARE = """
import os, re, sys, pytest
from importlib import metadata
from _pytest.config import default_plugins
for name in default_plugins:
    __import__("_pytest." + name)
getattr(gc, "freeze", gc.collect)()
gc.enable()
own = os.environ.pop("CAIRN_OWN", "").split()
for name in list(sys.modules):
    if name.partition(".")[0] in own:
        del sys.modules[name]
folders = ["", *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
sys.path[:0] = folders
# a plug-in that only an installed copy of the project has is no part of it
for point in metadata.entry_points(group="pytest11") if own and sys.version_info >= (3, 10) else ():
    module = os.path.join(*point.value.partition(":")[0].strip().split("."))
    there = (os.path.join(f, module + end) for f in folders for end in ("", ".py"))
    if module.split(os.sep)[0] in own and not any(map(os.path.exists, there)):
        sys.argv += ["-p", "no:" + point.name]
"""
_PROGRAMS = files("runner.verify.tools")
_COLLECT = _PROGRAMS.joinpath("pytest_collecting.py").read_text()
_APART = _PROGRAMS.joinpath("pytest_apart.py").read_text()
_RUN = _PROGRAMS.joinpath("pytest_running.py").read_text()
_STOPPED = 75
"""The exit code of ``pytest_running`` where its time was up before all tests had run."""
_MOST_PARTS = 12


@dataclass(frozen=True, slots=True)
class Pytest:
    """The ``Tool`` for pytest, which also runs the tests of ``unittest``.

    ``ignored`` are folders whose tests it leaves to others, ``files`` the only modules it runs
    (none: those it finds). Tests for which the time of one command is too short run in several;
    ``share`` is the part of the time after which the next command goes on (the test in hand has the
    rest), 0 where one command must do.
    """

    ignored: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    share: float = 0.0

    @property
    def name(self) -> str:
        """What the level is marked with."""
        return "pytest"

    def found(self, paths: Collection[str], read: Read) -> bool:
        """Whether there are test modules by pytest's names, or a configuration of pytest's."""
        return has_pytest(paths, read)

    async def run(
        self, session: SandboxSession, *, timeout: float, only: Sequence[str] = ()
    ) -> Level:
        """Run the tests; see ``tests_level``."""
        only = only or self.ignoring
        return await tests_level(session, timeout=timeout, only=only, share=self.share)

    async def start(self, session: SandboxSession, *, timeout: float) -> Level:
        """Collect all tests and set a few of them up, but run none.

        Those that cannot begin are the level's failures. Where some can be set up, what the others
        of the few say is not among them.
        """
        return await collecting_level(session, timeout=timeout, options=self.ignoring)

    @property
    def ignoring(self) -> tuple[str, ...]:
        """The options that leave out the tests of the ``ignored`` folders, and the ``files``."""
        return (*(f"--ignore={folder}" for folder in self.ignored), *self.files)


async def tests_level(
    session: SandboxSession, *, timeout: float, only: Sequence[str], share: float
) -> Level:
    """Run all tests, or ``only`` these (pytest's ids), within ``timeout`` seconds.

    With a ``share`` as many commands follow each other as the tests need, each within that time.
    Raises ``TaskError`` (kind ``environment``) when the sandbox has no pytest or no Python.
    """
    names = new_report("ran")
    parts: list[Level] = []
    while len(parts) < _MOST_PARTS:
        seconds = timeout * share if len(parts) < _MOST_PARTS - 1 else 0
        level, stopped = await _part(session, only, names, timeout=timeout, seconds=seconds)
        parts.append(level)
        if not stopped:
            break
    if len(parts) > 1:
        await session.run(["rm", "-f", names], timeout=60)
    return _whole(parts)


async def _part(
    session: SandboxSession, only: Sequence[str], names: str, *, timeout: float, seconds: float
) -> tuple[Level, bool]:
    """Run the tests that no part before has run; say whether some are left."""
    report = new_report("xml")
    command = [*_command(report, f"{seconds:g}", names), *only]
    shown = " ".join(["pytest -q", *only[:_MOST_SHOWN]])
    result, level = await ran(session, command, tool="pytest", timeout=timeout, shown_as=shown)
    _must_have_pytest(result)
    xml = await fetched(session, report)
    if result.exit_code == _NO_TESTS and not result.timed_out:
        return replace(level, result="skipped", reason="pytest found no tests"), False
    stopped = result.exit_code == _STOPPED
    if stopped:
        red = b"<failure" in xml or b"<error" in xml
        result = replace(result, exit_code=_FAILED if red else 0)
    level = judged(
        level,
        result,
        lambda: read_report(xml, pytest),
        timeout=timeout,
        endings=_endings(level),
        red=(_FAILED,),
        own_error=own_error,
    )
    return level, stopped and not level.broken


def _whole(parts: Sequence[Level]) -> Level:
    """One level for all parts of a test run; what the worst of them says."""
    if len(parts) == 1:
        return parts[0]
    order = ("skipped", "passed", "failed")
    worst = max(parts, key=lambda part: (bool(part.broken), order.index(part.result)))
    failures = tuple(failure for part in parts for failure in part.failures)
    passed = sum(part.passed for part in parts)
    reason = (
        f"{counted(len(failures), 'test')} failed, {passed} passed" if failures else worst.reason
    )
    return replace(
        worst,
        failures=failures,
        passed=passed,
        green=tuple(dict.fromkeys(path for part in parts for path in part.green)),
        found=tuple(dict.fromkeys(name for part in parts for name in part.found)),
        seconds=sum(part.seconds for part in parts),
        reason=worst.broken or reason,
    )


async def collecting_level(
    session: SandboxSession, *, timeout: float, options: Sequence[str] = ()
) -> Level:
    """Say which tests can begin, within ``timeout`` seconds; raises as ``tests_level`` does."""
    report = new_report("json")
    command = [
        *_python(_PREPARE + _part_of(_COLLECT, "collecting")),
        report,
        *_OPTIONS,
        "-o",
        f"cache_dir={report}.cache",
        *options,
    ]
    result, level = await ran(session, command, tool="pytest", timeout=timeout)
    _must_have_pytest(result)
    return collected(level, result, await fetched(session, report), timeout=timeout)


def collected(level: Level, result: CommandResult, content: bytes, *, timeout: float) -> Level:
    """The level of a pytest that collected, and left ``content`` about it."""
    if result.exit_code == _NO_TESTS and not result.timed_out:
        return replace(level, result="skipped", reason="pytest found no tests")
    return judged(
        level,
        result,
        lambda: read_collected(content),
        timeout=timeout,
        endings=_endings(level),
        red=(_FAILED, _INTERRUPTED),
        own_error=own_error,
    )


def read_collected(content: bytes) -> SuiteReport:
    """Read what ``pytest_collecting`` wrote. Raises ``UnreadableReport``."""
    try:
        found = json.loads(content)
        tests, lacking = dict(found["tests"]), dict(found["lacking"])
        broken, setups = dict(found["failures"]), dict(found["setups"])
        count = sum(int(number) for number in tests.values())
        none = len(setups) == int(found["tried"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UnreadableReport("there is no list of tests") from error
    red = broken | lacking | (setups if none else {})
    failures = [("failed", _not_begun(test, reason)) for test, reason in red.items()]
    green = [("passed", TestFailure(str(path), "")) for path in tests]
    report = report_of([*failures, *green])
    return replace(report, passed=0 if setups and none else max(0, count - len(lacking)))


def _not_begun(test: object, error: object) -> TestFailure:
    case = BadCase("", "", str(test), "", str(error)[:_LONGEST], str(error))
    return replace(pytest(case), test=str(test))


def own_error(output: str) -> str:
    """What pytest says about its own failure, or the project by ``pytest.exit``; or ''."""
    if told := exit_words(output):
        return told
    for pattern in (_INTERNAL_LINE, _WRONG_USAGE):
        if found := pattern.findall(output):
            return str(found[-1])
    raised = _RAISED.findall(output)
    if (conftest := _CONFTEST.search(output)) and raised:
        return f"{conftest[1].rpartition('/')[2]} cannot be loaded: {raised[-1]}"
    refused = _REFUSED.findall(output)
    return str(refused[-1]) if refused else error_line(output)


def _endings(level: Level) -> Mapping[int, str]:
    """pytest's exit codes in words; whichever it is where the project itself ended pytest."""
    if level.exit_code is None or not exit_words(level.output):
        return _ENDINGS
    return {level.exit_code: "the project's own code stopped pytest"}


def exit_words(output: str) -> str:
    """What a project says when it stops pytest (``pytest.exit(...)``), on one line, or ''."""
    found = next(filter(None, (pattern.search(output) for pattern in _EXITS)), None)
    return " ".join(found[1].split()) if found else ""


# a project's options may stop at the first failure or order tests by the cache: a run must be
# whole, and the same each time, so that two of them can be compared
_OPTIONS = ("-q", "--tb=short", "--maxfail=0", "--continue-on-collection-errors")


def beside_pytest(load: str, program: str, *args: str) -> list[str]:
    """The command of a program that runs pytest on its arguments after ``args``.

    What it needs itself it gets from ``load``, before the workspace can be imported.
    """
    options = (*_OPTIONS, "-p", "no:cacheprovider")
    return [*_python(load + _PREPARE + program), *args, *options]


def _part_of(program: str, name: str) -> str:
    """A program as a line of another one, behind whose lines __future__ could not stand."""
    return f"exec(compile({program!r}, {name!r}, 'exec'))"


def _python(program: str) -> list[str]:
    # enabled again by _PREPARE
    return ["python3", "-B", "-I", "-c", "import gc; gc.disable()\n" + program, "pytest"]


def _command(report: str, seconds: str, names: str) -> list[str]:
    return [
        *_python(_part_of(_APART, "apart") + _PREPARE + _part_of(_RUN, "running")),
        *(seconds, names),
        *_OPTIONS,
        *("-o", f"cache_dir={report}.cache"),
        # xunit1 is the family that names file and line of each test
        *("-o", "junit_family=xunit1", f"--junitxml={report}"),
    ]


def sealed_plugin(folder: str, options: str, seal: str) -> bytes:
    """A plug-in that writes into the file ``seal`` how pytest ended; see ``pytest_running``."""
    return f"{_RUN}\nshown(Sealed({folder!r}, {options!r}, {seal!r}))\n".encode()


def collecting_plugin(report: str) -> bytes:
    """A plug-in that writes into a file what pytest finds to run; see ``pytest_collecting``."""
    names = "n: getattr(found, n) for n in dir(found) if n.startswith('pytest_')"
    return f"{_COLLECT}\nfound = Collecting({report!r})\nglobals().update({{{names}}})\n".encode()


def _must_have_pytest(result: CommandResult) -> None:
    must_be_there(result, "python3")
    if result.exit_code == _FAILED and _NO_PYTEST.search(result.stderr):
        message = (
            f"pytest is {lacking(result)}, so the repository's tests cannot run. "
            f"{to_install(result)}."
        )
        raise TaskError("environment", message)
