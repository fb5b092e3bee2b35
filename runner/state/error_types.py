"""The types of everyday errors: which one a failure is, how bad it is, and what follows. Pure.

A failure has a precise word of its own (``Failure.type``); statistics, histories and people count
by these types.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from runner.code.missing import missing_in
from runner.state.findings import Complaint, Verification, failed_level

ErrorType = Literal[
    "syntax",
    "missing_path",
    "import",
    "permission",
    "timeout",
    "rate_limit",
    "model",
    "test",
    "environment",
    "conflict",
    "budget",
    "other",
]
Severity = Literal["warning", "error", "critical"]
"""A warning goes away by itself, an error ends this task, a critical one would end others too."""

MAX_RETRIES = 3
"""Further answers of an attempt after an error of one type."""


SEVERITIES: Final[Mapping[ErrorType, Severity]] = {
    "syntax": "error",
    "missing_path": "error",
    "import": "error",
    "permission": "error",
    "timeout": "error",
    "rate_limit": "warning",
    "model": "error",
    "test": "error",
    "environment": "critical",
    "conflict": "error",
    "budget": "critical",
    "other": "error",
}

LASTING: Final[frozenset[ErrorType]] = frozenset({"permission"})
"""What no further attempt changes while nobody changes anything outside."""

_TYPE_OF_WORD: Final[Mapping[str, ErrorType]] = {
    "missing_file": "missing_path",
    "file": "missing_path",
    "credential": "permission",
    "model_name": "model",
    "sandbox": "environment",
    "engine": "environment",
}


def error_type(word: str) -> ErrorType:
    """Return the type that the word of a failure belongs to."""
    known: dict[str, ErrorType] = {each: each for each in SEVERITIES}
    return known.get(word) or _TYPE_OF_WORD.get(word, "other")


def waited_out(word: str) -> ErrorType | None:
    """Return the type of an outage that the run waits out by itself; None for all others."""
    return "rate_limit" if error_type(word) == "rate_limit" else None


NO_NEWS: Final = frozenset({"SameAnswer", "EmptyAnswer"})
"""Complaints that an answer says nothing new; what failed before it is the error."""

_OF_COMPLAINTS: Final = {
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
    "ConflictMarks": "syntax",
}
_OF_MESSAGES: Final = (
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


def word_of_complaint(complaint: Complaint | None) -> str:
    """Return the word for what validation found (``Failure.type``)."""
    if complaint is None:
        return "internal"
    return _OF_COMPLAINTS.get(complaint.error, "model")


def word_of_verification(verification: Verification | None) -> str:
    """Return the word for what the tests found (``Failure.type``)."""
    level = failed_level(verification)
    if level and level.name == "syntax":
        return "syntax"
    if level and level.cause == "timeout":
        return "timeout"
    lines = [f.message for f in level.failures] if level and level.failures else []
    text = "\n".join(lines) or (level.output if level else "")
    if missing_in(text):
        return "import"
    return next((word for word, pattern in _OF_MESSAGES if pattern.search(text)), "test")
