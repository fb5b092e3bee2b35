"""What a run would do, in order, without a model call and without writing anything."""

from __future__ import annotations

from dataclasses import replace

from runner.roadmap.task import Task
from runner.state import RunState
from runner.waiting import upcoming

MARK = "[DRY RUN]"


def would_do(state: RunState) -> tuple[Task, ...]:
    """Tasks in the order a run would take them, as many as it may."""
    return upcoming(replace(state, current=""))[: state.request.options.max_tasks]


def lines(state: RunState) -> list[str]:
    """One marked line a task; the problem instead when there is nothing to do."""
    if state.problem:
        return [f"{MARK} {state.problem}"]
    tasks = would_do(state)
    if not tasks:
        return [f"{MARK} {state.request.roadmap} has no open task."]
    return [
        f"{MARK} {number}. {task.name}: {task.title} ({state.request.roadmap}, line {task.line})"
        for number, task in enumerate(tasks, 1)
    ]
