"""An estimate as people write it, in working hours."""

from __future__ import annotations

import re

from runner.roadmap.lint.reading import Reading

_HOURS = {"h": 1, "d": 8, "w": 40, "m": 160}
"""Working hours a unit has, by its first letter."""
_ESTIMATE = re.compile(
    r"(\d{1,4}(?:[.,]\d)?)\s*\+?\s*"
    r"(hours?|hrs?|h|days?|d|weeks?|wks?|w|months?)\b",
    re.IGNORECASE,
)


def hours(reading: Reading) -> float:
    """Return the longest time a task's effort names; 0 without one.

    What a section or phase is estimated at says nothing of one task in it.
    """
    task = reading.task
    own = task.effort and task.effort in f"{task.text}\n{task.details}"
    found = _ESTIMATE.findall((task.effort or "")[:200]) if own else []
    return max((_number(n) * _HOURS[unit[0].lower()] for n, unit in found), default=0.0)


def _number(text: str) -> float:
    return float(text.replace(",", "."))
