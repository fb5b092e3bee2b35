"""Read JUnit reports from the sandbox, which may be hostile: no DTD, no entities, bounded sizes.

``junitparser`` knows the format, and a dialect knows what each tool makes of it. An id begins with
the test's file if the report names it: ``file::name``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from runner.state.findings import TestFailure
from runner.text.sanitize import cut_middle

if TYPE_CHECKING:
    from junitparser import Error, Failure, TestCase

_MESSAGE_LIMIT, _SHORT = 2_000, 300
_MOST_IN_FULL, _MOST_FAILURES = 100, 3_000
_INTERNAL_ERROR = ("pytest", "internal")
"""Class and name under which pytest reports its own errors."""


class UnreadableReport(Exception):
    """There is no report, or it is not a JUnit report."""


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """What a report says: counts, and one failure a test.

    ``broken`` says how the tool itself failed, '' if it worked. ``green`` are the files with a test
    that passed, if the report names them, ``names`` those tests themselves.
    """

    passed: int
    skipped: int
    failures: tuple[TestFailure, ...]
    broken: str = ""
    green: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BadCase:
    """A test as the report has it, with its message if it fails.

    ``line`` is as it is written, '' where nothing is.
    """

    name: str
    classname: str
    file: str
    line: str
    message: str
    trace: str


Dialect = Callable[[BadCase], TestFailure]


def read_report(xml: bytes, dialect: Dialect) -> SuiteReport:
    """Return what a JUnit report says. Raises ``UnreadableReport``."""
    return report_of(_cases(xml, dialect))


def read_reports(files: Iterable[bytes], dialect: Dialect) -> SuiteReport:
    """Return what several reports of one run say together. Raises ``UnreadableReport``."""
    found = list(files)
    if not found:
        raise UnreadableReport("there is no test report")
    return report_of(case for xml in found for case in _cases(xml, dialect))


def report_of(cases: Iterable[tuple[str, TestFailure | None]]) -> SuiteReport:
    """Count results (passed, skipped, failed), keep one failure a test and bound their size.

    Tests of one name count once, for whoever compares two runs knows the names only. A result
    ``broken`` is a failure of the tool itself; a test that passed may come with its name.
    """
    failures: dict[str, TestFailure] = {}
    counts = {"passed": 0, "skipped": 0}
    broken = ""
    green, names = set[str](), dict[str, None]()
    for result, failure in cases:
        if result in counts:
            again = failure and "::" in failure.test and failure.test[:500] in names
            counts[result] += not again
            if result == "passed" and failure and len(names) < _MOST_FAILURES:
                names[failure.test[:500]] = None
                green.add(failure.test.split("::")[0][:500])
        elif failure and result == "broken":
            broken = _bounded(failure).message
        elif failure and len(failures) < _MOST_FAILURES:
            limit = _MESSAGE_LIMIT if len(failures) < _MOST_IN_FULL else _SHORT
            failures.setdefault(failure.test, _bounded(failure, limit))
        elif failure:
            broken = f"more than {_MOST_FAILURES:,} tests failed"
    red = tuple(failures.values())
    passed, skipped = counts["passed"], counts["skipped"]
    return SuiteReport(passed, skipped, red, broken, tuple(sorted(green)), tuple(names))


def _bounded(failure: TestFailure, limit: int = _MESSAGE_LIMIT) -> TestFailure:
    return replace(
        failure,
        test=failure.test[:500],
        message=cut_middle(failure.message, limit),
        file=failure.file[:500],
    )


def _cases(xml: bytes, dialect: Dialect) -> Iterator[tuple[str, TestFailure | None]]:
    from junitparser import Error, Failure, Skipped

    for case in _parsed(xml):
        bad = next((r for r in case.result if isinstance(r, Failure | Error)), None)
        if bad is not None:
            failure = _bad_case(case, bad)
            own = (failure.classname, failure.name) == _INTERNAL_ERROR
            yield ("broken" if own else "failed"), dialect(failure)
        elif any(isinstance(result, Skipped) for result in case.result):
            yield "skipped", None
        else:
            yield "passed", dialect(_bad_case(case, None))


def _parsed(xml: bytes) -> list[TestCase]:
    from junitparser import JUnitXml, JUnitXmlError, TestSuite

    try:
        root = JUnitXml.fromroot(xml_tree(xml))
        suites = [root] if isinstance(root, TestSuite) else root
        return [case for suite in suites for case in suite]
    except (JUnitXmlError, ValueError, RecursionError) as error:
        raise UnreadableReport("the test report is not readable") from error


def xml_tree(xml: bytes) -> Any:
    """The root of a report; what wraps its elements names no types. Raises ``UnreadableReport``."""
    from xml.etree.ElementTree import ParseError

    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    if not xml.strip():
        raise UnreadableReport("there is no test report")
    try:
        return fromstring(xml, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, RecursionError) as error:
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


_PLACE = re.compile(r"(?P<file>[^\s():'\"<>]{1,300}\.\w{1,10}):(?P<line>\d{1,9})(?!\d)")
_MOST_LINES, _LONGEST_LINE = 400, 600
_FOREIGN = ("node_modules/", "vendor/", "site-packages/", "/gems/")


def frames(text: str) -> Iterator[tuple[str, int]]:
    """Yield (file, line) of each line of a stack, in its order; only part of a long one."""
    for each in text.split("\n", _MOST_LINES)[:_MOST_LINES]:
        if found := _PLACE.search(each[:_LONGEST_LINE]):
            yield found["file"].removeprefix("./"), int(found["line"])


def inside(places: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Those inside the project: not in the language's own files and not in packages."""
    return (
        (file, line)
        for file, line in places
        if not file.startswith(("/", "..", "node:", "file:"))
        and not any(f in file for f in _FOREIGN)
    )


_FRAME = re.compile(r"^(?!E {3})(?P<file>[^\s:][^:\n]*):(?P<line>\d+): ", re.MULTILINE)
_SAID = re.compile(r"^E {3}(.*)$", re.MULTILINE)


def pytest(case: BadCase) -> TestFailure:
    """Pytest's own ids; the deepest frame; the E lines, which show expected and actual in full."""
    own = (case.file, int(case.line) + 1 if case.line.isdecimal() else None)  # counted from 0
    found = [(f["file"], int(f["line"])) for f in _FRAME.finditer(case.trace)]
    within = [frame for frame in found if not frame[0].startswith(("/", "..", "<"))]
    text = "\n".join(_SAID.findall(case.trace)).strip()
    message = text or case.message.strip() or case.trace.strip()
    return TestFailure(_pytest_id(case), message, *(within[-1] if within else own))


def _pytest_id(case: BadCase) -> str:
    """Return pytest's own id of the test; a module that was not collected goes by its file."""
    name, dotted, file = case.name, case.classname, case.file
    if not dotted:
        return file or (name.replace(".", "/") + ".py" if name else "?")
    module = file.removesuffix(".py").replace("/", ".")
    inner = dotted.removeprefix(module).strip(".") if file else ""
    start = file or dotted.replace(".", "/") + ".py"
    return "::".join([start, *(inner.split(".") if inner else []), name])


def vitest(case: BadCase) -> TestFailure:
    """Vitest: the class is the file, a file that was not loaded is its own test."""
    file, line = next(inside(frames(case.trace)), (case.classname, None))
    test = case.name if case.name == case.classname else f"{case.classname}::{case.name}"
    text = case.trace.split("\n \u276f ", 1)[0].strip()
    return TestFailure(test, text or case.message, file, line)


def surefire(case: BadCase) -> TestFailure:
    """Maven and Gradle: a class, whose file is named in its own frame of the stack."""
    top = case.classname.split("$", 1)[0]
    path = top.replace(".", "/")
    name = path.rpartition("/")[2]
    own = [line for file, line in frames(case.trace) if file.rpartition(".")[0] == name]
    end = next((f for f, _ in frames(case.trace) if f.rpartition(".")[0] == name), f"{name}.java")
    file = f"{path.rpartition('/')[0]}/{end}".lstrip("/")
    first = case.trace.strip().split("\n", 1)[0] or case.message
    return TestFailure(f"{file}::{case.name}", first, file, own[0] if own else None)


def plain(case: BadCase) -> TestFailure:
    """PHPUnit, and any tool that names the file: its own words, the first frame inside.

    What pytest wrote is read as pytest's, as far as it names files.
    """
    if case.file.endswith(".py"):
        return pytest(case)
    own = (case.file, int(case.line) if case.line.isdecimal() else None)
    found = list(inside(frames(case.trace)))
    name = f"{case.classname}::{case.name}" if case.classname else case.name
    test = f"{case.file}::{case.name}" if case.file else name
    text = "\n".join(_SAID.findall(case.trace)).strip()
    text = text or case.trace.strip().removeprefix(f"{case.classname}::{case.name}\n")
    return TestFailure(test, text or case.message, *(found[0] if found else own))
