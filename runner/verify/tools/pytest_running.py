"""Run pytest, and stop between two tests when time is short: a program for the sandbox.

It follows the start of ``Pytest``. Its arguments are how many seconds it may take (0: as long as it
needs), a file for the names of tests that have run, and pytest's own. Tests named in that file are
left out, so that the next start goes on where this one stopped.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

LARGEST = 4 << 20
STOPPED = 75
"""The exit code where tests are left; 75 is "try again" (https://man.openbsd.org/sysexits)."""


class Parts:
    """A plug-in that leaves out what has run, and stops in time."""

    def __init__(self, seconds: float, file: Path) -> None:
        self.file = file
        self.ran = set(file.read_text("utf-8").splitlines()) if file.is_file() else set()
        self.end = monotonic() + seconds if seconds else None
        self.left = 0
        self.stopped = False
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
            self.file.write_text("\n".join(self.ran), "utf-8")
            self.session.shouldstop = "the time of this part is over"
            self.stopped = True


def shorten(report: Path) -> None:
    """Keep of the tests that passed only their files, where a report is very long."""
    if report.is_file() and LARGEST < report.stat().st_size < 16 * LARGEST:
        text = report.read_bytes()
        passed = rb'<testcase [^<>]*?(file="[^"<>]*")[^<>]*/>'
        report.write_bytes(re.sub(passed, rb"<testcase \1/>", text))


def main() -> None:
    """Run pytest with the arguments behind the first two."""
    seconds, file, *arguments = sys.argv[2:]
    parts = Parts(float(seconds), Path(file))
    code = pytest.main(arguments, plugins=[parts])
    name = next(word for word in sys.argv if word.startswith("--junitxml="))
    shorten(Path(name.partition("=")[2]))
    sys.exit(STOPPED if parts.stopped else code)


main()
