"""From which size on tasks should be planned first, by what was compared."""

from __future__ import annotations

from collections.abc import Sequence

from runner.analysis.compare import Comparison
from runner.analysis.sample import BANDS


def threshold(comparisons: Sequence[Comparison], today: float) -> float | None:
    """Return the size above which tasks should be planned; None where today's is as good.

    Sizes are counted as in ``Sample.size``; 0 plans every task, infinity none.
    """
    spoken = {(c.band, c.other.name) for c in comparisons if c.factor == "route" and c.speaks()}
    planned = (band.above for band in BANDS if (band.name, "planned") in spoken)
    single = (band.upto for band in BANDS if (band.name, "single_phase") in spoken)
    lowest, highest = min(planned, default=None), max(single, default=None)
    if lowest is not None and lowest < today and (highest is None or highest <= lowest):
        return lowest
    if highest is not None and highest > today and (lowest is None or highest <= lowest):
        return highest
    return None
