"""One execution as the analysis sees it, and the groups in which executions are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Route = Literal["single_phase", "planned"]
Factor = Literal["model", "route", "loop", "context"]

FACTORS: tuple[Factor, ...] = ("model", "route", "loop", "context")
"""What can be set differently, in the order in which people read about it."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One attempt at one task.

    ``task`` names it for people. ``kind`` and ``complexity`` were known before it started, and so
    was ``size``: how large the task is, where 1 is the largest that Cairn's own limits take without
    a plan. ``context`` is how many tokens a question may show of the repository. ``cost`` is None
    if a price was unknown.
    """

    task: str
    kind: str
    complexity: str
    size: float
    route: Route
    model: str
    loop: str
    context: int
    succeeded: bool
    tokens: int
    cost: float | None
    seconds: float
    at: float


@dataclass(frozen=True, slots=True)
class Band:
    """The tasks larger than ``above`` and at most as large as ``upto``, as one group."""

    name: str
    above: float
    upto: float


BANDS = (
    Band("small", 0.0, 0.5),
    Band("medium", 0.5, 1.0),
    Band("large", 1.0, 2.0),
    Band("huge", 2.0, float("inf")),
)
_CONTEXTS = (4_000, 8_000, 16_000, 32_000)


def band_of(sample: Sample) -> Band:
    """Return the band of sizes that a task belongs to."""
    return next(band for band in BANDS if sample.size <= band.upto)


def level(sample: Sample, factor: Factor) -> str:
    """Return how a factor was set for an execution."""
    if factor == "context":
        return context_level(sample.context)
    return str(getattr(sample, factor))


def context_level(tokens: int) -> str:
    """Return the group of context sizes that a number of tokens belongs to."""
    upto = next((limit for limit in _CONTEXTS if tokens <= limit), None)
    return f"up to {upto:,} tokens" if upto else f"over {_CONTEXTS[-1]:,} tokens"


_MATCHED: dict[Factor, tuple[Factor, ...]] = {
    "model": ("route", "loop"),
    "route": ("model", "loop"),
    "loop": ("model", "route"),
    "context": ("model", "route", "loop"),
}
"""What must be equal besides kind and complexity before two executions are compared.

The context is left out for a model, because it follows from it: its window decides how much it is
shown.
"""


def stratum(sample: Sample, factor: Factor) -> tuple[str, ...]:
    """Name the group within which executions differ only in ``factor`` and in chance."""
    others = (level(sample, other) for other in _MATCHED[factor])
    return (sample.kind, sample.complexity, *others)
