"""A change of a file as search/replace blocks, each with lines that stand there once."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

_AROUND = 1


def as_edits(path: str, old: str, new: str) -> str:
    """Write what makes ``new`` of ``old``; the same again when nothing is to change."""
    blocks = [_block(search, replace) for search, replace in edits_of(old, new)]
    if not blocks:
        first = next((line for line in old.split("\n") if line.strip()), "")
        blocks = [_block(first, first)]
    body = "\n".join(blocks)
    fence = "`" * (6 if "```" in body else 3)
    return f"{path}\n{fence}\n{body}\n{fence}\n"


def edits_of(old: str, new: str) -> list[tuple[str, str]]:
    """Return what to search for and what to put there; each search text stands in ``old`` once."""
    before, after = old.split("\n"), new.split("\n")
    return [("\n".join(before[a:b]), "\n".join(after[c:d])) for a, b, c, d in _hunks(before, after)]


def _hunks(before: list[str], after: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Stretches that differ, with so many lines around that they stand there once."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    groups = [
        (group[0][1], group[-1][2], group[0][3], group[-1][4])
        for group in matcher.get_grouped_opcodes(_AROUND)
    ]
    last = 0
    while groups:
        a, b, c, d = groups.pop(0)
        while a > last and not _found_once(before, a, b):
            a, c = a - 1, c - 1
        while b < len(before) and not _found_once(before, a, b):
            b, d = b + 1, d + 1
        if groups and groups[0][0] < b:  # it grew into the next one: they are one
            groups[0] = (a, max(b, groups[0][1]), c, max(d, groups[0][3]))
            continue
        last = b
        yield a, b, c, d


def _found_once(lines: list[str], start: int, end: int) -> bool:
    """Whether these lines stand in the file once and are more than blank."""
    wanted = "\n".join(lines[start:end])
    return bool(wanted.strip()) and f"\n{chr(10).join(lines)}\n".count(f"\n{wanted}\n") == 1


def _block(search: str, replace: str) -> str:
    middle = f"{replace}\n" if replace else ""
    return f"<<<<<<< SEARCH\n{search}\n=======\n{middle}>>>>>>> REPLACE"
