"""When a run worked on which task, node by node, as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from app.pages.plots import KINDS, pictures
from app.store.runs import SavedStep
from runner.graph import RUN_NODES

MOST = 1_000
"""Steps that are drawn, the newest."""

_MOST_LANES = 60
_IDLE = 60.0
"""Seconds without work that are always drawn to scale."""

_BREAK = 0.03
"""Width of a longer rest, as a share of the work."""

LEGEND: Mapping[str, str] = {
    "plan": "plan and context",
    "model": "the model writes",
    "check": "checks and tests",
    "publish": "pull request",
    "recover": "recovery",
}


@dataclass(frozen=True, slots=True)
class WorkedStep:
    """A node that a task went through; ``end`` in seconds since 1970, ``seconds`` of work."""

    task: str
    node: str
    end: float
    seconds: float

    @property
    def start(self) -> float:
        """When it began."""
        return self.end - self.seconds


def worked(saved: Iterable[SavedStep]) -> list[WorkedStep]:
    """Return what each task went through, in the order of its end.

    A row names the node that its cursor goes to, and counts what each node used so far: a node
    ends with the row after the one that names it.
    """
    lanes: dict[str, list[SavedStep]] = {}
    for step in saved:
        lanes.setdefault(step.task, []).append(step)
    lanes.pop("", None)
    found = [
        WorkedStep(task, before.node, after.at.timestamp(), _spent(before, after))
        for task, steps in lanes.items()
        for before, after in pairwise(steps)
        if before.node in KINDS and before.node not in RUN_NODES
    ]
    return sorted(found, key=lambda step: step.end)[-MOST:]


def _spent(before: SavedStep, after: SavedStep) -> float:
    """What a node took, by the counters; a new attempt counts from 0 again."""
    was, now = (step.seconds.get(before.node, 0.0) for step in (before, after))
    return now - was if now >= was else now


def timeline(steps: Sequence[Mapping[str, Any]]) -> str:
    """Draw steps as the page has them (``task``, ``title``, ``node``, ``start``, ``seconds``)."""
    lanes: dict[str, list[Mapping[str, Any]]] = {}
    for step in steps:
        lanes.setdefault(f"{step['task']} {step['title']}".strip(), []).append(step)
    shown = list(lanes.items())[-_MOST_LANES:]
    scale = Scale([(s["start"], s["start"] + s["seconds"]) for _, lane in shown for s in lane])
    return str(pictures().timeline(shown, len(steps), len(lanes), scale))


class Scale:
    """Where a time is in the picture, from 0 to 1; long rests between the work are cut short."""

    def __init__(self, spans: Iterable[tuple[float, float]]) -> None:
        busy = _merged(spans)
        work = sum(end - start for start, end in busy)
        self._pieces: list[tuple[float, float, float, float]] = []
        self.breaks: list[float] = []
        at, cuts = 0.0, []
        for before, (start, end) in zip([None, *busy], busy, strict=False):
            gap = start - before[1] if before else 0.0
            if gap > max(_IDLE, work / 4):
                width = _BREAK * work or 1.0
                cuts.append(at + width / 2)
            else:
                width = gap
            at += width
            self._pieces.append((start, end, at, at + end - start))
            at += end - start
        self._whole = at or 1.0
        self.breaks = [cut / self._whole for cut in cuts]

    def at(self, time: float) -> float:
        """Where a time of work is."""
        for start, end, left, right in reversed(self._pieces):
            if time >= start:
                return min(right, left + time - start if time < end else right) / self._whole
        return 0.0


def _merged(spans: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """The times in which anything was worked on."""
    found: list[tuple[float, float]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found
