"""The system's clock: UTC for records, a monotonic count for durations."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from runner.ports import Clock


class SystemClock(Clock):
    """Tells the machine's own time."""

    def now(self) -> datetime:
        """Return the time in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds from a point that never changes while the process lives."""
        return time.monotonic()
