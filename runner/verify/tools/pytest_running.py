"""Run pytest, watch over it, and stop between two tests when time is short: for the sandbox.

It follows the start of ``Pytest``. Its arguments are how many seconds it may take (0: as long as it
needs), a file for the names of tests that have run, and pytest's own. Tests named in that file are
left out, so that the next start goes on where this one stopped.

The tests run in a child, which sends its report through a pipe once pytest has ended in order.
Only then is there a report: one that the tests' own code writes is replaced or removed. Beside the
tests, in each of their folders, run a test that has to pass and one that has to fail, under names
that nobody can know and without fixtures; what they say is in no report.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import select
import shutil
import signal
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


def run(arguments: list[str], parts: Parts, end: int, mark: bytes) -> None:
    """Run the tests in the child, and send what they say."""
    own, write, getpid = os.getpid(), os.write, os.getpid
    code = int(pytest.main(arguments, plugins=[parts]))
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


def heard(pipe: int, child: int, mark: bytes) -> tuple[int, Any]:
    """How the child ended, and what it sent; None where that is not all of it."""
    said, status = b"", None
    while True:
        # what the tests left running may hold the other end
        if select.select([pipe], [], [], 0.1)[0]:
            part = os.read(pipe, 1 << 20)
            said += part
            if not part:
                break
        elif status is not None:
            break
        else:
            ended, code = os.waitpid(child, os.WNOHANG)
            status = code if ended else None
    if status is None:
        status = os.waitpid(child, 0)[1]
    whole = len(said) > 2 * len(mark) and said.startswith(mark) and said.endswith(mark)
    return status, json.loads(said[len(mark) : -len(mark)]) if whole else None


def main() -> None:
    """Run pytest with the arguments behind the first two."""
    seconds, names, *arguments = sys.argv[2:]
    before, report = (
        Path(names),
        Path(next(w[11:] for w in arguments if w.startswith("--junitxml="))),
    )
    known = set(before.read_text("utf-8").splitlines()) if before.is_file() else set()
    mark = secrets.token_bytes(16)
    pipe, end = os.pipe()
    child = os.fork()
    if not child:
        os.close(pipe)
        run(arguments, Parts(float(seconds), known), end, mark)
    os.close(end)
    status, said = heard(pipe, child, mark)
    report.unlink(missing_ok=True)
    if os.WIFSIGNALED(status):
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    code = os.WEXITSTATUS(status)
    if said is None:
        sys.exit(1 if code in (pytest.ExitCode.NO_TESTS_COLLECTED, STOPPED) else code)
    told, text, ran = said
    if text and told != FORGED:
        report.write_text(text, "utf-8")
    if ran:
        before.unlink(missing_ok=True)
        before.write_text("\n".join(ran), "utf-8")
    sys.exit(code or told)


if __name__ == "__main__":
    main()
