"""Which tasks are planned first."""

from __future__ import annotations

import pytest

from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Task
from runner.state.options import RoutingLimits, plans_first

USUAL = RoutingLimits()
SMALL = "- [ ] Add `add(a, b)` to `calc.py`\n"


def task(roadmap: str) -> Task:
    """The first task of a roadmap."""
    return parse_roadmap("ROADMAP.md", roadmap.encode()).tasks[0]


@pytest.mark.parametrize(
    ("roadmap", "planned"),
    [
        (SMALL, False),
        (f"- [ ] {'word ' * USUAL.words}\n", False),
        (f"- [ ] {'word ' * (USUAL.words + 1)}\n", True),
        ("- [ ] Touch `a.py` and `b.py`\n", False),
        ("- [ ] Touch `a.py`, `b.py` and `c.py`\n", True),
        (SMALL + "  - a line\n" * USUAL.lines, False),
        (SMALL + "  - a line\n" * (USUAL.lines + 1), True),
    ],
)
def test_only_large_tasks_are_planned_unasked(roadmap: str, planned: bool) -> None:
    """Words, files and nested lines each make a task large; at the limit it is small."""
    assert plans_first(task(roadmap), "auto") is planned


def test_what_a_section_demands_makes_no_task_large() -> None:
    """Criteria of a section, or of the whole roadmap, hold for each of its tasks."""
    criteria = "".join(f"- It holds, {n}\n" for n in range(16))
    roadmap = f"## Core\n\n{SMALL}- [ ] Fix the parser\n\n### Success criteria\n\n{criteria}"

    assert len(task(roadmap).acceptance) == 16
    assert not plans_first(task(roadmap), "auto")


@pytest.mark.parametrize(
    "more", ["`tests/test_b.py` and `tests/test_c.py`", "`Counter.get` and `b.Sorted`"]
)
def test_what_is_no_further_place_makes_no_task_large(more: str) -> None:
    """Tests go with the code that they test, and an attribute is not a file."""
    assert not plans_first(task(f"- [ ] Touch `a.py`, see {more}\n"), "auto")


def test_always_and_never() -> None:
    """What a person says holds for every task."""
    assert plans_first(task(SMALL), "always")
    assert not plans_first(task(f"- [ ] {'word ' * 99}\n"), "never")


def test_limits_of_the_repository() -> None:
    """``routing`` in the configuration moves each of the three limits."""
    assert plans_first(task(SMALL), "auto", RoutingLimits(words=3))
    assert not plans_first(task(f"- [ ] {'word ' * 99}\n"), "auto", RoutingLimits(words=100))
    assert plans_first(task("- [ ] Touch `a.py` and `b.py`\n"), "auto", RoutingLimits(files=1))
    assert plans_first(task(SMALL + "  - a line\n" * 2), "auto", RoutingLimits(lines=1))
