"""What failed, in one word and one sentence, from what was seen last. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from runner.findings import Complaint, Verification
from runner.recovery.patterns.missing import missing_in
from runner.state import Attempt, Failure
from runner.text import cut_middle
from runner.texts_failure import answers_refused, tests_fail
from runner.verdicts import failed_level, headline, what_happened

MOST_EVIDENCE = 12
_LONGEST = 300
_HOPELESS = frozenset({"permission", "git", "github", "internal"})
"""Failures that another attempt at the task, in any form, would meet again."""

_NO_NEWS = frozenset({"SameAnswer", "EmptyAnswer"})
_OF_COMPLAINTS = {
    "MissingFile": "missing_file",
    "NearMissPath": "missing_file",
    "ProtectedPath": "permission",
    "UnsafePath": "permission",
    "CaseCollision": "permission",
    "PathConflict": "permission",
    "Secret": "permission",
    "TooLarge": "budget",
    "WeakenedTest": "test",
    "SyntaxError": "syntax",
    "IndentationError": "syntax",
    "TabError": "syntax",
    "JSONDecodeError": "syntax",
    "YAMLError": "syntax",
    "TOMLDecodeError": "syntax",
    "SQLError": "syntax",
    "EncodingError": "syntax",
}
_OF_MESSAGES = (
    (
        "import",
        re.compile(
            r"^(?:E\s+)?(?:ModuleNotFoundError|ImportError): |"
            r"Cannot find (?:module|package) |unresolved import `",
            re.MULTILINE,
        ),
    ),
    ("missing_file", re.compile(r"^(?:E\s+)?FileNotFoundError: |ENOENT", re.MULTILINE)),
    (
        "permission",
        re.compile(r"^(?:E\s+)?PermissionError: |EACCES|Read-only file system", re.MULTILINE),
    ),
    (
        "environment",
        re.compile(
            r"Connection refused|name resolution|No space left on device|"
            r"cannot open shared object file|command not found"
        ),
    ),
    ("timeout", re.compile(r"^(?:E\s+)?(?:[\w.]+\.)?TimeoutError\b", re.MULTILINE)),
    ("syntax", re.compile(r"^(?:E\s+)?(?:SyntaxError|IndentationError|TabError): ", re.MULTILINE)),
)


def failure_of(attempt: Attempt) -> Failure:
    """Return the failure of an attempt: its node's own, or what the last answers failed for."""
    failure = attempt.failure or _of_answers(attempt)
    return replace(
        failure,
        recoverable=failure.recoverable and failure.type not in _HOPELESS,
        evidence=tuple(dict.fromkeys((*failure.evidence, *_evidence(attempt))))[:MOST_EVIDENCE],
    )


def _of_answers(attempt: Attempt) -> Failure:
    node = attempt.path[-1] if attempt.path else "execute_task"
    refused = [c for c in attempt.complaints if c.error not in _NO_NEWS]
    red = red_lines(attempt.verification)
    if refused or not red:
        first = next(iter((*refused, *attempt.complaints)), None)
        said = _line(first) if first else ""
        return Failure(_of_complaint(first), answers_refused(attempt.answers, said), node=node)
    return Failure(_of_verification(attempt), tests_fail(attempt.answers, red), node=node)


def _of_complaint(complaint: Complaint | None) -> str:
    if complaint is None:
        return "internal"
    return _OF_COMPLAINTS.get(complaint.error, "model")


def _of_verification(attempt: Attempt) -> str:
    level = failed_level(attempt.verification)
    if level and level.name == "syntax":
        return "syntax"
    if level and "timed out" in level.reason:
        return "timeout"
    said = [f.message for f in level.failures] if level and level.failures else []
    text = "\n".join(said) or (level.output if level else "")
    if missing_in(text):
        return "import"
    return next((word for word, pattern in _OF_MESSAGES if pattern.search(text)), "test")


def _evidence(attempt: Attempt) -> Iterator[str]:
    """What is red now, then what every answer was refused for, then what was decided."""
    for line in (*red_lines(attempt.verification)[:3], *attempt.avoid[:6], *attempt.reasons[-2:]):
        yield _short(line)


def red_lines(verification: Verification | None) -> list[str]:
    """One short line for each failing test; without one, what the run ended with."""
    level = failed_level(verification)
    if level is None:
        return []
    if level.failures:
        return [_short(f"{each.test}: {headline(each.message)}") for each in level.failures]
    return [_short(f"{level.name}: {what_happened(level)}")]


def _short(text: str) -> str:
    return cut_middle(" ".join(text.split()), _LONGEST).replace("\n", " ")


def _line(complaint: Complaint) -> str:
    where = complaint.path or "the answer"
    at = f", line {complaint.line}" if complaint.line else ""
    return _short(f"{where}{at}: {complaint.error}: {complaint.message}")
