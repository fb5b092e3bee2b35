"""Differences between two shares within strata: estimate, interval, test, and many tests at once.

Written on ``statistics.NormalDist``: scipy and statsmodels would add more than 100 MB to every
installation for five formulas, and neither has a stratified score interval.

The methods:

- Wilson's score interval of one share. E. B. Wilson, 1927, https://doi.org/10.2307/2276774
- The interval of a difference from two score intervals (method 10). R. G. Newcombe, 1998,
  https://doi.org/10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I
- Stratified, with weights of Mantel and Haenszel. X. Yan and X. G. Su, 2010,
  https://doi.org/10.1198/sbr.2009.0049
- The variance of that difference, right for few large strata and for many small ones. T. Sato,
  1989, https://doi.org/10.2307/2531503
- The test of no difference in any stratum. N. Mantel and W. Haenszel, 1959,
  https://doi.org/10.1093/jnci/22.4.719
- Many tests with one probability of error. S. Holm, 1979, https://www.jstor.org/stable/4615733
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

_NORMAL = NormalDist()
_MOST_GAIN = 2.0
"""Strata may make the interval at most as narrow as this many times the executions would."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and the limits between which the true value lies."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Counts:
    """One stratum: how many executions each side has there, and how many of them succeeded."""

    successes: tuple[int, int]
    executions: tuple[int, int]

    @property
    def weight(self) -> float:
        """The weight of Mantel and Haenszel: strata with both sides well filled count most."""
        first, second = self.executions
        return first * second / (first + second)


def wilson(share: float, executions: float, confidence: float) -> Interval:
    """Return the score interval of one share; ``executions`` may be an effective number."""
    z = _NORMAL.inv_cdf((1 + confidence) / 2)  # two-sided
    square = z * z / executions
    middle = (share + square / 2) / (1 + square)
    half = z / (1 + square) * sqrt(share * (1 - share) / executions + square / (4 * executions))
    return Interval(share, max(0.0, middle - half), min(1.0, middle + half))


def weighted_shares(strata: Sequence[Counts]) -> tuple[float, float]:
    """Return the success of both sides as if both had had the same mix of tasks."""
    total = sum(one.weight for one in strata)
    first, second = (
        sum(one.weight * one.successes[side] / one.executions[side] for one in strata) / total
        for side in (0, 1)
    )
    return first, second


def difference(strata: Sequence[Counts], confidence: float) -> Interval:
    """Return second minus first within strata, with the stratified Newcombe interval.

    Every stratum needs an execution on each side. The two weighted shares get the score intervals
    of their effective numbers of executions: those that the weights leave over, times what the
    strata explain of the variance (compared with Sato's).
    """
    first, second = weighted_shares(strata)
    gain = _gain(strata)
    low, high = (
        wilson(share, gain * _effective(strata, side), confidence)
        for side, share in enumerate((first, second))
    )
    value = second - first
    down = sqrt((second - high.low) ** 2 + (low.high - first) ** 2)
    up = sqrt((high.high - second) ** 2 + (first - low.low) ** 2)
    return Interval(value, max(-1.0, value - down), min(1.0, value + up))


def p_better(strata: Sequence[Counts]) -> float:
    """Return how likely it is that the second side looks this much better although it is not.

    One-sided, without the correction for continuity; 1 where nothing can be said.
    """
    over, variance = 0.0, 0.0
    for one in strata:
        (lost, won), (first, second) = one.successes, one.executions
        both, successes = first + second, lost + won
        if both > 1:
            over += won - second * successes / both
            spread = first * second * successes * (both - successes)
            variance += spread / (both * both * (both - 1))
    return 1 - _NORMAL.cdf(over / sqrt(variance)) if variance > 0 else 1.0


def holm(values: Sequence[float]) -> list[float]:
    """Return the p-values adjusted so that all of them together keep one probability of error."""
    adjusted = [1.0] * len(values)
    highest = 0.0
    for rank, at in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min(1.0, (len(values) - rank) * values[at]))
        adjusted[at] = highest
    return adjusted


def _effective(strata: Sequence[Counts], side: int) -> float:
    """How many executions without strata would be worth as much as these with their weights."""
    total = sum(one.weight for one in strata)
    return total * total / sum(one.weight**2 / one.executions[side] for one in strata)


def _gain(strata: Sequence[Counts]) -> float:
    """How many times as precise the difference is because like was compared with like."""
    first, second = weighted_shares(strata)
    collapsed = first * (1 - first) / _effective(strata, 0)
    collapsed += second * (1 - second) / _effective(strata, 1)
    variance = _sato(strata, second - first)
    return min(max(collapsed / variance, 1.0), _MOST_GAIN) if variance > 0 else 1.0


def _sato(strata: Sequence[Counts], value: float) -> float:
    p = q = total = 0.0
    for one in strata:
        (lost, won), (first, second) = one.successes, one.executions
        both = first + second
        p += (second**2 * lost - first**2 * won + first * second * (first - second) / 2) / both**2
        q += (won * (first - lost) + lost * (second - won)) / (2 * both)
        total += one.weight
    return (value * p + q) / total**2
