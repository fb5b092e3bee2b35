"""What pytest finds to run, and why it cannot: a program or a plug-in for the sandbox.

As a program it follows the start of ``Pytest``; its first argument is the file for what it found.
"""

from __future__ import annotations

import inspect
import json
import sys
import unittest
from pathlib import Path
from typing import Any

import pytest

MOST, LONGEST, MOST_TRIED = 500, 2000, 12
# each of them runs tests that are coroutines
RUN_COROUTINES = ("asyncio", "anyio", "trio", "pytest_asyncio", "tornasync", "twisted", "aiohttp")


class Collecting:
    """A plug-in that notes what was collected, and leaves the first test of a few files."""

    def __init__(self, report: str) -> None:
        self.report = Path(report)
        self.failures: dict[str, str] = {}
        self.tests: dict[str, int] = {}
        self.lacking: dict[str, str] = {}
        self.setups: dict[str, str] = {}
        self.tried: set[str] = set()

    def pytest_collectreport(self, report: Any) -> None:
        """Note a file that cannot be loaded."""
        if report.failed and len(self.failures) < MOST:
            self.failures[report.nodeid] = report.longreprtext[-LONGEST:]

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Note what can be run, and which tests want a fixture or a plug-in that nobody has."""
        first: dict[str, Any] = {}
        for item in items:
            path = item.nodeid.split("::")[0]
            self.tests[path] = self.tests.get(path, 0) + 1
            reason = lacking(item)
            if not reason:
                first.setdefault(path, item)
            elif len(self.lacking) < MOST:
                self.lacking[item.nodeid] = reason
        items[:] = list(first.values())[:MOST_TRIED]

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note a test that cannot be set up."""
        if report.when == "setup":
            self.tried.add(report.nodeid)
            if report.failed:
                self.setups[report.nodeid] = report.longreprtext[-LONGEST:]

    def pytest_sessionfinish(self, session: Any, exitstatus: int) -> None:
        """Write what was found, and end with what it means for the start."""
        some = len(self.setups) < len(self.tried)
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self.tests:
            # no test is left to be set up, for all of them lack something
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        elif some and not (self.failures or self.lacking) and exitstatus == 1:
            session.exitstatus = 0  # what one test says when it is set up or ended is no matter
        results = {
            "failures": self.failures,
            "tests": self.tests,
            "lacking": self.lacking,
            "setups": self.setups,
            "tried": len(self.tried),
        }
        self.report.write_text(json.dumps(results))


def lacking(item: Any) -> str:
    """What a test wants that is not there; '' when it can begin."""
    info = getattr(item, "_fixtureinfo", None)
    if info is None:
        return ""
    given = getattr(getattr(item, "callspec", None), "params", {})
    for name in info.argnames:
        if name != "request" and name not in info.name2fixturedefs and name not in given:
            return f"fixture '{name}' not found"
    plugins = item.config.pluginmanager
    by_unittest = issubclass(getattr(item, "cls", None) or object, unittest.TestCase)
    is_run = by_unittest or any(map(plugins.has_plugin, RUN_COROUTINES))
    if inspect.iscoroutinefunction(item.obj) and not is_run:
        return "async def functions are not natively supported"
    return ""


def main(report: str, arguments: list[str]) -> int:
    """Collect, and write what was found."""
    return int(pytest.main([*arguments, "--setup-only"], plugins=[Collecting(report)]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[2], sys.argv[3:]))
