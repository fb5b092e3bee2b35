"""Read what JavaScript test runners report: Node's (by our reporter), jest's and mocha's JSON.

All of it comes from the sandbox and may be anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from runner.findings import TestFailure
from runner.verifiers.frames import frames, inside
from runner.verifiers.junit import Report, UnreadableReport, report_of

_COLOUR = re.compile(r"\x1b\[[0-9;]{0,20}m")
_CODE_FRAME = re.compile(r"^ {0,20}>? {0,20}\d{0,6} \|")


@dataclass(frozen=True, slots=True)
class _Case:
    result: str
    failure: TestFailure | None = None


def read_node(content: bytes) -> Report:
    """Read the lines of ``node_reporter.js``. Raises ``UnreadableReport``."""
    lines = [_object(line) for line in content.split(b"\n") if line.strip()]
    if not lines or lines[-1].get("result") != "complete":
        raise UnreadableReport("there is no complete test report")
    return _report(_node_case(line) for line in lines[:-1])


def read_jest(content: bytes) -> Report:
    """Read jest's JSON (https://jestjs.io/docs/cli#--json). Raises ``UnreadableReport``."""
    return _report(_jest_cases(_whole(content, "testResults")))


def read_mocha(content: bytes) -> Report:
    """Read mocha's JSON (https://mochajs.org/#json). Raises ``UnreadableReport``."""
    said = _whole(content, "tests")
    failing = [_mocha_case(each) for each in _dicts(said.get("failures"))]
    passing = [_Case("passed", _named(each.get("file"))) for each in _dicts(said.get("passes"))]
    return _report([*failing, *passing, *(_Case("skipped") for _ in _dicts(said.get("pending")))])


def _report(cases: Iterable[_Case]) -> Report:
    return report_of((case.result, case.failure) for case in cases)


def _node_case(line: dict[str, Any]) -> _Case:
    number = line.get("line")
    return _Case(
        str(line.get("result")),
        TestFailure(
            str(line.get("test") or "?"),
            str(line.get("message") or ""),
            str(line.get("file") or ""),
            number if isinstance(number, int) and number > 0 else None,
        ),
    )


def _jest_cases(said: dict[str, Any]) -> Iterator[_Case]:
    for file in _dicts(said.get("testResults")):
        path = str(file.get("name") or "?")
        tests = _dicts(file.get("assertionResults"))
        for test in tests:
            yield _jest_case(path, test)
        if file.get("status") == "failed" and not any(t.get("status") == "failed" for t in tests):
            yield _Case("failed", _of_stack(path, path, _suite_message(file)))


def _suite_message(file: dict[str, Any]) -> str:
    text = _COLOUR.sub("", str(file.get("message") or file.get("failureMessage") or ""))
    lines = text.replace("● Test suite failed to run", "").split("\n")
    return "\n".join(each.strip() for each in lines if each.strip() and not _CODE_FRAME.match(each))


def _jest_case(path: str, test: dict[str, Any]) -> _Case:
    status = {"passed": "passed", "failed": "failed"}.get(str(test.get("status")), "skipped")
    if status != "failed":
        return _Case(status, _named(path))
    titles = test.get("ancestorTitles")
    names = [str(name) for name in titles] if isinstance(titles, list) else []
    name = " > ".join([*names, str(test.get("title") or "?")])
    messages = test.get("failureMessages")
    text = "\n".join(map(str, messages)) if isinstance(messages, list) else ""
    return _Case(status, _of_stack(f"{path}::{name}", path, _COLOUR.sub("", text)))


def _named(file: object) -> TestFailure | None:
    """The file of a test that passed, where it is named."""
    return TestFailure(str(file), "") if file else None


def _mocha_case(test: dict[str, Any]) -> _Case:
    path, error = str(test.get("file") or "?"), test.get("err")
    error = error if isinstance(error, dict) else {}
    name = f"{path}::{test.get('fullTitle') or test.get('title') or '?'}"
    return _Case("failed", _of_stack(name, path, str(error.get("stack") or error.get("message"))))


def _of_stack(name: str, path: str, text: str) -> TestFailure:
    """A failure from an error's text: what it says, and its first frame in the project."""
    file, line = next(inside(frames(text)), (path, None))
    said = re.split(r"^[ \t]{0,20}at ", text, maxsplit=1, flags=re.MULTILINE)[0].strip()
    return TestFailure(name, said or text.strip(), file, line)


def _whole(content: bytes, key: str) -> dict[str, Any]:
    if not content.strip():
        raise UnreadableReport("there is no test report")
    said = _object(content)
    if not isinstance(said.get(key), list):
        raise UnreadableReport("the test report is not readable")
    return said


def _object(content: bytes) -> dict[str, Any]:
    try:
        said = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise UnreadableReport("the test report is not readable") from error
    if not isinstance(said, dict):
        raise UnreadableReport("the test report is not readable")
    return said


def _dicts(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
