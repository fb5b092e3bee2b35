"""What two lists of lines have in common, in a time that their length limits.

``SequenceMatcher`` may take the cube of it: in two texts of 2,000 lines that share every second one
it looks for more than a minute, and nobody can end it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from difflib import Match, SequenceMatcher
from typing import TypeVar

Line = TypeVar("Line", bound=Hashable)

_ROOM, _EACH = 5_000_000, 100
"""Comparisons of two lines: so many, and more for each line; 10 million take about a second."""


class Compared(SequenceMatcher[Line]):
    """Finds nothing more in common when it has worked for too long: nothing is ``left`` then."""

    b2j: dict[Line, list[int]]  # documented, where each line of ``after`` is

    def __init__(
        self, before: Sequence[Line], after: Sequence[Line], *, autojunk: bool = False
    ) -> None:
        super().__init__(None, before, after, autojunk)
        self._before = before
        self.left = _ROOM + _EACH * (len(before) + len(after))

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        """As ``SequenceMatcher`` does, as long as there is room for what that costs."""
        self.left -= sum(1 + len(self.b2j.get(line, ())) for line in self._before[alo:ahi])
        if self.left < 0:
            return Match(alo, blo, 0)
        return super().find_longest_match(alo, ahi, blo, bhi)


def comparable(before: Sequence[Line], after: Sequence[Line]) -> bool:
    """Say whether ``unified_diff`` compares them in that time."""
    compared = Compared(before, after, autojunk=True)
    compared.get_opcodes()
    return compared.left >= 0
