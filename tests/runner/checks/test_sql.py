"""SQL is refused only where no common dialect accepts it."""

from __future__ import annotations

import pytest

from runner.checks.sql import SqlRefusal, check_sql, read, statements


def place(text: str) -> tuple[int | None, int | None] | None:
    """The line and column of the first error; None for none."""
    found = check_sql("a.sql", text.encode())
    return found and (found.line, found.column)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1;\n",
        "SELECT TOP 5 * FROM users;\n",  # one dialect
        "SELECT a FROM t LIMIT 5, 10;\n",  # another one
        "SELECT TOP 5 * FROM users;\nSELECT a FROM t LIMIT 5, 10;\nSELECT a::int FROM t;\n",
        "CREATE FUNCTION f() RETURNS int AS $$ BEGIN RETURN (1; END $$ LANGUAGE plpgsql;\n",
        "-- a comment without an end, of a line\nSELECT 1\n",
        "\\connect other\nSELECT 1;\n",
        "VACUUM (VERBOSE, ANALYZE) (;\n",  # no kind of statement that all dialects share
        "",
    ],
)
def test_what_some_dialect_has_is_right(text: str) -> None:
    """Also where the statements of one file are of several dialects."""
    assert place(text) is None


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("SELECT * FORM users;\n", 1, 15),
        ("SELECT 1;\nINSERT INTO users VALUES (1, 2;\n", 2, 30),
        ("SELECT TOP 5 * FROM users;\nSELECT * FORM users;\n", 2, 15),
        ("SELCT * FROM users;\n", 1, 9),  # nearly a word that all dialects have
        ("SELECT 'open FROM users;\n", 1, 8),
        ("SELECT 1; /* open\nSELECT 2;\n", 1, 11),
        ("SELECT a,, b FROM users;\n", 1, 9),
    ],
)
def test_what_no_dialect_has_is_refused_at_its_place(text: str, line: int, column: int) -> None:
    """The first error of the file."""
    assert place(text) == (line, column)


def test_a_statement_is_read_as_the_first_dialect_that_accepts_it() -> None:
    """Its trees are there to look at, or where it stops making sense."""
    kinds = [
        type(tree).__name__ for _, one in statements("SELECT 1; DROP TABLE a") for tree in read(one)
    ]

    assert kinds == ["Select", "Drop"]
    assert isinstance(read("SELECT ("), SqlRefusal)
