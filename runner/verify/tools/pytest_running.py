"""Run pytest, watch over it, and stop between two tests when time is short: for the sandbox.

It follows ``pytest_apart``, in the child that this made, and the start of ``Pytest``. Tests that
have run in an earlier start are left out, so that this one goes on where that one stopped.

The report is sent through a pipe once pytest has ended in order. Beside the tests, in each of their
folders, run a test that has to pass and one that has to fail, under names that nobody can know and
without fixtures; what they say is in no report.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import sys
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

LARGEST = 4 << 20
STOPPED = 75
"""The exit code where tests are left; 75 is "try again" (https://man.openbsd.org/sysexits)."""
FORGED = 76
"""The exit code where the report is not what the tests did."""


ENDS = (KeyboardInterrupt, SystemExit, pytest.exit.Exception)
"""What ends pytest, wherever it is raised."""


class Quiet:
    """The hooks of a test, but that nobody hears how it ended."""

    def __init__(self, hooks: Any) -> None:
        self.hooks = hooks
        self.reports: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.hooks, name)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep what would be told."""
        self.reports.append(report)

    def ignored(self, **_: Any) -> None:
        """Tell nobody."""

    pytest_runtest_logstart = pytest_runtest_logfinish = pytest_exception_interact = ignored


class Sentinel(pytest.Function):
    """A test whose end is known before."""

    quiet: Any = None

    @property
    def ihook(self) -> Any:
        """What is called when it runs."""
        return self.quiet or super().ihook


def passes() -> None:
    """Pass."""


def fails() -> None:
    """Fail, whatever else there is."""
    raise AssertionError


def is_honest(module: Any) -> bool:
    """Whether a test that has to pass there passes, and one that has to fail does not.

    Hooks of the project that can do nothing with them, or skip them, say nothing.
    """
    for function in (passes, fails):
        ran = pytest.CallInfo.from_call(partial(run_alone, module, function), "call", ENDS)
        wrong = "failed" if function is passes else "passed"
        if ran.excinfo is None and (not ran.result or wrong in ran.result):
            return False
    return True


def run_alone(module: Any, function: Any) -> list[str]:
    """Run a test in a module; returns how its parts ended, the set-up as ``ready``."""
    test = Sentinel.from_parent(module, name=f"test_{secrets.token_hex(8)}", callobj=function)
    test.fixturenames = []
    test.quiet = Quiet(test.ihook)
    test.quiet.pytest_runtest_protocol(item=test, nextitem=None)
    return [each.outcome if each.when == "call" else "ready" for each in test.quiet.reports]


class Watch:
    """A plug-in that compares the report with what the tests did."""

    def __init__(self) -> None:
        self.failed: set[str] = set()
        self.honest = self.ended = self.cut = self.stopped = False
        self.report = b""

    def pytest_collectreport(self, report: Any) -> None:
        """Count a file that cannot be loaded."""
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Count a test that failed."""
        if report.failed:
            self.failed.add(report.nodeid)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> Any:
        """Run the sentinels behind all tests."""
        yield
        modules: dict[str, Any] = {}
        for item in self.last(getattr(session, "items", [])):
            if module := item.getparent(pytest.Module):
                modules[item.nodeid.partition("::")[0].rpartition("/")[0]] = module
        self.honest = all([is_honest(module) for module in modules.values()])

    def last(self, items: list[Any]) -> list[Any]:
        """The tests whose folders can be set up now."""
        return items

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: Any) -> Any:
        """Read the report at once."""
        yield
        path = Path(getattr(session.config.option, "xmlpath", None) or os.devnull)
        self.report = path.read_bytes() if path.is_file() else b""
        self.ended = True

    def pytest_keyboard_interrupt(self) -> None:
        """Note that others cut the tests short: also where ``pytest.exit`` names another code."""
        self.cut = not self.stopped

    def agrees(self) -> bool:
        """Whether pytest came to its end, and the report names each test that failed."""
        named = self.report.count(b"<failure") + self.report.count(b"<error")
        return self.honest and self.ended and (not self.report or len(self.failed) <= named)


class Parts(Watch):
    """The same, and it leaves out what has run, and stops in time."""

    def __init__(self, seconds: float, ran: set[str]) -> None:
        super().__init__()
        self.ran = ran
        self.end = monotonic() + seconds if seconds else None
        self.left = 0
        self.session: Any = None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, session: Any, config: Any, items: list[Any]) -> None:
        """Leave out the tests that have run."""
        self.session = session
        done = [item for item in items if item.nodeid in self.ran]
        if done:
            config.hook.pytest_deselected(items=done)
            items[:] = [item for item in items if item.nodeid not in self.ran]
        self.left = len(items)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Note that a test has run, and stop where time is up and others are left."""
        self.ran.add(nodeid)
        self.left -= 1
        if self.end and self.left > 0 and monotonic() > self.end and self.session:
            self.session.shouldstop = "the time of this part is over"
            self.stopped = True

    def last(self, items: list[Any]) -> list[Any]:
        """All; where it stopped, the next one: what that needs is set up."""
        return items[-self.left :][:1] if self.stopped else items


class Sealed(Watch):
    """The same in a pytest that others start, by way of its environment."""

    def __init__(self, folder: str, options: str, seal: str) -> None:
        super().__init__()
        self.folder, self.options, self.seal = folder, options, Path(seal)

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self, early_config: Any) -> None:
        """Say that it watches, and remove what tells of it before any code of the project runs."""
        if getattr(early_config.known_args_namespace, "numprocesses", None):
            return  # the processes that pytest-xdist starts load it as well
        self.seal.write_text("begun", "utf-8")
        shutil.rmtree(self.folder)
        for name, added in (("PYTEST_ADDOPTS", self.options), ("PYTHONPATH", self.folder)):
            os.environ[name] = os.environ[name].replace(added, "", 1).strip(f" {os.pathsep}")

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_unconfigure(self) -> Any:
        """Say that it came to its end."""
        yield
        if not self.cut and self.agrees() and self.seal.is_file():
            self.seal.write_text(f"{len(self.failed)}", "utf-8")


def shown(plugin: Watch) -> None:
    """Make the hooks of a plug-in those of this module."""
    globals().update((n, getattr(plugin, n)) for n in dir(plugin) if n.startswith("pytest_"))


def shortened(report: bytes) -> bytes:
    """Keep of the tests that passed only their files, where a report is very long."""
    if not LARGEST < len(report) < 16 * LARGEST:
        return report[: 16 * LARGEST]
    passed = rb'<testcase [^<>]*?(file="[^"<>]*")[^<>]*/>'
    return re.sub(passed, rb"<testcase \1/>", report)


def run(seconds: float, known: set[str], end: int, mark: bytes) -> None:
    """Run the tests, and send what they say."""
    own, write, getpid, parts = os.getpid(), os.write, os.getpid, Parts(seconds, known)
    code = int(pytest.main(sys.argv[4:], plugins=[parts]))
    if getpid() == own:
        code = STOPPED if parts.stopped else code
        if code in (0, 1, STOPPED) and not parts.cut and not parts.agrees():
            code = FORGED
        report = "" if parts.cut else shortened(parts.report).decode("utf-8", "replace")
        ran = sorted(parts.ran) if parts.stopped else []
        said = mark + json.dumps([code, report, ran]).encode() + mark
        while said:
            said = said[write(end, said) :]
    raise SystemExit(code)


if __name__ == "__main__":
    run(*globals().pop("begun"))  # of which no test shall find anything here
