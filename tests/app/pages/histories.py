"""Twelve attempts of a repository over six days, for the pages of its history."""

from __future__ import annotations

from runner.history.records import (
    DAY,
    Execution,
    ExecutionCalls,
    ExecutionEnd,
    ExecutionKey,
    ExecutionModels,
    ExecutionPlace,
    ExecutionRecovery,
    ExecutionRoute,
    NodeRecord,
)
from runner.money import Usage

HOSTILE = '"><script>alert(1)</script> hunter2'


def executions(now, *, title="Add a receipt", model="large"):
    """Return them: every third one fails, one of them recovered; repairs in every second."""
    return [_execution(now, number, title, model) for number in range(12)]


def _execution(now, number, title, model):
    fails = number % 3 == 2
    seconds = 20.0 + number
    nodes = (
        NodeRecord("execute_task", 1, Usage(12.0, 1_000 + 50 * number, 0.002, 2)),
        NodeRecord("verify_task", 2, Usage(8.0 + number)),
    )
    return Execution(
        key=ExecutionKey(f"run{number:02}", f"key{number}"),
        place=ExecutionPlace("octo/shop", 5, 7, "ROADMAP.md", f"1.{number}", title),
        at=now - DAY * (number // 2),
        route=ExecutionRoute("planned" if number % 4 == 0 else "single_phase", kind="code"),
        models=ExecutionModels(model),
        calls=ExecutionCalls(
            answers=2,
            code_repairs=number % 2,
            errors=("syntax",) if number % 2 else (),
        ),
        used=Usage(seconds, 1_000 + 50 * number, 0.002, 2),
        end=ExecutionEnd("failed", "test", message=title) if fails else ExecutionEnd("completed"),
        recovery=ExecutionRecovery("rewrite", "approve", "ada", "", "applied", number == 2)
        if fails
        else ExecutionRecovery(),
        nodes=nodes,
    )
