"""When the reactions to a proposal are asked for: often while it is fresh, rarely later."""

from __future__ import annotations

from collections import deque
from datetime import UTC, datetime, timedelta

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


MOST = 100
"""Proposals one request asks about."""

SPREAD_FRESH, SPREAD = timedelta(seconds=1.5), timedelta(seconds=45)
"""The time one request of a round takes up: so a large crowd is asked about more rarely.

A thousand fresh proposals are ten requests every 15 s for ten minutes (400), and as old ones ten
every 450 s: less than 490 in the hour.
"""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def next_poll(made_at: datetime, now: datetime, crowd: int = 1) -> datetime:
    """Return when a proposal's reactions are asked for again.

    ``crowd`` is how many are open in its installation. All of one age come due together, at whole
    multiples of their time, so that a request asks about as many as it can.
    """
    age = now - made_at
    every = next((every for until, every in AGES if age < until), OLD)
    requests = -(-crowd // MOST)
    every = max(every, requests * (SPREAD_FRESH if age < AGES[0][0] else SPREAD))
    return _EPOCH + ((now - _EPOCH) // every + 1) * every


class Budget:
    """How many requests one installation may be asked in any hour that passes.

    GitHub allows 5,000 (https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api);
    reactions take less than a tenth, and as much of it at once as there is to ask.
    """

    AN_HOUR = 490

    def __init__(self, now: datetime) -> None:
        self._spent: deque[datetime] = deque()
        self._held = now

    def left(self, now: datetime) -> int:
        """Return how many requests may be made now."""
        while self._spent and self._spent[0] + _HOUR <= now:
            self._spent.popleft()
        return self.AN_HOUR - len(self._spent) if now >= self._held else 0

    def spend(self, requests: int, now: datetime) -> None:
        """Count requests; more than are left is a debt."""
        self._spent.extend([now] * requests)

    def hold(self, until: datetime) -> None:
        """Allow nothing before a time: GitHub said so."""
        self._held = max(self._held, until)

    def ready_at(self) -> datetime:
        """Return when a request may be made, which can be past."""
        over = len(self._spent) - self.AN_HOUR
        return max(self._held, self._spent[over] + _HOUR) if over >= 0 else self._held


_HOUR = timedelta(hours=1)
