"""Suggestions of reviewers, put into files as GitHub's own button does."""

from __future__ import annotations

import pytest

from runner.nodes.revise import applied
from runner.state.revising import Point, Suggestion

FILE = b"one\ntwo\nthree\n"


def put(content: bytes, *suggestions: tuple[int, int, str]) -> bytes | None:
    """The file with these suggestions: first line, last line, text."""
    points = tuple(
        Point(text="", by="writer", path="a.txt", suggestions=(Suggestion(*each),))
        for each in suggestions
    )
    return applied(content, points, "a.txt")


@pytest.mark.parametrize(
    ("suggestion", "after"),
    [
        ((2, 2, "TWO\n"), b"one\nTWO\nthree\n"),
        ((1, 2, "both\n"), b"both\nthree\n"),
        ((2, 2, "two\nand a half\n"), b"one\ntwo\nand a half\nthree\n"),
        ((2, 2, ""), b"one\nthree\n"),
        ((3, 3, "\n"), b"one\ntwo\n\n"),
    ],
)
def test_lines_are_replaced(suggestion: tuple[int, int, str], after: bytes) -> None:
    """One line or several, by one or several, or by none."""
    assert put(FILE, suggestion) == after


def test_several_suggestions_keep_their_lines() -> None:
    """Each is about the lines as they were, whatever another one adds above it."""
    assert put(FILE, (1, 1, "1\n1.5\n"), (3, 3, "3\n")) == b"1\n1.5\ntwo\n3\n"


def test_line_ends_stay() -> None:
    """GitHub sends suggestions with line feeds alone."""
    assert put(b"one\r\ntwo\r\n", (1, 1, "a\nb\n")) == b"a\r\nb\r\ntwo\r\n"
    assert put(b"one\ntwo", (2, 2, "TWO\n")) == b"one\nTWO"


def test_only_line_feeds_count_as_line_ends() -> None:
    """Form feeds and U+2028 are within a line, as git and GitHub count."""
    content = "a\x0cb\u2028c\ntwo\n".encode()

    assert put(content, (2, 2, "TWO\n")) == "a\x0cb\u2028c\nTWO\n".encode()


@pytest.mark.parametrize(
    "suggestions",
    [
        [(1, 2, "a\n"), (2, 3, "b\n")],
        [(4, 4, "four\n")],
        [(0, 0, "none\n")],
        [(3, 2, "turned\n")],
    ],
)
def test_what_does_not_fit_is_not_applied(suggestions: list[tuple[int, int, str]]) -> None:
    """Overlapping suggestions, or lines that the file does not have, are for the model."""
    assert put(FILE, *suggestions) is None


def test_files_that_are_no_text_are_left_alone() -> None:
    """There are no lines in them to replace."""
    assert put(b"\xff\xfe\n", (1, 1, "a\n")) is None
