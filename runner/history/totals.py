"""What records add up to, by day: kept beside them, so that no question reads them all. Pure.

Each record counts towards some totals. What it counts is stored with it, so that a newer record of
the same attempt can take it back exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from runner.history.records import Execution
from runner.money import Usage
from runner.state.error_types import waited_out

Dimension = Literal[
    "all",
    "status",
    "model",
    "route",
    "complexity",
    "kind",
    "node",
    "error",
    "strategy",
    "decision",
    "repair",
    "loop",
]
"""What totals are kept by.

``all`` has one value: every attempt. Of an ``error``, good are those that were recovered without a
person, or waited out; of a ``strategy`` those whose proposal led to a completed task; of a
``repair`` and of all others the attempts that completed their task.
"""


@dataclass(frozen=True, slots=True)
class Tally:
    """So many were ``seen``, so many of them were ``over``, so many ``good``; what they used."""

    seen: int = 0
    over: int = 0
    good: int = 0
    used: Usage = field(default_factory=Usage)

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.seen + other.seen,
            self.over + other.over,
            self.good + other.good,
            self.used + other.used,
        )

    def __neg__(self) -> Tally:
        return Tally(-self.seen, -self.over, -self.good, Usage() - self.used)


@dataclass(frozen=True, slots=True)
class DayTotal:
    """One total of one day (counted from 1970, UTC)."""

    day: int
    dimension: str
    value: str
    tally: Tally


Counted = Mapping[tuple[str, str], Tally]
"""What a record counts: by dimension and value."""

LONGEST_VALUE: Final = 100


def counted(execution: Execution) -> dict[tuple[str, str], Tally]:
    """Return what a record counts towards the totals of its day."""
    end, found = execution.end, {}
    whole = Tally(1, int(end.over), int(end.finished), execution.used)
    for dimension, value in _places(execution):
        found[dimension, value[:LONGEST_VALUE]] = whole
    for node in execution.nodes:
        found["node", node.node] = Tally(node.visits, int(end.over), int(end.finished), node.usage)
    for error in sorted(errors_of(execution)):
        # it went away without a person: nobody had to decide about a proposal
        waited = waited_out(error) is not None and end.over and end.error != error
        alone = execution.recovery.finished and not execution.recovery.by
        found["error", error] = Tally(1, int(end.over), int(end.made or waited or alone))
    return found | dict(_recovery(execution))


def _places(execution: Execution) -> Iterator[tuple[str, str]]:
    """The totals that count the whole attempt."""
    route, calls = execution.route, execution.calls
    yield "all", ""
    yield "status", execution.end.status
    models = execution.models
    yield "model", f"pattern {models.pattern}" if models.pattern else models.writing or "unknown"
    yield "route", route.route
    yield "complexity", route.complexity
    yield "kind", route.kind or "other"
    if route.kind == "fix":
        tested, made = execution.checks.verdict == "shown", execution.end.made
        yield "fix", ("with a regression test" if tested else "without one") if made else "not made"
    yield "loop", route.loop or "unknown"
    repairs = {"code": calls.code_repairs, "test": calls.test_repairs, "auto": calls.auto_repairs}
    for kind, number in repairs.items():
        if number:
            yield "repair", kind


def errors_of(execution: Execution) -> frozenset[str]:
    """The types of error that an attempt saw, each once."""
    last = [execution.end.error] if execution.end.error else []
    return frozenset((*execution.calls.errors, *last))


def _recovery(execution: Execution) -> Iterator[tuple[tuple[str, str], Tally]]:
    recovery = execution.recovery
    if recovery.strategy:
        applied = int(recovery.outcome == "applied")
        yield ("strategy", recovery.strategy), Tally(1, applied, int(recovery.finished))
    if recovery.verdict:
        decided = f"{recovery.strategy or 'changes'} {recovery.verdict}"
        yield ("decision", decided), Tally(1, 1, int(recovery.finished))


def taken_back(counts: Counted) -> dict[tuple[str, str], Tally]:
    """Return what undoes these counts."""
    return {key: -tally for key, tally in counts.items()}


def merged(*all_counts: Counted) -> dict[tuple[str, str], Tally]:
    """Add counts up; those that come to nothing are left out."""
    found: dict[tuple[str, str], Tally] = {}
    for counts in all_counts:
        for key, tally in counts.items():
            found[key] = found.get(key, Tally()) + tally
    return {key: found[key] for key in sorted(found) if _settled(found[key]) != Tally()}


def _settled(tally: Tally) -> Tally:
    """Without what is left of amounts that were added and taken back."""
    used = tally.used
    used = replace(used, seconds=round(used.seconds, 6), cost=round(used.cost, 9))
    return replace(tally, used=used)


def summed(totals: Iterable[DayTotal]) -> dict[tuple[str, str], Tally]:
    """Add the totals of all days up."""
    found: dict[tuple[str, str], Tally] = {}
    for each in totals:
        key = each.dimension, each.value
        found[key] = found.get(key, Tally()) + each.tally
    return {key: tally for key, tally in found.items() if tally.seen > 0}
