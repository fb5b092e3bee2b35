"""Repairs for Python, in the order in which they are tried."""

from __future__ import annotations

import re

from runner.validators import python
from runner.validators.mends_layout import close_docstring, drop_bracket, indent_line
from runner.validators.mends_statements import call_print, comment_prose, unescape
from runner.validators.mends_text import Mend
from runner.validators.stumbling import only_reading

_FOUR = re.compile(r"(?<![\"'\\])(?:\"{4}(?!\")|'{4}(?!'))")
_CURLY = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "‚": "'", "\u00a0": " "})  # noqa: RUF001
_ROUNDS = 200


def three_quotes(_path: str, text: str) -> str | None:
    """Put three quotes where a docstring begins or ends with four."""
    lines = []
    for line in text.split("\n"):
        start = len(line) - len(line.lstrip(" \tbrufBRUF"))
        end = len(line.rstrip(" \t\r;)],:"))
        lines.append(_FOUR.sub(lambda m, s=start, e=end: _three(m, s, e), line))  # type: ignore[misc]
    return "\n".join(lines)


def _three(found: re.Match[str], start: int, end: int) -> str:
    at_edge = found.start() == start or found.end() == end
    return found[0][:3] if at_edge else found[0]


def straight_quotes(path: str, text: str) -> str | None:
    """Put plain quotes and blanks on the lines the compiler stumbles over, one after another."""
    for _ in range(_ROUNDS):
        complaint = python.check(path, text.encode("utf-8", "replace"))
        if complaint is None:
            return text
        lines = text.split("\n")
        at = (complaint.line or 0) - 1
        plain = lines[at].translate(_CURLY) if 0 <= at < len(lines) else ""
        if not plain or plain == lines[at]:
            return text.translate(_CURLY)
        lines[at] = plain
        text = "\n".join(lines)
    return text


def blanks_for_tabs(_path: str, text: str) -> str | None:
    """Put blanks for tabs in indentation when every width that compiles means the same code."""
    return only_reading(
        "\n".join(_expanded(line, width) for line in text.split("\n")) for width in (4, 8, 2)
    )


def _expanded(line: str, width: int) -> str:
    body = line.lstrip(" \t")
    return line[: len(line) - len(body)].expandtabs(width) + body


PYTHON_MENDS: tuple[tuple[str, Mend], ...] = (
    ("put three quotes for four", three_quotes),
    ("put plain quotes for typographic ones", straight_quotes),
    ("put blanks for tabs", blanks_for_tabs),
    ("made a call of print", call_print),
    ("put characters for HTML entities", unescape),
    ("made a comment of a sentence", comment_prose),
    ("moved a line to the only level that fits", indent_line),
    ("dropped a bracket too many", drop_bracket),
    ("closed a docstring", close_docstring),
)
