"""What planning gained at which size, and which thresholds follow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from runner.analysis.compare import FEWEST, Comparison
from runner.analysis.intervals import Counts, Interval, difference
from runner.analysis.sample import BANDS, Band, Sample, band_of


@dataclass(frozen=True, slots=True)
class PlanningGain:
    """How tasks of one complexity and size did without and with a plan.

    ``gain`` is the difference in success, None while one side has too few executions.
    """

    complexity: str
    band: str
    executions: tuple[int, int]
    succeeded: tuple[int, int]
    gain: Interval | None


def planning_gains(samples: Sequence[Sample], confidence: float) -> tuple[PlanningGain, ...]:
    """Return one line for each complexity and size that was worked on, models compared apart."""
    cells: dict[tuple[str, str], list[Sample]] = defaultdict(list)
    for one in samples:
        cells[one.complexity, band_of(one).name].append(one)
    bands = [band.name for band in BANDS]
    order = sorted(cells, key=lambda cell: (bands.index(cell[1]), cell[0]))
    return tuple(_gain(*cell, cells[cell], confidence) for cell in order)


def _gain(complexity: str, band: str, cell: Sequence[Sample], confidence: float) -> PlanningGain:
    sides = [[one for one in cell if one.route == route] for route in ("single_phase", "planned")]
    executions = (len(sides[0]), len(sides[1]))
    succeeded = tuple(sum(one.succeeded for one in side) for side in sides)
    gain = None
    if min(executions) >= FEWEST:
        counts = Counts((succeeded[0], succeeded[1]), executions)
        gain = difference(_by_model(sides) or [counts], confidence)
    return PlanningGain(complexity, band, executions, (succeeded[0], succeeded[1]), gain)


def _by_model(sides: Sequence[Sequence[Sample]]) -> list[Counts]:
    strata = []
    for key in sorted({(one.model, one.kind, one.loop) for side in sides for one in side}):
        same = [[o for o in side if (o.model, o.kind, o.loop) == key] for side in sides]
        if all(same):
            won = [sum(one.succeeded for one in side) for side in same]
            strata.append(Counts((won[0], won[1]), (len(same[0]), len(same[1]))))
    return strata


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
