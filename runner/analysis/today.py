"""How a repository is configured today, as far as the analysis needs it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from runner.analysis.sample import Band, Factor, Route

WORDS: Final = 40
FILES: Final = 2
LINES: Final = 6
"""What sizes are counted in: a task of 40 words, 2 files or 6 lines has the size 1.

These are also the defaults of ``routing``, but they do not follow the configuration: a size means
the same in every record.
"""


@dataclass(frozen=True, slots=True)
class TodaysSettings:
    """The configuration; what is not known ('' or left out) is as in the newest execution.

    ``planning`` is the mode, the numbers are the limits of ``routing`` for its ``auto``. ``levels``
    has the other factors.
    """

    planning: str = ""
    words: int = WORDS
    files: int = FILES
    lines: int = LINES
    levels: Mapping[Factor, str] = field(default_factory=dict)

    @property
    def threshold(self) -> float:
        """The size above which tasks are planned, counted as in ``Sample.size``."""
        if self.planning in ("always", "never"):
            return 0.0 if self.planning == "always" else math.inf
        return min(self.words / WORDS, self.files / FILES, self.lines / LINES)

    def route(self, band: Band) -> Route | None:
        """The route that tasks of a band take today; None if that is unknown, or if both occur."""
        if not self.planning or band.above < self.threshold < band.upto:
            return None
        return "planned" if band.above >= self.threshold else "single_phase"


def size(words: int, files: int, lines: int) -> float:
    """Return how large a task is: above 1, Cairn's own limits plan it first."""
    return max(words / WORDS, files / FILES, lines / LINES)
