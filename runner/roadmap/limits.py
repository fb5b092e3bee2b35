"""How large a roadmap may be: reading costs time and memory by the pieces a file falls into."""

from __future__ import annotations

import re

from runner.roadmap.source import Source

MOST_BYTES = 4_000_000
"""The largest public roadmap seen has 234 kB; 10,000 tasks with details take under 1 MB."""
MOST_PIECES = 200_000
"""Lines, marks of lists and quotes, and table cells: each becomes up to four tokens."""
MOST_QUOTED = 1_000_000
"""Lines times the deepest quote: every level of a quote reads its lines again."""
DEEPEST = 100
"""Nesting that is still read: a list takes two levels, and the deepest seen has six lists."""

_MARKS = re.compile(r"^[ \t]*(?:[-*+>]|\d{1,9}[.)])(?:[ \t]*(?:[-*+>]|\d{1,9}[.)]))*", re.MULTILINE)
_MARK = re.compile(r"[-*+>.)]")


def too_large(size: int) -> str:
    """Say that a file of so many bytes is not even decoded, or nothing."""
    if size <= MOST_BYTES:
        return ""
    return f"the file has {size:,} bytes; at most {MOST_BYTES:,} are read. {_SPLIT}"


def too_many(source: Source) -> str:
    """Say that a file has more pieces than are read, or nothing."""
    marks = quotes = 0
    for found in _MARKS.finditer(source.text):
        prefix = found[0]
        marks += len(_MARK.findall(prefix))
        quotes = max(quotes, prefix.count(">"))
    lines = len(source.lines)
    pieces = lines + marks + source.text.count("|")
    if pieces > MOST_PIECES:
        return (
            f"the file has {lines:,} lines and {pieces - lines:,} marks of lists, quotes and "
            f"tables; at most {MOST_PIECES:,} are read. {_SPLIT}"
        )
    if quotes * lines > MOST_QUOTED:
        return f"block quotes are nested {quotes} deep in {lines:,} lines. {_SPLIT}"
    return ""


def too_deep(line: int) -> str:
    """Say where nesting goes deeper than is read; what follows it is not known."""
    return (
        f"lists are nested more than {DEEPEST // 2} deep on line {line}; nothing after it is "
        "read. Nest them less deeply."
    )


_SPLIT = "Split the roadmap into several files and run one of them."
