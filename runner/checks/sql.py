"""Check SQL: only what no common dialect accepts, and only in statements that all of them share.

A grammar of what dialects have in common looks first, because it is twenty times as quick as the
parser that knows them one by one. What the grammar accepts is right; the parser decides the rest.
"""

from __future__ import annotations

import difflib
import importlib
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from runner.checks import grammars
from runner.checks import grammars as grammar
from runner.state.findings import Complaint
from runner.text.patterns import lazy_pattern
from runner.text.sanitize import numbered, uncoloured

DIALECTS: tuple[str, ...] = (
    *("", "postgres", "mysql", "sqlite", "tsql", "oracle", "snowflake", "bigquery"),
)
_MISSING = lazy_pattern(r"Required keyword: '\w+' missing for .*")


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


def statements(text: str, dialect: str = "") -> list[Any] | None:
    """Return the statements of a text as trees; None when the dialect refuses it."""
    parser = sqlglot()
    try:
        return [tree for tree in parser.parse(text, read=dialect or None) if tree is not None]
    except (parser.errors.SqlglotError, RecursionError):
        return None


def refusal(statement: str, dialect: str) -> SqlRefusal | None:
    """Return why a dialect refuses one statement, or None; deep nesting is not a reason."""
    parser = sqlglot()
    try:
        parser.parse(statement, read=dialect or None)
    except parser.errors.ParseError as error:
        return _refusal(statement, error.errors[0] if error.errors else {})
    except parser.errors.SqlglotError:
        return SqlRefusal(0, "this cannot be split into words")
    except RecursionError:
        return None
    return None


def _refusal(statement: str, error: dict[str, Any]) -> SqlRefusal:
    lines = statement.split("\n")
    line = min(int(error.get("line") or 1), len(lines))
    word = uncoloured(str(error.get("highlight") or ""))
    start = sum(len(one) + 1 for one in lines[: line - 1])
    offset = start + max(int(error.get("col") or 1) - len(word), 0)
    message = str(error.get("description") or "")
    if _MISSING.match(message):
        message = "something is missing here"
    elif message.startswith("Expect"):
        message = message[0].lower() + message[1:].partition(" but got ")[0]
    else:
        message = "unexpected"
    return SqlRefusal(
        offset, f"{message} at '{word}'" if message != "unexpected" else f"unexpected '{word}'"
    )


_TAG = lazy_pattern(r"\$(?![0-9])")
"""The grammar's own scanner of $tags$ writes a byte beyond its buffer: it is never given one."""
_COMMENT = lazy_pattern(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_LARGEST, _LONGEST_STATEMENT, _MOST_ODD = 128 << 10, 16 << 10, 20
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
PIECE = lazy_pattern(
    r"(?P<open>['\"`])(?:(?!(?P=open)).|(?P=open){2})*(?:(?P=open)|(?P<text>\Z))"
    r"|--[^\n]*|/\*(?:.*?\*/|(?P<comment>.*\Z))|\$(?P<tag>\w{0,30})\$.*?\$(?P=tag)\$|(?P<end>;)"
    r"|(?P<twice>,)\s*,",
    re.DOTALL,
)


def check_sql(path: str, content: bytes) -> Complaint | None:
    """Return the first error of an SQL file, or None."""
    text = content.decode("utf-8", "replace")
    if len(content) > _LARGEST or _is_common(text) or _FOREIGN.search(text):
        return None
    fault = next(_faults(_CLIENT.sub(lambda found: " " * len(found[0]), text)), None)
    if fault is None:
        return None
    line, start = text.count("\n", 0, fault.offset) + 1, text.rfind("\n", 0, fault.offset)
    excerpt = numbered(text, line)
    return Complaint(path, "SQLError", fault.message, line, fault.offset - start, excerpt)


def _faults(text: str) -> Iterator[SqlRefusal]:
    """Yield the faults, statement by statement; few statements are tried in every dialect."""
    start, odd, dialects = 0, 0, DIALECTS
    for found in (*PIECE.finditer(text), None):
        if found and (fault := _in_piece(found)):
            yield fault
        if found and not found["end"]:
            continue
        end = found.start() if found else len(text)
        first = _first_refusal(text[start:end], dialects) if odd < _MOST_ODD else None
        if isinstance(first, SqlRefusal):
            odd += 1
            if _is_shared(text[start:end]):
                yield SqlRefusal(start + first.offset, first.message)
        elif first:
            dialects = first
        start = end + 1


def _in_piece(found: re.Match[str]) -> SqlRefusal | None:
    if found["text"] is not None or found["comment"] is not None:
        what = "text" if found["comment"] is None else "comment"
        return SqlRefusal(found.start(), f"the {what} that begins here is never closed")
    return SqlRefusal(found.start(), "unexpected ',' behind ','") if found["twice"] else None


def _first_refusal(
    statement: str, dialects: tuple[str, ...]
) -> SqlRefusal | tuple[str, ...] | None:
    """Return the first dialect's refusal when all refuse, else the dialects, the accepting first.

    None: there is nothing to look at.
    """
    if not statement.strip() or len(statement) > _LONGEST_STATEMENT or _is_common(statement):
        return None
    first = None
    for dialect in dialects:
        why = refusal(statement, dialect)
        if why is None:
            return (dialect, *(other for other in dialects if other != dialect))
        first = first or why
    return first


def _is_common(text: str) -> bool:
    return not _TAG.search(text) and grammar.accepts(grammars.SQL, text.encode())


def _is_shared(statement: str) -> bool:
    """Whether a statement is of a kind that all dialects have, or nearly has its first word."""
    words = _COMMENT.sub(" ", statement).upper().split(None, 2)
    head = " ".join(words[:2])
    if head.startswith(_SHARED):
        return True
    if not words or words[0] in _FIRST_WORDS:
        return False
    return bool(difflib.get_close_matches(words[0][:20], _FIRST_WORDS, 1, 0.8))
