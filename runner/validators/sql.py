"""SQL: only what no common dialect accepts, and only in statements that all of them share.

A grammar of what dialects have in common looks first, for it is twenty times as quick as the parser
that knows them one by one. What the grammar takes is right; of the rest the parser decides.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from runner.findings import Complaint
from runner.text import numbered
from runner.validators import grammar, grammars
from runner.validators.sql_parser import DIALECTS, Refusal, refusal

_TAG = re.compile(r"\$(?![0-9])")
"""The grammar's own scanner of $tags$ writes a byte beyond its buffer: it is never given one."""
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_LARGEST, _LONGEST_STATEMENT, _MOST_ODD = 128 << 10, 16 << 10, 20
_SHARED = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "CREATE TABLE", "ALTER TABLE", "DROP")
_FIRST_WORDS = ("SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER")
# scripts of one server's own shell or in its own programming language, and templates
_FOREIGN = re.compile(
    r"^[ \t]*(?:DELIMITER|GO|EXEC(?:UTE)?|DECLARE|BEGIN(?![ \t]*(?:;|TRAN|WORK))|COPY)\b|\{\{|\{%"
    r"|\bCREATE\s+(?:OR\s+\w+\s+)?(?:FUNCTION|PROCEDURE|TRIGGER|PACKAGE)\b",
    re.IGNORECASE | re.MULTILINE,
)
_CLIENT = re.compile(r"^[ \t]*(?:\\|\.[a-z]|@)[^\n]*", re.MULTILINE)
# texts, names, comments; one without its end runs to the end of the file
PIECE = re.compile(
    r"(?P<open>['\"`])(?:(?!(?P=open)).|(?P=open){2})*(?:(?P=open)|(?P<text>\Z))"
    r"|--[^\n]*|/\*(?:.*?\*/|(?P<comment>.*\Z))|\$(?P<tag>\w{0,30})\$.*?\$(?P=tag)\$|(?P<end>;)"
    r"|(?P<twice>,)\s*,",
    re.DOTALL,
)


def check(path: str, content: bytes) -> Complaint | None:
    """Return the first error of an SQL file, or None."""
    text = content.decode("utf-8", "replace")
    if len(content) > _LARGEST or _is_common(text) or _FOREIGN.search(text):
        return None
    fault = next(_faults(_CLIENT.sub(lambda found: " " * len(found[0]), text)), None)
    if fault is None:
        return None
    line, start = text.count("\n", 0, fault.offset) + 1, text.rfind("\n", 0, fault.offset)
    excerpt = numbered(text, line)
    return Complaint(path, "SQLError", fault.said, line, fault.offset - start, excerpt)


def _faults(text: str) -> Iterator[Refusal]:
    """Yield the faults, statement by statement; few statements are tried in every dialect."""
    start, odd, dialects = 0, 0, DIALECTS
    for found in (*PIECE.finditer(text), None):
        if found and (fault := _in_piece(found)):
            yield fault
        if found and not found["end"]:
            continue
        end = found.start() if found else len(text)
        first = _first_refusal(text[start:end], dialects) if odd < _MOST_ODD else None
        if isinstance(first, Refusal):
            odd += 1
            if _is_shared(text[start:end]):
                yield Refusal(start + first.offset, first.said)
        elif first:
            dialects = first
        start = end + 1


def _in_piece(found: re.Match[str]) -> Refusal | None:
    if found["text"] is not None or found["comment"] is not None:
        what = "text" if found["comment"] is None else "comment"
        return Refusal(found.start(), f"the {what} that begins here is never closed")
    return Refusal(found.start(), "unexpected ',' behind ','") if found["twice"] else None


def _first_refusal(statement: str, dialects: tuple[str, ...]) -> Refusal | tuple[str, ...] | None:
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
