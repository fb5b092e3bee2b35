"""Which lines a change adds."""

from __future__ import annotations

from collections import Counter


def added_lines(text: str, old: str) -> frozenset[int]:
    """Return the numbers (from 1) of the lines that the old text has not, or has less often.

    A line that only moved is none. Linear, where a true diff is quadratic.
    """
    before = Counter(old.split("\n"))
    numbers = []
    for number, line in enumerate(text.split("\n"), 1):
        if before[line] > 0:
            before[line] -= 1
        else:
            numbers.append(number)
    return frozenset(numbers)
