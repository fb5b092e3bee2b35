"""How many tasks are planned first: of the bench, of real changes, of the roadmaps that tests read.

A plan costs a question. It is meant for the few tasks that are large, and where nearly all tasks of
a file are planned, the rule takes something else for their size.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from bench.finding import Finding, Line
from bench.loop.corpus import roadmaps
from bench.oracle.catalogue import tasks
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Task
from runner.state.options import plans_first

_COLLECTION = Path(__file__).parents[1] / "tests/data/roadmaps"
_MOST = 50
"""Percent: more than that is not a choice."""


async def measure(_folder: Path) -> AsyncIterator[Line]:
    """One line for each collection."""
    for what, found in (
        ("roadmaps of the bench", _of_the_bench()),
        ("changes of real projects", _of_projects()),
        ("roadmaps in many styles", _of_styles()),
    ):
        planned = sum(plans_first(task, "auto") for task in found)
        share = 100 * planned / len(found)
        yield Finding(
            what=f"planned first, {what} ({planned} of {len(found)})",
            value=share,
            unit="%",
            goal=f"<= {_MOST} %",
            ok=share <= _MOST,
        )


def _of_the_bench() -> Sequence[Task]:
    return [_task(f"- [ ] {task.text}\n") for roadmap in roadmaps() for task in roadmap.tasks]


def _of_projects() -> Sequence[Task]:
    texts = ((task.title, task.details.splitlines()) for task in tasks())
    return [_task("\n  ".join((f"- [ ] {title}", *details))) for title, details in texts]


def _of_styles() -> Sequence[Task]:
    files = sorted(_COLLECTION.glob("*.md"))
    read = (parse_roadmap("ROADMAP.md", file.read_bytes()).tasks for file in files)
    return [task for found in read for task in found if task.kind == "work"]


def _task(text: str) -> Task:
    return parse_roadmap("ROADMAP.md", text.encode()).tasks[0]
