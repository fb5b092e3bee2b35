"""Intervals of 95 %."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

_Z = 1.96
_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and the interval it lies in with 95 %."""

    value: float
    low: float
    high: float

    @property
    def off(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2


def share(hits: int, of: int) -> Estimate:
    """A share with Wilson's interval."""
    if not of:
        return Estimate(0.0, 0.0, 1.0)
    p, square = hits / of, _Z * _Z
    middle = (p + square / (2 * of)) / (1 + square / of)
    width = _Z / (1 + square / of) * sqrt(p * (1 - p) / of + square / (4 * of * of))
    return Estimate(p, middle - width, middle + width)


def mean(groups: Sequence[Sequence[float]]) -> Estimate:
    """A mean with a bootstrap interval; whole groups are drawn, for their values hang together."""
    values = [value for group in groups for value in group]
    if not values:
        return Estimate(0.0, 0.0, 0.0)
    draws = random.Random(0)  # noqa: S311 - the same interval each time
    means = []
    for _ in range(_RESAMPLES):
        drawn = [value for _ in groups for value in draws.choice(groups)]
        means.append(sum(drawn) / len(drawn))
    means.sort()
    low, high = means[int(_RESAMPLES * 0.025)], means[int(_RESAMPLES * 0.975)]
    return Estimate(sum(values) / len(values), low, high)
