"""Read what tape prints: the Test Anything Protocol (https://testanything.org).

A test is a comment with its name and the assertions below it. Nothing counts before the plan, which
tape prints last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from runner.state.findings import TestFailure
from runner.verify.junit import SuiteReport, UnreadableReport, frames, inside, report_of

_ASSERTION = re.compile(r"^(?P<not>not )?ok \d+ ?(?P<text>.*)$")
_PLAN = re.compile(r"^1\.\.(\d+)")
_DIRECTIVE = re.compile(r"# (?:SKIP|TODO)\b", re.IGNORECASE)
_SHOWN = re.compile(r"^ +(?:operator|expected|actual):")
_MOST_LINES = 40


def read_tap(content: bytes, files: Mapping[str, str] | None = None) -> SuiteReport:
    """Return the tests and their failures. Raises ``UnreadableReport`` without a whole plan.

    ``files`` are the files of tests by their titles, as far as they are known.
    """
    lines = content.decode("utf-8", "replace").split("\n")
    at = next((i for i, line in enumerate(lines) if _PLAN.match(line)), None)
    if at is None:
        raise UnreadableReport("there is no complete test report")
    body = lines[:at]
    planned = int(re.split(r"\D", lines[at][3:])[0])
    if sum(_ASSERTION.match(line) is not None for line in body) != planned:
        raise UnreadableReport("the test report is not complete")
    known = files or {}
    return report_of(
        case for name, below in _tests(body) for case in _cases(name, below, known.get(name, ""))
    )


def _tests(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    name, below = "", list[str]()
    for line in lines:
        if line.startswith("# "):
            yield name, below
            name, below = line[2:].strip(), []
        else:
            below.append(line)
    yield name, below


def _cases(name: str, lines: list[str], path: str) -> Iterator[tuple[str, TestFailure | None]]:
    """One case a test: its first assertion that failed, else that it passed or was skipped."""
    found = [(i, match) for i, line in enumerate(lines) if (match := _ASSERTION.match(line))]
    real = [(i, match) for i, match in found if not _DIRECTIVE.search(match["text"])]
    failed = next(((i, match) for i, match in real if match["not"]), None)
    if failed:
        yield "failed", _failure(name, failed[1]["text"], lines[failed[0] + 1 :], path)
    elif found:
        yield (
            ("passed" if real else "skipped"),
            TestFailure(f"{path}::{name}", "") if path else None,
        )


def _failure(name: str, reason: str, below: list[str], path: str) -> TestFailure:
    end = next((i for i, line in enumerate(below) if _ASSERTION.match(line)), len(below))
    about = below[: min(end, _MOST_LINES)]
    file, line = next(inside(frames("\n".join(about))), (path, None))
    shown = [each.strip() for each in about if _SHOWN.match(each)]
    message = "\n".join([reason or "an assertion failed", *shown])
    own = path or file
    return TestFailure(f"{own}::{name}" if own else name or "?", message, file, line)
