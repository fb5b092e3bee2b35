"""What a run would do, told without doing it."""

from __future__ import annotations

from dataclasses import replace

from runner.loop.driver import lines, would_do
from tests.runner.states import run_state


def test_tasks_in_order() -> None:
    """Open tasks are listed in the order they would be taken, with their lines."""
    assert lines(run_state()) == [
        "[DRY RUN] 1. 1.1: Add a.py (ROADMAP.md, line 3)",
        "[DRY RUN] 2. 1.2: Add b (ROADMAP.md, line 4)",
    ]


def test_as_many_as_asked_for() -> None:
    """No more are listed than the run may take."""
    assert [task.id for task in would_do(run_state(max_tasks=1))] == ["1.1"]


def test_nothing_to_do() -> None:
    """Without open tasks, or with a problem, that is what is said."""
    assert lines(run_state("- [x] done\n")) == ["[DRY RUN] ROADMAP.md has no open task."]
    assert lines(replace(run_state(), problem="It is empty.")) == ["[DRY RUN] It is empty."]
