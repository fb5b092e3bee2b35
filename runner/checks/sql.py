"""Read SQL: what no common dialect accepts is refused, in statements that all of them share."""

from __future__ import annotations

import difflib
import importlib
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from runner.state.findings import Complaint
from runner.text.patterns import lazy_pattern
from runner.text.sanitize import numbered, uncoloured

_DIALECTS = ("", "postgres", "mysql", "sqlite", "tsql", "oracle", "snowflake", "bigquery")
_LARGEST, _LONGEST, _MOST_ODD = 64 << 10, 16 << 10, 20
_COMMENT = lazy_pattern(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_SHARED = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "CREATE TABLE", "ALTER TABLE", "DROP")
_FIRST_WORDS = ("SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER")
# scripts of one server's own shell or in its own programming language, and templates
_FOREIGN = lazy_pattern(
    r"^[ \t]*(?:DELIMITER|GO|EXEC(?:UTE)?|DECLARE|BEGIN(?![ \t]*(?:;|TRAN|WORK))|COPY)\b|\{\{|\{%"
    r"|\bCREATE\s+(?:OR\s+\w+\s+)?(?:FUNCTION|PROCEDURE|TRIGGER|PACKAGE)\b",
    re.IGNORECASE | re.MULTILINE,
)
_CLIENT = lazy_pattern(r"^[ \t]*(?:\\|\.[a-z]|@)[^\n]*", re.MULTILINE)
# texts, names, comments; one without its end runs to the end of the file
_PIECE = lazy_pattern(
    r"(?P<open>['\"`])(?:(?!(?P=open)).|(?P=open){2})*(?:(?P=open)|(?P<text>\Z))"
    r"|--[^\n]*|/\*(?:.*?\*/|(?P<comment>.*\Z))|\$(?P<tag>\w{0,30})\$.*?\$(?P=tag)\$|(?P<end>;)"
    r"|(?P<twice>,)\s*,",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class SqlRefusal:
    """Where and why a dialect refuses a statement; ``offset`` counts characters from its start."""

    offset: int
    message: str


@cache
def sqlglot() -> Any:
    """Load the parser (it takes a tenth of a second) and silence its messages."""
    logging.getLogger("sqlglot").setLevel(logging.ERROR)
    return importlib.import_module("sqlglot")


def statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield offset and text of each statement that is not too long to be read."""
    start = 0
    for found in (*_PIECE.finditer(text), None):
        if found is None or found["end"]:
            end = found.start() if found else len(text)
            if text[start:end].strip() and end - start <= _LONGEST:
                yield start, text[start:end]
            start = end + 1


def read(statement: str) -> list[Any] | SqlRefusal:
    """Return the trees of one statement as the first dialect that accepts it reads it.

    If none does: why the first one refuses it. Deep nesting is not a reason.
    """
    parser = sqlglot()
    first: SqlRefusal | None = None
    for dialect in _DIALECTS:
        try:
            trees = parser.parse(statement, read=dialect or None)
            return [tree for tree in trees if tree is not None]
        except parser.errors.ParseError as error:
            first = first or _refusal(statement, error.errors[0] if error.errors else {})
        except parser.errors.SqlglotError:
            first = first or SqlRefusal(0, "this cannot be split into words")
        except RecursionError:
            return []
    return first or []


def _refusal(statement: str, error: dict[str, Any]) -> SqlRefusal:
    lines = statement.split("\n")
    line = min(int(error.get("line") or 1), len(lines))
    word = uncoloured(str(error.get("highlight") or ""))
    start = sum(len(one) + 1 for one in lines[: line - 1])
    offset = start + max(int(error.get("col") or 1) - len(word), 0)
    said = str(error.get("description") or "")
    if re.match(r"Required keyword: '\w+' missing for ", said):
        return SqlRefusal(offset, f"something is missing here at '{word}'")
    if said.startswith("Expect"):
        said = said[0].lower() + said[1:].partition(" but got ")[0]
        return SqlRefusal(offset, f"{said} at '{word}'")
    return SqlRefusal(offset, f"unexpected '{word}'")


def check_sql(path: str, content: bytes) -> Complaint | None:
    """Return the first error of an SQL file, or None."""
    text = content.decode("utf-8", "replace")
    if len(content) > _LARGEST or _FOREIGN.search(text):
        return None
    fault = _first_fault(_CLIENT.sub(lambda found: " " * len(found[0]), text))
    if fault is None:
        return None
    line, start = text.count("\n", 0, fault.offset) + 1, text.rfind("\n", 0, fault.offset)
    excerpt = numbered(text, line)
    return Complaint(path, "SQLError", fault.message, line, fault.offset - start, excerpt)


def _first_fault(text: str) -> SqlRefusal | None:
    broken: SqlRefusal | None = None
    for found in _PIECE.finditer(text):
        if found["twice"]:
            broken = SqlRefusal(found.start(), "unexpected ',' behind ','")
        elif found["text"] is not None or found["comment"] is not None:
            what = "text" if found["comment"] is None else "comment"
            message = f"the {what} that begins here is never closed"
            broken = SqlRefusal(found.start(), message)
        if broken:
            break
    odd = 0  # each is tried in every dialect
    for start, statement in statements(text):
        if (broken and start + len(statement) >= broken.offset) or odd == _MOST_ODD:
            break
        why = read(statement)
        if isinstance(why, SqlRefusal):
            odd += 1
            if _is_shared(statement):
                return SqlRefusal(start + why.offset, why.message)
    return broken


def _is_shared(statement: str) -> bool:
    """Whether a statement is of a kind that all dialects have, or nearly has its first word."""
    words = _COMMENT.sub(" ", statement).upper().split(None, 2)
    if " ".join(words[:2]).startswith(_SHARED):
        return True
    if not words or words[0] in _FIRST_WORDS:
        return False
    return bool(difflib.get_close_matches(words[0][:20], _FIRST_WORDS, 1, 0.8))
