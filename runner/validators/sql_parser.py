"""The SQL parser, loaded when the first SQL is seen, and what it says of one statement."""

from __future__ import annotations

import importlib
import logging
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

DIALECTS: tuple[str, ...] = (
    *("", "postgres", "mysql", "sqlite", "tsql", "oracle", "snowflake", "bigquery"),
)
_COLOUR = re.compile(r"\x1b\[\d*m")
_MISSING = re.compile(r"Required keyword: '\w+' missing for .*")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Where and why a dialect refuses a statement; ``offset`` counts characters from its start."""

    offset: int
    said: str


@cache
def sqlglot() -> Any:
    """Load the parser (it takes a tenth of a second) and tell it to keep its remarks."""
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    return importlib.import_module("sqlglot")


def statements(text: str, dialect: str = "") -> list[Any] | None:
    """Return the statements of a text as trees; None when the dialect refuses it."""
    parser = sqlglot()
    try:
        return [tree for tree in parser.parse(text, read=dialect or None) if tree is not None]
    except (parser.errors.SqlglotError, RecursionError):
        return None


def refusal(statement: str, dialect: str) -> Refusal | None:
    """Return why a dialect refuses one statement, or None; nesting too deep is no reason."""
    parser = sqlglot()
    try:
        parser.parse(statement, read=dialect or None)
    except parser.errors.ParseError as error:
        return _refusal(statement, error.errors[0] if error.errors else {})
    except parser.errors.SqlglotError:
        return Refusal(0, "this cannot be split into words")
    except RecursionError:
        return None
    return None


def _refusal(statement: str, error: dict[str, Any]) -> Refusal:
    lines = statement.split("\n")
    line = min(int(error.get("line") or 1), len(lines))
    word = _COLOUR.sub("", str(error.get("highlight") or ""))
    start = sum(len(one) + 1 for one in lines[: line - 1])
    offset = start + max(int(error.get("col") or 1) - len(word), 0)
    said = str(error.get("description") or "")
    if _MISSING.match(said):
        said = "something is missing here"
    elif said.startswith("Expect"):
        said = said[0].lower() + said[1:].partition(" but got ")[0]
    else:
        said = "unexpected"
    return Refusal(
        offset, f"{said} at '{word}'" if said != "unexpected" else f"unexpected '{word}'"
    )
