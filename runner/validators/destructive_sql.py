"""SQL that throws data away: DROP, TRUNCATE, and DELETE of every row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from runner.validators.sql import PIECE
from runner.validators.sql_parser import DIALECTS, sqlglot, statements

_TRIGGER = re.compile(r"\b(?:DROP|TRUNCATE|DELETE)\b", re.IGNORECASE)
_DROPPED = frozenset({"TABLE", "DATABASE", "SCHEMA", "COLUMN", "USER", "ROLE"})
_DROP = re.compile(r"\s*(DROP\s+(?:TABLE|DATABASE|SCHEMA|USER|ROLE)|TRUNCATE(?:\s+TABLE)?)\b", re.I)
_LEADING = re.compile(r"(?:\s|--[^\n]*|/\*.*?\*/)*", re.DOTALL)
_LONGEST = 16_000


def judge_sql(text: str) -> Iterator[str]:
    """Yield the pattern of each statement that destroys."""
    for _, pattern in placed(text):
        yield pattern


def placed(text: str) -> Iterator[tuple[int, str]]:
    """Yield offset and pattern of each statement that destroys."""
    if not _TRIGGER.search(text):
        return
    start = 0
    for found in (*PIECE.finditer(text), None):
        if found and not found["end"]:
            continue
        end = found.start() if found else len(text)
        statement = text[start:end]
        if len(statement) <= _LONGEST and _TRIGGER.search(statement):
            blanks = _LEADING.match(statement)
            at = start + (blanks.end() if blanks else 0)
            yield from ((at, pattern) for pattern in _patterns(statement))
        start = end + 1


def _patterns(statement: str) -> Iterator[str]:
    trees = next((t for d in DIALECTS[:4] if (t := statements(statement, d)) is not None), None)
    if trees is None:  # no grammar takes it; what is said plainly counts all the same
        if found := _DROP.match(_LEADING.sub("", statement, count=1)):
            yield " ".join(found[1].upper().split())
        return
    kinds = sqlglot().exp
    for tree in trees:
        for node in tree.find_all(kinds.Drop, kinds.TruncateTable, kinds.Delete):
            if pattern := _pattern(node):
                yield pattern
        if isinstance(tree, kinds.Command) and (found := _DROP.match(statement)):
            yield " ".join(found[1].upper().split())


def _pattern(node: Any) -> str:
    kinds = sqlglot().exp
    if isinstance(node, kinds.Drop):
        kind = str(node.args.get("kind") or "").upper()
        return f"DROP {kind}" if kind in _DROPPED else ""
    if isinstance(node, kinds.TruncateTable):
        return "TRUNCATE TABLE"
    return "" if node.args.get("where") or node.args.get("limit") else "DELETE without WHERE"
