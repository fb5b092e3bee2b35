"""Read JUnit reports. They come from the sandbox, so they may be hostile: no DTD, no entities
(``defusedxml``), and bounded sizes; ``junitparser`` knows the format, a dialect what a tool makes
of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring
from junitparser import Error, Failure, JUnitXml, JUnitXmlError, Skipped, TestCase, TestSuite

from runner.findings import TestFailure
from runner.text import cut_middle

_MESSAGE_LIMIT, _SHORT = 2_000, 300
_MOST_IN_FULL, _MOST_FAILURES = 100, 3_000
_INTERNAL_ERROR = ("pytest", "internal")
"""Class and name under which pytest reports an error of its own."""


class UnreadableReport(Exception):
    """There is no report, or it is no JUnit report."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a report says: counts, and one failure a test.

    ``broken`` says what the tool reports of a failure of its own, '' when it worked. ``green`` are
    the files with a test that passed, where the report names them.
    """

    passed: int
    skipped: int
    failures: tuple[TestFailure, ...]
    broken: str = ""
    green: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BadCase:
    """A test as the report has it, with what it says where it fails.

    ``line`` is as it is written, '' where nothing is.
    """

    name: str
    classname: str
    file: str
    line: str
    message: str
    trace: str


Dialect = Callable[[BadCase], TestFailure]


def read_report(xml: bytes, dialect: Dialect) -> Report:
    """Return what a JUnit report says. Raises ``UnreadableReport``."""
    return report_of(_cases(xml, dialect))


def read_reports(files: Iterable[bytes], dialect: Dialect) -> Report:
    """Return what several reports of one run say together. Raises ``UnreadableReport``."""
    found = list(files)
    if not found:
        raise UnreadableReport("there is no test report")
    return report_of(case for xml in found for case in _cases(xml, dialect))


def report_of(cases: Iterable[tuple[str, TestFailure | None]]) -> Report:
    """Count results (passed, skipped, failed), keep one failure a test and bound their size.

    A result ``broken`` is a failure of the tool itself; a test that passed may come with its name.
    """
    failures: dict[str, TestFailure] = {}
    counts = {"passed": 0, "skipped": 0}
    broken = ""
    green: set[str] = set()
    for result, failure in cases:
        if result in counts:
            counts[result] += 1
            if result == "passed" and failure and len(green) < _MOST_FAILURES:
                green.add(failure.test.split("::")[0][:500])
        elif failure and result == "broken":
            broken = _bounded(failure).message
        elif failure and len(failures) < _MOST_FAILURES:
            limit = _MESSAGE_LIMIT if len(failures) < _MOST_IN_FULL else _SHORT
            failures.setdefault(failure.test, _bounded(failure, limit))
        elif failure:
            broken = f"more than {_MOST_FAILURES:,} tests failed"
    red = tuple(failures.values())
    return Report(counts["passed"], counts["skipped"], red, broken, tuple(sorted(green)))


def _bounded(failure: TestFailure, limit: int = _MESSAGE_LIMIT) -> TestFailure:
    return replace(
        failure,
        test=failure.test[:500],
        message=cut_middle(failure.message, limit),
        file=failure.file[:500],
    )


def _cases(xml: bytes, dialect: Dialect) -> Iterator[tuple[str, TestFailure | None]]:
    for case in _parsed(xml):
        bad = next((r for r in case.result if isinstance(r, Failure | Error)), None)
        if bad is not None:
            told = _bad_case(case, bad)
            own = (told.classname, told.name) == _INTERNAL_ERROR
            yield ("broken" if own else "failed"), dialect(told)
        elif any(isinstance(result, Skipped) for result in case.result):
            yield "skipped", None
        else:
            yield "passed", dialect(_bad_case(case, None))


def _parsed(xml: bytes) -> list[TestCase]:
    if not xml.strip():
        raise UnreadableReport("there is no test report")
    try:
        tree: Any = fromstring(xml, forbid_dtd=True)  # junitparser wraps elements, naming no types
        root = JUnitXml.fromroot(tree)
        suites = [root] if isinstance(root, TestSuite) else root
        return [case for suite in suites for case in suite]
    except (ParseError, DefusedXmlException, JUnitXmlError, ValueError, RecursionError) as error:
        raise UnreadableReport("the test report is not readable") from error


def _bad_case(case: TestCase, bad: Failure | Error | None) -> BadCase:
    return BadCase(
        name=str(case.name or ""),
        classname=str(case.classname or ""),
        file=str(case._elem.get("file") or ""),
        line=str(case._elem.get("line") or ""),
        message=str(bad.message or "") if bad else "",
        trace=str(bad.text or "") if bad else "",
    )
