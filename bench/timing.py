"""Time several things in turn, so that a busy moment of the machine strikes all of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from math import ceil
from statistics import median
from time import process_time

from runner.roadmap.parse import parse_roadmap


def medians(rounds: int, **what: Callable[[], object]) -> dict[str, float]:
    """Return the median CPU seconds of each; every round calls each of them once."""
    taken: dict[str, list[float]] = {name: [] for name in what}
    for _ in range(rounds):
        for name, call in what.items():
            parse_roadmap.cache_clear()  # what the round before has read is not read for nothing
            began = process_time()
            call()
            taken[name].append(process_time() - began)
    return {name: median(seconds) for name, seconds in taken.items()}


async def medians_of(
    rounds: int, what: Mapping[str, Callable[[], Awaitable[float]]]
) -> dict[str, float]:
    """Return the median of what each says of itself; every round asks each of them once."""
    times: dict[str, list[float]] = {name: [] for name in what}
    for _ in range(rounds):
        for name, ask in what.items():
            times[name].append(await ask())
    return {name: median(numbers) for name, numbers in times.items()}


def percentile(numbers: list[float], share: float) -> float:
    """Return the number that ``share`` (0 to 1) of them do not exceed."""
    ordered = sorted(numbers)
    return ordered[max(0, ceil(share * len(ordered)) - 1)]
