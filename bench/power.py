"""How often any test could notice a difference in a simulated history: a limit for the advice.

A test that must stay quiet in 95 of 100 histories without a difference cannot notice every real
one. This module counts how many it can notice, from the true chances, which the analysis does not
know.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import NormalDist

from bench.simulated_histories import World
from runner.analysis.sample import Factor, Sample

_NORMAL = NormalDist()


def reachable(
    world: World,
    samples: Sequence[Sample],
    factor: Factor,
    levels: tuple[str, str],
    error: float,
) -> float:
    """Return the power of the best one-sided test that compares like with like.

    ``levels`` are today's setting and the better one. Each kind and complexity counts with its best
    weight, which only somebody who knows the chances can know; normal approximation of the
    difference of two shares (J. L. Fleiss, Statistical Methods for Rates and Proportions, 2003,
    chapter 4).
    """
    sides: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for one in samples:
        setting = settings_of(one)[factor]
        if setting in levels:
            sides[one.kind, one.complexity][levels.index(setting)] += 1
    lead = null = real = 0.0
    for (kind, complexity), (first, second) in sides.items():
        if not first or not second:
            continue
        before, after = (world.chance(kind, complexity, {factor: level}) for level in levels)
        both = (first * before + second * after) / (first + second)
        usual = both * (1 - both) * (1 / first + 1 / second)
        weight = (after - before) / usual
        lead += weight * (after - before)
        null += weight**2 * usual
        real += weight**2 * (before * (1 - before) / first + after * (1 - after) / second)
    if not real:
        return 0.0
    return _NORMAL.cdf((lead - _NORMAL.inv_cdf(1 - error) * sqrt(null)) / sqrt(real))


def settings_of(one: Sample) -> Mapping[str, str]:
    """Return the settings of an execution, named as in the world that it was drawn from."""
    return {
        "model": one.model,
        "route": one.route,
        "loop": one.loop,
        "context": str(one.context),
    }
