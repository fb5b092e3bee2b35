"""What the history says about a time: one value, which every place shows. Pure.

The terminal, the comment, the JSON and the pages all read this, so their digits are the same. Its
words are in ``runner/people/history_sentences.py``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from runner.history.inquiry import HistoryQuery, Totals
from runner.history.records import DAY
from runner.history.totals import DayTotal, Tally, summed


def percent(part: int, whole: int) -> int | None:
    """A share in whole percent, rounded half up; None of nothing."""
    return (200 * part + whole) // (2 * whole) if whole > 0 else None


def date_of(day: int) -> str:
    """A day as people write it."""
    return datetime.fromtimestamp(day * DAY, UTC).date().isoformat()


@dataclass(frozen=True, slots=True)
class NamedTally:
    """What is counted under one name: a model, a node, a type of error, a day ..."""

    name: str
    tally: Tally

    @property
    def percent(self) -> int | None:
        """How many of those that are over were good; None if none is over."""
        return percent(self.tally.good, self.tally.over)

    @property
    def percent_of_seen(self) -> int | None:
        """How many of all were good; None if there were none."""
        return percent(self.tally.good, self.tally.seen)


Tallies = tuple[NamedTally, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """What the statistics cannot say.

    ``other_versions`` are records of another version of Cairn, ``future`` those whose time lies
    ahead, ``unpriced`` calls without a known price.
    """

    other_versions: int = 0
    future: int = 0
    unpriced: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """What attempts did from the day ``since`` to the day ``until``, both included.

    ``attempts`` are all of them. Each group is sorted by how often it was seen. Of ``errors``, good
    are those that were recovered without a person; of ``strategies``, over are the proposals that
    were applied and good those that led to a completed task.
    """

    since: str
    until: str
    attempts: NamedTally
    days: Tallies = ()
    statuses: Tallies = ()
    models: Tallies = ()
    routes: Tallies = ()
    complexities: Tallies = ()
    kinds: Tallies = ()
    nodes: Tallies = ()
    errors: Tallies = ()
    strategies: Tallies = ()
    decisions: Tallies = ()
    repairs: Tallies = ()
    fixes: Tallies = ()
    left_out: LeftOut = field(default_factory=LeftOut)

    @property
    def in_review(self) -> int:
        """Attempts whose change waits for a person: they are over and not yet completed."""
        return named(self.statuses, "in_review").tally.seen


def statistics_of(found: Totals, query: HistoryQuery) -> Statistics:
    """Build the statistics; the only place that does."""
    by = summed(found.days)
    whole = by.get(("all", ""), Tally())
    since, until = query.since // DAY, query.until // DAY
    groups: dict[str, list[NamedTally]] = defaultdict(list)
    for (dimension, name), tally in sorted(by.items(), key=lambda each: (-each[1].seen, each[0])):
        groups[dimension].append(NamedTally(name, tally))
    first = min((each.day for each in found.days), default=int(until))
    return Statistics(
        since=date_of(max(first, int(since))),
        until=date_of(int(until)),
        attempts=NamedTally("all", whole),
        days=_days(found.days),
        **{plural: tuple(groups[dimension]) for plural, dimension in _GROUPS.items()},
        left_out=LeftOut(
            other_versions=found.other_versions,
            future=found.future,
            unpriced=whole.used.unpriced,
        ),
    )


_GROUPS: Final = {
    "statuses": "status",
    "models": "model",
    "routes": "route",
    "complexities": "complexity",
    "kinds": "kind",
    "nodes": "node",
    "errors": "error",
    "strategies": "strategy",
    "decisions": "decision",
    "repairs": "repair",
    "fixes": "fix",
}


def _days(totals: Iterable[DayTotal]) -> Tallies:
    whole = [each for each in totals if each.dimension == "all"]
    return tuple(NamedTally(date_of(each.day), each.tally) for each in whole)


def named(tallies: Sequence[NamedTally], name: str) -> NamedTally:
    """Return what is counted under a name; nothing counted if it is not there."""
    return next((each for each in tallies if each.name == name), NamedTally(name, Tally()))


def as_json(statistics: Statistics) -> dict[str, object]:
    """Return the statistics for programs."""
    groups = {name: [_plain(each) for each in getattr(statistics, name)] for name in _GROUPS}
    left_out = statistics.left_out
    return {
        "since": statistics.since,
        "until": statistics.until,
        "attempts": _plain(statistics.attempts),
        "in_review": statistics.in_review,
        "days": [_plain(each) for each in statistics.days],
        **groups,
        "left_out": {
            "other_versions": left_out.other_versions,
            "future": left_out.future,
            "unpriced": left_out.unpriced,
        },
    }


def _plain(each: NamedTally) -> dict[str, object]:
    tally = each.tally
    return {
        "name": each.name,
        "seen": tally.seen,
        "over": tally.over,
        "good": tally.good,
        "percent": each.percent,
        "percent_of_seen": each.percent_of_seen,
        "seconds": round(tally.used.seconds, 3),
        "tokens": tally.used.tokens,
        "cost": tally.used.known_cost,
        "calls": tally.used.calls,
        "unpriced": tally.used.unpriced,
    }
