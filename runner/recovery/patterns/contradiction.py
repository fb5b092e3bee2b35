"""Demands that exclude each other: a test against the task, or one test against another."""

from __future__ import annotations

import re
from collections.abc import Iterator

from runner.recovery.facts import Facts
from runner.recovery.patterns.names import words_of
from runner.recovery.values import Classification

_NOT_RAISED = re.compile(r"DID NOT RAISE (?:<class ')?(?:\w+\.)*(?P<error>\w{1,100})\b")
_COMPARED = re.compile(
    r"assert (?P<left>[^\n]{1,120}?) == (?P<right>[^\n]{1,120}?)\s*$", re.MULTILINE
)
_RETURNS = re.compile(
    r"\b(?:returns?|gives?|yields?|instead of (?:rais|fail)ing|no (?:error|exception))\b"
)
_MOST = 100
_DECIDE = "a test and the task, or two tests, exclude each other; a person must say which holds"


def contradiction(facts: Facts) -> Classification | None:
    """Find two tests that no answer can satisfy both, or an old test that forbids the task."""
    lines = [line for line in facts.seen if "::" in line][:_MOST]
    now = {failure.test for failure in facts.failures}
    for at, first in enumerate(lines):
        for second in lines[at + 1 :]:
            both = {_test(first), _test(second)}
            if len(both) == 2 and not both <= now and _exclude(first, second):
                return Classification("unknown", _told(facts, (first, second)))
    old = next(_forbidding(facts), "")
    return Classification("unknown", _told(facts, (old,))) if old else None


def _exclude(first: str, second: str) -> bool:
    """Whether one test wants what the other one failed for."""
    return _raised(first, second) or _raised(second, first) or _mirrored(first, second)


def _raised(wants: str, got: str) -> bool:
    found = _NOT_RAISED.search(wants)
    return found is not None and re.search(rf"\b{found['error']}:", _message(got)) is not None


def _mirrored(first: str, second: str) -> bool:
    one, other = _COMPARED.search(_message(first)), _COMPARED.search(_message(second))
    if one is None or other is None or one["left"] == one["right"]:
        return False
    return (one["left"], one["right"]) == (other["right"], other["left"])


def _forbidding(facts: Facts) -> Iterator[str]:
    """Tests that stood there before and want an error where the task wants a result."""
    said = words_of(facts.task)
    if not _RETURNS.search(said.lower()) or re.search(r"\braises?\b", said.lower()):
        return
    for failure in facts.failures:
        found = _NOT_RAISED.search(failure.message)
        if found and failure.file in facts.paths - facts.changed:
            yield f"{failure.test}: {found[0]}"


def _told(facts: Facts, lines: tuple[str, ...]) -> tuple[str, ...]:
    """The evidence names both sides: each test as old or new, and the task."""
    tests = tuple(f"{_whose(facts, line)}: {line}" for line in lines)
    task = f"the task: {' '.join(facts.task.text.split())[:200]}"
    return (_DECIDE, *tests, task)


def _whose(facts: Facts, line: str) -> str:
    return "an existing test" if _test(line).partition("::")[0] in facts.paths else "a new test"


def _test(line: str) -> str:
    return line.partition(": ")[0]


def _message(line: str) -> str:
    return line.partition(": ")[2]
