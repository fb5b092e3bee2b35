"""Time that tests move by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """What the fake asks for the time."""

    def now(self) -> datetime:
        """The time, in UTC."""

    def advance(self, seconds: float) -> None:
        """Let ``seconds`` pass at once."""


class WallClock:
    """The real time, for a demo that lasts longer than a test; it can also be moved ahead."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def now(self) -> datetime:
        """The time, in UTC."""
        return datetime.now(UTC) + self._ahead

    def advance(self, seconds: float) -> None:
        """Let ``seconds`` pass at once."""
        self._ahead += timedelta(seconds=seconds)


class FakeClock:
    """A clock that stands still until it is told to go on.

    It starts at the real time (whole seconds) unless ``start`` says otherwise: JSON Web Tokens
    made by libraries carry the real time.
    """

    def __init__(self, start: datetime | None = None) -> None:
        self._now = start or datetime.now(UTC).replace(microsecond=0)
        self._start = self._now

    def now(self) -> datetime:
        """The time, in UTC."""
        return self._now

    def monotonic(self) -> float:
        """Seconds since the clock was made."""
        return (self._now - self._start).total_seconds()

    def advance(self, seconds: float) -> None:
        """Let ``seconds`` pass at once."""
        self._now += timedelta(seconds=seconds)


def stamp(moment: datetime) -> str:
    """A time as GitHub writes it, such as 2026-01-31T12:00:00Z."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
