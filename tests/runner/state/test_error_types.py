"""The types of everyday errors."""

from __future__ import annotations

from typing import get_args

import pytest

from runner.state.error_types import (
    SEVERITIES,
    ErrorType,
    error_type,
    word_of_complaint,
    word_of_verification,
)
from runner.state.findings import Complaint, Level, TestFailure, Verification
from runner.state.run_state import Failure


def test_every_type_has_a_severity() -> None:
    """No type is without its row."""
    assert set(SEVERITIES) == set(get_args(ErrorType))


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("syntax", "syntax"),
        ("missing_file", "missing_path"),
        ("file", "missing_path"),
        ("import", "import"),
        ("credential", "permission"),
        ("timeout", "timeout"),
        ("rate_limit", "rate_limit"),
        ("model_name", "model"),
        ("sandbox", "environment"),
        ("conflict", "conflict"),
        ("budget", "budget"),
        ("approval", "other"),
        ("something new", "other"),
    ],
)
def test_the_type_of_a_failure(word: str, expected: str) -> None:
    """Each word of a failure belongs to one type; an unknown one is no everyday error."""
    assert error_type(word) == expected
    assert Failure(word, "why", node="execute_task").error == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("ModuleNotFoundError: No module named 'yaml'", "import"),
        ("FileNotFoundError: [Errno 2] No such file: 'a.csv'", "missing_path"),
        ("PermissionError: [Errno 13] Permission denied: '/etc/a'", "permission"),
        ("TimeoutError: the server did not answer", "timeout"),
        ("IndentationError: unexpected indent", "syntax"),
        ("could not connect: Connection refused", "environment"),
        ("assert 'ModuleNotFoundError: x' == 'y'", "test"),
        ("assert 1 == 2", "test"),
    ],
)
def test_the_type_of_a_red_test(message: str, expected: str) -> None:
    """The message of a failing test says which error it is, at the beginning of its line."""
    level = Level("tests", "failed", failures=(TestFailure("t.py::test_a", message),))
    assert error_type(word_of_verification(Verification("", (level,)))) == expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("SyntaxError", "syntax"),
        ("NearMissPath", "missing_path"),
        ("ProtectedPath", "permission"),
        ("TooLarge", "budget"),
        ("UnreadableAnswer", "model"),
    ],
)
def test_the_type_of_a_complaint(error: str, expected: str) -> None:
    """What validation finds has a type as well."""
    assert error_type(word_of_complaint(Complaint("a.py", error, "why"))) == expected
