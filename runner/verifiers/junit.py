"""Read pytest's JUnit report. It comes from the sandbox, so it may be hostile: no DTD, no
entities (``defusedxml``), and bounded sizes; ``junitparser`` knows the format.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring
from junitparser import Error, Failure, JUnitXml, JUnitXmlError, Skipped, TestCase

from runner.findings import TestFailure
from runner.text import cut_middle

_MESSAGE_LIMIT = 2_000
_MOST_FAILURES = 100
_FRAME = re.compile(r"^(?!E {3})(?P<file>[^\s:][^:\n]*):(?P<line>\d+): ", re.MULTILINE)
_SAID = re.compile(r"^E {3}(.*)$", re.MULTILINE)


class UnreadableReport(Exception):
    """There is no report, or it is no JUnit report."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a report says: counts, and one failure a test."""

    passed: int
    skipped: int
    failures: tuple[TestFailure, ...]


def read_report(xml: bytes) -> Report:
    """Return what a JUnit report says. Raises ``UnreadableReport``."""
    if not xml.strip():
        raise UnreadableReport("there is no test report")
    try:
        root = _root(xml)
        cases = [case for suite in root for case in suite]
    except (ParseError, DefusedXmlException, JUnitXmlError, ValueError) as error:
        raise UnreadableReport("the test report is not readable") from error
    failures: dict[str, TestFailure] = {}
    passed = skipped = 0
    for case in cases:
        failure = _failure(case)
        if failure:
            failures.setdefault(failure.test, failure)
        elif any(isinstance(result, Skipped) for result in case.result):
            skipped += 1
        else:
            passed += 1
    return Report(passed, skipped, tuple(failures.values())[:_MOST_FAILURES])


def _root(xml: bytes) -> JUnitXml:
    tree: Any = fromstring(xml, forbid_dtd=True)  # junitparser wraps elements without naming them
    return JUnitXml.fromroot(tree)


def _failure(case: TestCase) -> TestFailure | None:
    bad = next((r for r in case.result if isinstance(r, Failure | Error)), None)
    if bad is None:
        return None
    trace = str(bad.text or "")
    file = str(case._elem.get("file") or "")
    place = _place(trace) or (file, _line(case))
    message = _message(str(bad.message or ""), trace)
    return TestFailure(_node(case, file), cut_middle(message, _MESSAGE_LIMIT), *place)


def _node(case: TestCase, file: str) -> str:
    """Return pytest's own id of the test; a module that was not collected goes by its file."""
    name, dotted = str(case.name or ""), str(case.classname or "")
    if not dotted:
        return file or (name.replace(".", "/") + ".py" if name else "?")
    module = file.removesuffix(".py").replace("/", ".")
    inner = dotted.removeprefix(module).strip(".") if file else ""
    start = file or dotted.replace(".", "/") + ".py"
    return "::".join([start, *(inner.split(".") if inner else []), name])


def _line(case: TestCase) -> int | None:
    said = str(case._elem.get("line") or "")
    return int(said) + 1 if said.isdecimal() else None  # pytest counts these from 0


def _place(trace: str) -> tuple[str, int] | None:
    """Return file and line of the deepest frame that lies in the workspace."""
    frames = [(f["file"], int(f["line"])) for f in _FRAME.finditer(trace)]
    inside = [frame for frame in frames if not frame[0].startswith(("/", "..", "<"))]
    return inside[-1] if inside else None


def _message(message: str, trace: str) -> str:
    """Return what went wrong: pytest's E lines, which show expected and actual in full."""
    said = "\n".join(_SAID.findall(trace)).strip()
    return said or message.strip() or cut_middle(trace.strip(), _MESSAGE_LIMIT)
