"""From which size on tasks should be planned first, by what was compared."""

from __future__ import annotations

from collections.abc import Sequence

from runner.analysis.compare import Comparison
from runner.analysis.sample import BANDS, Band


def threshold(comparisons: Sequence[Comparison], today: float) -> float | None:
    """Return the size above which tasks should be planned; None where today's is as good.

    Sizes are counted as in ``Sample.size``; 0 plans every task, infinity none.
    """
    better = {route: _bands(comparisons, route) for route in ("planned", "single_phase")}
    lowest = min((band.above for band in better["planned"]), default=None)
    highest = max((band.upto for band in better["single_phase"]), default=None)
    if lowest is not None and lowest < today and (highest is None or highest <= lowest):
        return lowest
    if highest is not None and highest > today and (lowest is None or highest <= lowest):
        return highest
    return None


def _bands(comparisons: Sequence[Comparison], route: str) -> list[Band]:
    names = {
        one.band
        for one in comparisons
        if one.factor == "route" and one.other.name == route and one.speaks()
    }
    return [band for band in BANDS if band.name in names]
