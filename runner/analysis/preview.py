"""What tasks will probably take and how many of them will be done, judged by similar ones."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

from runner.analysis.intervals import Interval
from runner.analysis.sample import Sample

FEWEST_SIMILAR = 10
"""Executions that are similar enough, below which less similar ones are looked at too."""

INSIDE = 0.95
"""How likely the range should hold.

It has to hold in 80 % of the cases. With 0.90 it held in 78 to 88 % of 250 simulated cases,
depending on the seed: a short history knows little of rare, dear tasks.
"""

_DRAWS = 1000
_NEWEST = 200


@dataclass(frozen=True, slots=True)
class ComingTask:
    """A task that is about to be worked on, with what is known of it before."""

    kind: str
    complexity: str
    route: str
    model: str


@dataclass(frozen=True, slots=True)
class CostPreview:
    """What is expected of ``tasks`` tasks together, each value with its range.

    ``cost`` is None if prices are unknown, ``executions`` is how many similar ones it is judged by.
    """

    tasks: int
    executions: int
    tokens: Interval
    cost: Interval | None
    finished: Interval


def preview(tasks: Sequence[ComingTask], samples: Sequence[Sample]) -> CostPreview | None:
    """Return what to expect; None while the history has too few executions.

    Histories are drawn from the one there is, and from each of them the tasks (a bootstrap of the
    prediction: B. Efron and R. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 25). So
    the range holds both what a short history does not know and how much single tasks vary. The
    same question has the same answer.
    """
    newest = sorted(samples, key=lambda one: one.at)
    found = {task: similar(task, newest) for task in tasks}
    if not all(found.values()) or not tasks:
        return None
    pools = [found[task] for task in tasks]
    counted = [(found[task], number) for task, number in Counter(tasks).items()]
    draw = random.Random(0)  # noqa: S311 - the same answer for the same question
    draws = [_future(counted, draw) for _ in range(_DRAWS)]
    cost = sum(fmean(one.cost or 0.0 for one in pool) for pool in pools)
    priced = all(one.cost is not None for pool in pools for one in pool)
    return CostPreview(
        tasks=len(tasks),
        executions=len({id(one) for pool in pools for one in pool}),
        tokens=_range(draws, 0, sum(fmean(one.tokens for one in pool) for pool in pools)),
        cost=_range(draws, 1, cost) if priced else None,
        finished=_range(draws, 2, sum(fmean(one.succeeded for one in pool) for pool in pools)),
    )


def similar(task: ComingTask, samples: Sequence[Sample]) -> list[Sample]:
    """Return the newest executions most like a task: fewer things are equal where few are."""
    wanted = (task.model, task.route, task.complexity, task.kind)
    for depth in range(len(wanted), 0, -1):
        same = [
            one
            for one in samples
            if (one.model, one.route, one.complexity, one.kind)[:depth] == wanted[:depth]
        ]
        if len(same) >= FEWEST_SIMILAR:
            return same[-_NEWEST:]
    return []


def _future(
    pools: Sequence[tuple[Sequence[Sample], int]], draw: random.Random
) -> tuple[float, float, float]:
    """Tokens, cost and finished tasks in one of many possible futures."""
    tokens = cost = finished = 0.0
    for pool, tasks in pools:
        past = draw.choices(pool, k=len(pool))
        wide = sqrt(len(pool) / (len(pool) - 1))
        middle = fmean(one.tokens for one in past)
        price = fmean(one.cost or 0.0 for one in past)
        for one in draw.choices(past, k=tasks):
            tokens += max(0.0, middle + wide * (one.tokens - middle))
            cost += max(0.0, price + wide * ((one.cost or 0.0) - price))
        # half a success and half a failure more: ten of ten is not a promise
        share = (sum(one.succeeded for one in past) + 0.5) / (len(past) + 1)
        finished += sum(draw.random() < share for _ in range(tasks))
    return tokens, cost, finished


def _range(draws: Sequence[tuple[float, ...]], at: int, middle: float) -> Interval:
    values = sorted(draw[at] for draw in draws)
    out = (1 - INSIDE) / 2
    return Interval(middle, values[int(out * _DRAWS)], values[int((1 - out) * _DRAWS) - 1])
