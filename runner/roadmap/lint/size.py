"""Tasks that are several: measured by what they touch and say, not by their length alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from runner.roadmap.lint.effort import hours
from runner.roadmap.lint.finding import Finding, about
from runner.roadmap.lint.reading import Reading
from runner.roadmap.lint.words import FEATURES, PROJECT_VERBS, SCOPE, SWEEP, WHOLE_THING

TOO_MANY = 2
"""Points that make a task too large."""

_BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])\s+(?P<text>\S.*)$", re.MULTILINE)
_PARTS = re.compile(r"[,;+\n]|\s[&]\s|\band\b", re.IGNORECASE)
_JOINTS = re.compile(r";|\b(?:and|plus|as well as|then|also)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Measure:
    """One way to be large: from ``much`` on a point, from ``far`` on enough by itself."""

    name: str
    count: Callable[[Reading], float]
    much: float
    far: float


def large(reading: Reading) -> Finding | None:
    """Find a task with two points or more; the message names what was counted."""
    counted = [(measure, measure.count(reading)) for measure in MEASURES]
    reached = [(m, n) for m, n in counted if n >= m.much]
    points = sum(TOO_MANY if n >= m.far else 1 for m, n in reached)
    if points < TOO_MANY:
        return None
    why = ", ".join(_said(m, n) for m, n in reached)
    ask = "split it into tasks of one change each, that can be tested one by one"
    return about(reading.task, f"this task is too large ({why}); {ask}")


def _said(measure: Measure, number: float) -> str:
    return measure.name.replace("{n}", f"{number:g}")


def files(reading: Reading) -> float:
    """Count the distinct files the task itself names (not those of its section)."""
    said = f"{reading.task.text}\n{reading.task.details}"
    return sum(file in said for file in reading.task.files)


def verbs(reading: Reading) -> float:
    """Count distinct verbs of construction that begin a clause of the task's own text."""
    return len({found[1].lower() for found in PROJECT_VERBS.finditer(reading.prose)})


def features(reading: Reading) -> float:
    """Count the listed parts that are each a feature of an application."""
    return sum(bool(FEATURES.search(part)) for part in _PARTS.split(reading.prose))


def joints(reading: Reading) -> float:
    """Count the words that join one thing to the next."""
    return len(_JOINTS.findall(reading.prose))


def nested(reading: Reading) -> float:
    """Count what is listed below the task and is no acceptance criterion."""
    criteria = {" ".join(text.split()) for text in reading.task.acceptance}
    bullets = (" ".join(found["text"].split()) for found in _BULLET.finditer(reading.task.details))
    return sum(bullet not in criteria for bullet in bullets)


def words(reading: Reading) -> float:
    """Count the words of the task's own text."""
    return len(reading.prose.split())


def scope(reading: Reading) -> float:
    """Return 1 where the task is about a whole application, whatever it is called."""
    prose = reading.prose
    return float(any(pattern.search(prose) for pattern in (WHOLE_THING, SWEEP, SCOPE)))


MEASURES = (
    Measure("it names {n} files", files, 5, 8),
    Measure("it asks to do {n} kinds of work", verbs, 3, 4),
    Measure("it lists {n} features", features, 3, 4),
    Measure("{n} words join one thing to the next", joints, 4, 8),
    Measure("it has {n} points below it", nested, 8, 14),
    Measure("its own text has {n} words", words, 80, 200),
    Measure("it is estimated at {n} hours", hours, 16, 40),
    Measure("it is about a whole application", scope, 1, 1),
)
