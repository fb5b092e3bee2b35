"""Editing a roadmap of 10,000 tasks: the splice alone, the whole edit, and how both grow."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from bench.finding import Finding, Line, Peer
from bench.roadmap import NAME, written
from bench.timing import medians
from runner.roadmap.edit import tick_all
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.replace import Audit, replace_task, replacement
from runner.roadmap.source import spliced
from runner.roadmap.task import NewTask, Roadmap

_ROUNDS = 5
_TASKS = 10_000
_SPLICE = 0.050
_PARSES = 2.2
_DOUBLED = 2.4
_NEWS = (NewTask("First part", "9999.1"), NewTask("Second part", "9999.2", details=("tested",)))
_AUDIT = Audit(
    strategy="decompose",
    at=datetime(2026, 1, 1, tzinfo=UTC),
    original="the task",
    reason="too large",
    approved_by="ann",
)


async def measure(_folder: Path) -> AsyncIterator[Line]:
    """Splices against their limit, edits against one parse, twice the tasks."""
    large, small = (parse_roadmap(NAME, written(tasks)) for tasks in (_TASKS, _TASKS // 2))
    key = large.tasks[-1].key
    found = medians(
        _ROUNDS,
        parse=partial(parse_roadmap, NAME, large.content),
        splice=partial(_replaced, large),
        tick=partial(tick_all, NAME, large.content, [key]),
        replace=partial(_edited, large),
    )
    yield _within("replace it by two, unchecked", found["splice"])
    yield _against("tick it, checked", found["tick"], found["parse"], _PARSES)
    yield _against("replace it, checked", found["replace"], found["parse"], _PARSES)
    yield _growth(large, small)


def _replaced(roadmap: Roadmap) -> bytes:
    plan = replacement(roadmap, roadmap.tasks[-1], _NEWS, _AUDIT)
    return spliced(roadmap.content, plan.splices)


def _edited(roadmap: Roadmap) -> bytes:
    key = roadmap.tasks[-1].key
    return replace_task(NAME, roadmap.content, key, _NEWS, audit=_AUDIT)


def _within(what: str, seconds: float) -> Finding:
    limit = Peer(what="limit", value=_SPLICE)
    goal = f"< {_SPLICE:g} s"
    return Finding(what=what, value=seconds, unit="s", peer=limit, goal=goal, ok=seconds < _SPLICE)


def _against(what: str, seconds: float, parse: float, most: float) -> Finding:
    return Finding(
        what=what,
        value=seconds,
        unit="s",
        peer=Peer(what="one parse", value=parse),
        goal=f"ratio <= {most:.2g}",
        ok=seconds <= most * parse,
    )


def _growth(large: Roadmap, small: Roadmap) -> Finding:
    """How much more an edit takes when the file doubles."""
    found = medians(_ROUNDS, large=partial(_edited, large), small=partial(_edited, small))
    growth = found["large"] / found["small"]
    return Finding(
        what="edit: 10,000 tasks over 5,000",
        value=growth,
        unit="times",
        goal=f"<= {_DOUBLED}",
        ok=growth <= _DOUBLED,
    )
