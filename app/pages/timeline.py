"""When a run worked on which task, node by node, as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from app.pages.svg import percent, picture, tag, words
from app.store.runs import SavedStep
from runner.graph import RUN_NODES
from runner.state.status_words import STEPS

MOST = 1_000
"""Steps that are drawn, the newest."""

_MOST_LANES = 60
_LANE, _BAR, _TOP = 38, 12, 20
"""Heights in pixels: of a task, of its bar, and from the lane's top to the bar."""

_LABEL = 70
_THINNEST = 0.004
"""Width of a step that took no time, as a share of the picture."""

_IDLE = 60.0
"""Seconds without work that are always drawn to scale."""

_BREAK = 0.03
"""Width of a longer rest, as a share of the work."""

KINDS: Mapping[str, str] = {
    "plan_task": "plan",
    "build_context": "plan",
    "execute_task": "model",
    "repair_code": "model",
    "repair_test": "model",
    "validate_code": "check",
    "write_files": "check",
    "verify_task": "check",
    "checkpoint": "publish",
    "classify_failure": "recover",
    "propose_recovery": "recover",
    "await_approval": "recover",
    "apply_recovery": "recover",
}
"""Nodes by what they do; each kind has a colour."""

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
    height = _LANE * len(shown)
    drawn = [
        part
        for number, (name, lane) in enumerate(shown)
        for part in _lane(number, name, lane, scale)
    ]
    rests = [
        tag("line", class_="rest", x1=percent(at), x2=percent(at), y1=0, y2=height)
        for at in scale.breaks
    ]
    return picture(
        "Timeline of the run",
        f"{len(steps)} steps of {len(lanes)} tasks; the table below says the same in words.",
        *rests,
        *drawn,
        height=height,
        class_="timeline-picture",
    )


def _lane(number: int, name: str, lane: Sequence[Mapping[str, Any]], scale: Scale) -> Iterator[str]:
    top = number * _LANE
    label = name if len(name) <= _LABEL else name[: _LABEL - 1] + "…"
    yield tag("text", words(label), class_="lane", x=0, y=top + _TOP - 6)
    yield tag("rect", class_="track", x=0, y=top + _TOP, width="100%", height=_BAR)
    for step in lane:
        begin, end = scale.at(step["start"]), scale.at(step["start"] + step["seconds"])
        width = max(end - begin, _THINNEST)
        label = f"{name}: Cairn {STEPS[step['node']]}, {step['seconds']:.1f} s"
        yield tag(
            "rect",
            tag("title", words(label)),
            class_=f"bar {KINDS.get(step['node'], 'plan')}",
            x=percent(min(begin, 1 - width)),
            y=top + _TOP,
            width=percent(width),
            height=_BAR,
        )


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
