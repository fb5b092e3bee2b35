"""Compare how executions did under different settings, like with like only, and all at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from runner.analysis.intervals import (
    Counts,
    Interval,
    difference,
    holm,
    p_better,
    weighted_shares,
)
from runner.analysis.sample import BANDS, FACTORS, Factor, Sample, band_of, level, stratum
from runner.analysis.today import TodaysSettings

FEWEST = 10
"""Executions that each side needs in strata that both sides have."""

ERROR = 0.045
"""How likely one wrong piece of advice may be, all comparisons of a history together.

It must stay below 5 %. The test is approximate: with 10 to 40 executions a side it is wrong up to a
tenth more often than it says (measured, ``make bench ARGS=advice``).
"""

CONFIDENCE = 0.90
"""Of the interval of a difference: its lower limit alone is right with 95 %."""

_Strata = Mapping[tuple[str, ...], tuple[list[Sample], list[Sample]]]


@dataclass(frozen=True, slots=True)
class Side:
    """How executions did under one setting, weighted as if both sides had the same tasks.

    ``tokens``, ``cost`` and ``seconds`` are means; the cost is None if a price was unknown.
    """

    name: str
    executions: int
    succeeded: int
    success: float
    tokens: float
    cost: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Today's setting of a factor against another one, within strata.

    ``band`` is the size of the tasks ('' for all sizes), ``difference`` the success of the other
    minus that of today's, ``p`` how likely such a lead is by chance and ``adjusted`` the same with
    all comparisons of the history counted in. ``left_out`` are executions without a counterpart.
    """

    factor: Factor
    band: str
    today: Side
    other: Side
    difference: Interval
    strata: int
    left_out: int
    p: float
    adjusted: float = 1.0

    def speaks(self, error: float = ERROR) -> bool:
        """Whether the other setting is better, beyond what chance explains."""
        return self.adjusted <= error and self.difference.low > 0

    @property
    def id(self) -> str:
        """Name what is compared, the same for every history."""
        words = (self.factor, self.band, self.today.name, self.other.name)
        return "/".join(word for word in words if word)


def compare(samples: Sequence[Sample], today: TodaysSettings) -> tuple[Comparison, ...]:
    """Compare today's setting of each factor with every other one that was used often enough.

    Routes are compared within each band of sizes, because the size decides which route is taken.
    """
    found = [
        one
        for factor in FACTORS
        for band, group, name in _groups(samples, factor, today)
        for one in _of_group(group, factor, band, name)
    ]
    adjusted = holm([one.p for one in found])
    return tuple(replace(one, adjusted=p) for one, p in zip(found, adjusted, strict=True))


def _groups(
    samples: Sequence[Sample], factor: Factor, today: TodaysSettings
) -> Iterator[tuple[str, list[Sample], str]]:
    """The executions that are compared with each other, and how they would be done today."""
    if factor != "route":
        yield "", list(samples), today.levels.get(factor, "")
        return
    for band in BANDS:
        yield band.name, [one for one in samples if band_of(one) is band], today.route(band) or ""


def _of_group(
    samples: Sequence[Sample], factor: Factor, band: str, today: str
) -> Iterator[Comparison]:
    if not samples:
        return
    today = today or level(max(samples, key=lambda one: one.at), factor)
    for other in sorted({level(one, factor) for one in samples} - {today}):
        found = between(samples, factor, today, other)
        if found:
            yield replace(found, band=band)


def between(samples: Sequence[Sample], factor: Factor, today: str, other: str) -> Comparison | None:
    """Compare two settings of a factor; None while one of them was used too rarely."""
    strata: _Strata = defaultdict(lambda: ([], []))
    for one in samples:
        side = (today, other).index(name) if (name := level(one, factor)) in (today, other) else -1
        if side >= 0:
            strata[stratum(one, factor)][side].append(one)
    used = [sides for sides in strata.values() if all(sides)]
    executions = [sum(len(sides[side]) for sides in used) for side in (0, 1)]
    if min(executions) < FEWEST:
        return None
    everything = sum(len(side) for sides in strata.values() for side in sides)
    counts = [_counts(sides) for sides in used]
    return Comparison(
        factor=factor,
        band="",
        today=_side(today, 0, used, counts),
        other=_side(other, 1, used, counts),
        difference=difference(counts, CONFIDENCE),
        strata=len(used),
        left_out=everything - sum(executions),
        p=p_better(counts),
    )


def _counts(sides: tuple[Sequence[Sample], Sequence[Sample]]) -> Counts:
    won = [sum(one.succeeded for one in side) for side in sides]
    return Counts((won[0], won[1]), (len(sides[0]), len(sides[1])))


def _side(
    name: str,
    at: int,
    used: Sequence[tuple[Sequence[Sample], Sequence[Sample]]],
    counts: Sequence[Counts],
) -> Side:
    mine = [sides[at] for sides in used]
    weights = [one.weight for one in counts]
    priced = all(one.cost is not None for side in mine for one in side)
    return Side(
        name=name,
        executions=sum(len(side) for side in mine),
        succeeded=sum(one.succeeded for side in mine for one in side),
        success=weighted_shares(counts)[at],
        tokens=_mean(mine, weights, lambda one: one.tokens),
        cost=_mean(mine, weights, lambda one: one.cost or 0.0) if priced else None,
        seconds=_mean(mine, weights, lambda one: one.seconds),
    )


def _mean(
    strata: Sequence[Sequence[Sample]],
    weights: Sequence[float],
    value: Callable[[Sample], float],
) -> float:
    means = (sum(map(value, side)) / len(side) for side in strata)
    return sum(w * mean for w, mean in zip(weights, means, strict=True)) / sum(weights)
