"""A change of a file as search/replace blocks, each with lines that stand there once."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

_AROUND = 1


def as_edits(path: str, old: str, new: str) -> str:
    """Write what makes ``new`` of ``old``; the same again when nothing is to change."""
    before, after = old.split("\n"), new.split("\n")
    blocks = [_block(before[a:b], after[c:d]) for a, b, c, d in _hunks(before, after)]
    if not blocks:
        first = [line for line in before if line.strip()][:1]
        blocks = [_block(first, first)]
    body = "\n".join(blocks)
    return f"{path}\n```\n{body}\n```\n"


def _hunks(before: list[str], after: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Stretches that differ, with so many lines around that they stand there once."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    last = 0
    for group in matcher.get_grouped_opcodes(_AROUND):
        a, b, c, d = group[0][1], group[-1][2], group[0][3], group[-1][4]
        while a > last and _count(before, a, b) > 1:
            a, c = a - 1, c - 1
        while b < len(before) and _count(before, a, b) > 1:
            b, d = b + 1, d + 1
        last = b
        yield a, b, c, d


def _count(lines: list[str], start: int, end: int) -> int:
    return ("\n" + "\n".join(lines) + "\n").count("\n" + "\n".join(lines[start:end]) + "\n")


def _block(search: list[str], replace: list[str]) -> str:
    return "\n".join(["<<<<<<< SEARCH", *search, "=======", *replace, ">>>>>>> REPLACE"])
