"""Repairs of Python's layout where only one reading compiles: indentation, brackets, docstrings."""

from __future__ import annotations

import re

from runner.findings import Complaint
from runner.validators import python
from runner.validators.stumbling import meaning, only_reading

_MOST_LEVELS, _LONGEST_DOCSTRING, _LARGEST = 12, 60, 64 << 10
_UNMATCHED = re.compile(r"unmatched '([)\]}])'")
_DOCSTRING = re.compile(r"\s*[rRuU]?(\"\"\"|''')(?!.*\1)")
_BEFORE_DOCSTRING = re.compile(
    r"\s*(?:(?:async\s+)?def|class)\b.*:\s*(?:#.*)?|.*\)\s*(?:->.*)?:\s*"
)


def indent_line(path: str, text: str) -> str | None:
    """Move one line that fits no level to the only level at which the file compiles."""
    said, lines = _stumble(path, text)
    if said is None or said.error != "IndentationError" or "expected an" in said.message:
        return None
    at = (said.line or 1) - 1
    if not 0 <= at < len(lines):
        return None
    body = lines[at].lstrip(" ")
    levels = {len(line) - len(line.lstrip(" ")) for line in lines[:at] if line.strip()}
    levels |= {level + 4 for level in levels}
    return only_reading(
        "\n".join([*lines[:at], " " * level + body, *lines[at + 1 :]])
        for level in sorted(levels)[:_MOST_LEVELS]
    )


def drop_bracket(path: str, text: str) -> str | None:
    """Drop a closing bracket too many, when it does not matter which of its line goes."""
    said, lines = _stumble(path, text)
    found = _UNMATCHED.match(said.message) if said else None
    at = ((said.line if said else 0) or 0) - 1
    if not found or not 0 <= at < len(lines):
        return None
    line = lines[at]
    places = [place for place, char in enumerate(line[:300]) if char == found[1]]
    return only_reading(
        "\n".join([*lines[:at], line[:place] + line[place + 1 :], *lines[at + 1 :]])
        for place in reversed(places)
    )


def close_docstring(path: str, text: str) -> str | None:
    """Close an open docstring before the first line from which on everything is code."""
    said, lines = _stumble(path, text)
    at = ((said.line if said else 0) or 0) - 1
    if said is None or "unterminated triple-quoted" not in said.message or not 0 < at < len(lines):
        return None
    quotes = _DOCSTRING.match(lines[at])
    if not quotes or not _BEFORE_DOCSTRING.fullmatch(lines[at - 1]):
        return None
    for end in range(at, min(len(lines), at + _LONGEST_DOCSTRING)):
        closed = "\n".join([*lines[:end], lines[end].rstrip() + quotes[1], *lines[end + 1 :]])
        if meaning(closed) is not None:
            return closed if _is_code("\n".join(lines[end + 1 :])) else None
    return None


def _is_code(text: str) -> bool:
    """Whether no line is a lone word, which prose and code have in common."""
    return not re.search(r"^\s*(?!pass\b|return\b|break\b|continue\b|raise\b)\w+\s*$", text, re.M)


def _stumble(path: str, text: str) -> tuple[Complaint | None, list[str]]:
    if len(text) > _LARGEST:
        return None, []
    return python.check(path, text.encode("utf-8", "replace")), text.split("\n")
