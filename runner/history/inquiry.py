"""What the history is asked, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from runner.history.records import DAY, Execution
from runner.history.totals import DayTotal

MOST_DAYS: Final = 36_500
AHEAD: Final = 1
"""Days by which a record may be ahead of the clock: another machine's may go differently."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryQuery:
    """Which records: of a repository (its id; 0 on a checkout, None for all), from when to when.

    Times are seconds since 1970. ``failed`` asks only for those that failed, ``most`` is how many
    records are returned, the newest first.
    """

    repository_id: int | None = 0
    since: float = 0.0
    until: float
    failed: bool = False
    most: int = 20

    @property
    def days(self) -> tuple[int, int]:
        """The first and the last day; records from later days have a wrong time."""
        return int(self.since // DAY), int(self.until // DAY) + AHEAD


def asked(
    *, now: float, days: int = 0, repository_id: int | None = 0, failed: bool = False
) -> HistoryQuery:
    """Ask for the newest so many days, today included; 0 means all."""
    first = (int(now // DAY) - min(days, MOST_DAYS) + 1) * DAY if days else 0
    return HistoryQuery(repository_id=repository_id, since=float(first), until=now, failed=failed)


def at_most(query: HistoryQuery, most: int) -> HistoryQuery:
    """The same question for at most so many records."""
    return replace(query, most=most)


@dataclass(frozen=True, slots=True)
class Recalled:
    """Records that were asked for; ``left_out`` could not be read (damaged, or another version)."""

    executions: tuple[Execution, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Totals:
    """What the records of a time add up to, by day.

    ``other_versions`` are records of another version (they count, but nothing can be said about
    each), ``future`` those whose time lies ahead; they are left out.
    """

    days: tuple[DayTotal, ...] = ()
    other_versions: int = 0
    future: int = 0
