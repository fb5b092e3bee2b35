"""A pytest plugin that plays mutants: the tests are collected once, each mutant runs in a fork.

Starting pytest anew for each mutant would take longer than the tests do.
"""

from __future__ import annotations

import json
import math
import os
import resource
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.faults import Mutant, import_with, put_in

_CPU_SECONDS, _SECONDS = 45, 150


def pytest_addoption(parser: pytest.Parser) -> None:
    """Say which mutants are played, and where the results go."""
    parser.addoption("--passed-to", help="write what became of each test here")
    parser.addoption("--mutants", help="a file of mutants and the tests of each")
    parser.addoption("--results", help="write what became of each mutant here")
    parser.addoption("--mutant", help="one mutant: run the tests with it")


def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Put in the one mutant before anything is imported."""
    if one := early_config.known_args_namespace.mutant:
        import_with(Mutant(**json.loads(one)), early_config.rootpath)


def pytest_configure(config: pytest.Config) -> None:
    """Begin to listen; only where the workers of a parallel run report to."""
    report_file = config.getoption("--passed-to")
    if report_file and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_PassedTests(Path(report_file)))


class _PassedTests:
    """Writes down which tests pass, and how long each takes."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._seconds: dict[str, float] = defaultdict(float)
        self._not_passed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] += report.duration
        if not report.passed:
            self._not_passed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        passed = {t: s for t, s in self._seconds.items() if t not in self._not_passed}
        self._file.write_text(json.dumps(passed))


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Play the mutants in place of running the tests as they are."""
    mutants = session.config.getoption("--mutants")
    if not mutants:
        return None
    if session.testsfailed:
        raise session.Interrupted("without a fault, not all tests can be collected")
    items = {item.nodeid: item for item in session.items}
    with Path(session.config.getoption("--results")).open("a", buffering=1) as results:
        for line in Path(mutants).read_text().splitlines():
            asked = json.loads(line)
            word = _played(asked["mutant"], [items[test] for test in asked["tests"]])
            results.write(json.dumps({"mutant": asked["mutant"], "word": word}) + "\n")
    return True


def _played(mutant: dict[str, str | int], items: Sequence[pytest.Item]) -> str:
    """Play one mutant in a process of its own."""
    process = os.fork()
    if not process:
        try:
            os._exit(_failed(mutant, items))
        finally:
            os._exit(1)
    _, status = os.waitpid(process, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGALRM):
        return "out of time"
    return "killed" if status else "alive"


def _failed(mutant: dict[str, str | int], items: Sequence[pytest.Item]) -> int:
    """Run the tests up to the first that fails: 1 if one does, else 0.

    If none fails, they run once more in a process that imports the fault: a function that makes a
    table at import made it without.
    """
    _limit()
    root = items[0].config.rootpath
    if put_in(Mutant(**mutant), root):  # type: ignore[arg-type]
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if item.session.testsfailed:
                return 1
    return _begin_anew(mutant, items)


def _limit() -> None:
    """Give this process so much time from now on."""
    used = math.ceil(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (used + _CPU_SECONDS, 3 * _CPU_SECONDS))
    signal.alarm(_SECONDS)


def _begin_anew(mutant: dict[str, str | int], items: Sequence[pytest.Item]) -> int:
    """Become a process that imports everything with the fault."""
    _limit()
    tests = [item.nodeid for item in items]
    options = ["-q", "-n0", "-x", "-p", "no:cacheprovider", "-p", __name__]
    option = f"--mutant={json.dumps(mutant)}"
    command = [sys.executable, "-m", "pytest", *options, option, *tests]
    os.execv(sys.executable, command)  # noqa: S606 - our own command
