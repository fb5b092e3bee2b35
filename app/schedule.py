"""When the reactions to a proposal are asked for: often while it is fresh, rarely later."""

from __future__ import annotations

from datetime import datetime, timedelta

FIRST = timedelta(seconds=15)
"""From a proposal to the first look at its reactions."""

AGES: tuple[tuple[timedelta, timedelta], ...] = (
    (timedelta(minutes=10), FIRST),
    (timedelta(hours=1), timedelta(minutes=1)),
    (timedelta(hours=6), timedelta(minutes=5)),
    (timedelta(days=1), timedelta(minutes=15)),
    (timedelta(days=7), timedelta(minutes=30)),
)
"""(until this age, every so often); what is older still is asked for once an ``OLD``."""

OLD = timedelta(hours=1)


def next_poll(made_at: datetime, now: datetime) -> datetime:
    """Return when a proposal's reactions are asked for again."""
    age = now - made_at
    return now + next((every for until, every in AGES if age < until), OLD)


class Budget:
    """How many requests one installation may be asked: a bucket that fills again.

    GitHub allows 5,000 an hour (https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api);
    reactions take less than a tenth: ``BURST`` at once and then one each ``EVERY``.
    """

    BURST = 40
    EVERY = timedelta(seconds=9)

    def __init__(self, now: datetime) -> None:
        self._full_at = now

    def left(self, now: datetime) -> int:
        """Return how many requests may be made now."""
        missing = max(timedelta(), self._full_at - now) / self.EVERY
        return int(self.BURST - missing)

    def spend(self, requests: int, now: datetime) -> None:
        """Count requests; more than are left is a debt."""
        self._full_at = max(self._full_at, now) + requests * self.EVERY

    def hold(self, until: datetime) -> None:
        """Allow nothing before a time: GitHub said so."""
        self._full_at = max(self._full_at, until + (self.BURST - 1) * self.EVERY)

    def ready_at(self) -> datetime:
        """Return when a request may be made, which can be past."""
        return self._full_at - (self.BURST - 1) * self.EVERY
