"""Records for tests of the history."""

from __future__ import annotations

from dataclasses import replace

from runner.history.records import (
    Execution,
    ExecutionCalls,
    ExecutionEnd,
    ExecutionKey,
    ExecutionModels,
    ExecutionPlace,
    NodeRecord,
)
from runner.money import Usage

NOW = 1_767_323_045.0
"""2026-01-02 03:04:05 UTC."""
DAY = 86_400.0


def execution(
    run: str = "r1",
    task: str = "t1",
    *,
    attempt: int = 1,
    status: str = "completed",
    error: str = "",
    errors: tuple[str, ...] = (),
    model: str = "gpt-5",
    cost: float = 0.25,
    repository_id: int = 0,
    ago: float = 0.0,
    **more: object,
) -> Execution:
    """Make a record; ``ago`` (days) is how old it is."""
    made = Execution(
        key=ExecutionKey(run, task, attempt),
        place=ExecutionPlace("octo/hello", repository_id, 7, "ROADMAP.md", "A1", "Add the parser"),
        at=NOW - ago * DAY,
        models=ExecutionModels(model, {"execute_task": f"{model}-2025-08-07"}),
        calls=ExecutionCalls(1 + len(errors), code_repairs=len(errors), errors=errors),
        used=Usage(12.5, 3000, cost, 2),
        end=ExecutionEnd(status, error, error, "error" if error else ""),
        nodes=(
            NodeRecord("build_context", 1, Usage(0.5)),
            NodeRecord("execute_task", 1, Usage(12.0, 3000, cost, 2)),
        ),
    )
    return replace(made, **more)
