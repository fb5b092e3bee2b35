"""Repairs for files of any language: what belongs to the answer around the file."""

from __future__ import annotations

import re
from collections.abc import Callable

from runner.replies.cleanup import drop_line_numbers, unescape_newlines

Mend = Callable[[str, str], str | None]
"""(path, text) → the text put right, or None when there is nothing to do."""

_FENCE = re.compile(r"^\s*(?:`{3,}|~{3,})[\w+-]*\s*$")


def drop_fence(_path: str, text: str) -> str | None:
    """Drop a fence line that was left at the start or the end."""
    lines = text.split("\n")
    body = [at for at, line in enumerate(lines) if line.strip()]
    if not body:
        return None
    for at in dict.fromkeys((body[-1], body[0])):
        if _FENCE.match(lines[at]):
            del lines[at]
    return "\n".join(lines)


def drop_mark(_path: str, text: str) -> str | None:
    """Drop byte-order marks and zero-width characters."""
    return re.sub("[\ufeff\u200b\u2060]", "", text)


def drop_diff_marks(_path: str, text: str) -> str | None:
    """Drop the first column where it holds a ``+`` or a blank on every line, as in a diff."""
    lines = text.split("\n")
    body = [line for line in lines if line.strip()]
    if not any(line[0] == "+" for line in body) or any(line[0] not in "+ " for line in body):
        return None
    return "\n".join(line[1:] for line in lines)


def drop_numbers(path: str, text: str) -> str | None:
    """Drop line numbers that count up by one."""
    return "\n".join(drop_line_numbers(text.split("\n"), path))


TEXT_MENDS: tuple[tuple[str, Mend], ...] = (
    ("dropped a leftover fence line", drop_fence),
    ("dropped a byte-order mark", drop_mark),
    ("took off the marks of a diff", drop_diff_marks),
    ("took off line numbers", drop_numbers),
    ("undid a double escape", lambda path, text: unescape_newlines(text, path)),
)
