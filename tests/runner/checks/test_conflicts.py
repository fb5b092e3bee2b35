"""Marks of a conflict that an answer leaves in a file."""

from __future__ import annotations

import pytest

from runner.checks.validate import check_conflicts
from tests.runner.checks.trees import complaints

LEFT = "FROM a\n<<<<<<< SEARCH\nRUN b\n=======\nRUN c\n>>>>>>> REPLACE\nRUN d\n"


def test_both_versions_are_named_with_their_lines() -> None:
    """The message says where they are, and what to write instead."""
    complaint = check_conflicts("Dockerfile", LEFT.encode(), b"FROM a\nRUN b\nRUN d\n")

    assert complaint is not None
    assert (complaint.error, complaint.line) == ("ConflictMarks", 2)
    assert "Lines 2 to 6" in complaint.for_model
    assert "without marks" in complaint.for_model


@pytest.mark.parametrize(
    ("path", "error"),
    [("Makefile", "ConflictMarks"), ("a.py", "SyntaxError"), ("a.txt", "ConflictMarks")],
)
def test_a_file_is_complained_about_once(path: str, error: str) -> None:
    """Where the language's syntax does not allow them, that is said."""
    assert complaints({path: LEFT}) == [(path, error)]


@pytest.mark.parametrize(
    ("path", "text", "old"),
    [
        ("docs/merging.md", LEFT, ""),
        ("tests/data/merge.txt", LEFT, ""),
        ("merge.txt", LEFT, LEFT),
        ("title.txt", "Title\n=======\n", ""),
        ("code.txt", "print <<<<<<< x\n=======\n>>>>>>> y\n", ""),
        ("half.txt", "<<<<<<< a\n>>>>>>> b\n=======\n", ""),
    ],
)
def test_what_is_no_forgotten_conflict(path: str, text: str, old: str) -> None:
    """Documents and tests show conflicts on purpose, and what was there before is not asked for."""
    assert complaints({path: text}, {path: old} if old else {}) == []
