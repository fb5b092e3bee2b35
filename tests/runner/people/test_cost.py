"""Why a run cost what it cost."""

from __future__ import annotations

from runner.history.records import Execution, ExecutionCalls, ExecutionKey, NodeRecord
from runner.money import Usage
from runner.people.cost_sentences import run_cost
from tests.runner.history.made import execution

DEAR = Usage(9.0, 5_000, 0.06, 4)


def dear(**more: object) -> Execution:
    """A task that was planned and repaired, and failed."""
    values = {
        "calls": ExecutionCalls(3, looks=1, code_repairs=1, errors=("syntax", "missing_path")),
        "used": DEAR,
        "nodes": (
            NodeRecord("plan_task", 1, Usage(1.0, 500, 0.006, 1)),
            NodeRecord("execute_task", 2, Usage(4.0, 3_500, 0.048, 2)),
            NodeRecord("repair_code", 1, Usage(1.0, 1_000, 0.006, 1)),
            NodeRecord("verify_task", 1, Usage(3.0)),
        ),
    }
    return execution(task="dear", status="failed", error="syntax", **{**values, **more})


def test_the_dearest_task_comes_first_with_its_reason() -> None:
    """Shares of the run, what the money went into, and what made Cairn ask again."""
    table = run_cost([execution(cost=0.02), dear()])

    assert table is not None
    assert table.title == "Cost of run r1: 8,000 tokens, $0.0800"
    first, second = table.rows
    assert first[1:5] == ("$0.0600", "75 %", "5,000", "4")
    assert first[5] == "writing 80 %, planning 10 %, repairing code 10 %"
    assert (
        first[6] == "3 answers; 1 look at more files; after syntax and missing path errors; failed"
    )
    assert second[2] == "25 %"
    assert second[5:] == ("writing 100 %", "1 answer; completed (not shown)")


def test_attempts_at_one_task_are_one_line() -> None:
    """A task that was tried again is as dear as all of its attempts."""
    table = run_cost([dear(), dear(key=ExecutionKey("r1", "dear", 2))])

    assert table is not None
    ((name, cost, share, *_, why),) = table.rows
    assert (cost, share) == ("$0.1200", "100 %")
    assert "(attempt 2)" in name
    assert why.startswith("2 attempts; 6 answers")


def test_without_a_price_tokens_are_compared() -> None:
    """Nothing is made up where a price is unknown."""
    table = run_cost([dear(used=Usage(9.0, 5_000, 0.0, 4, 4)), execution(cost=0.02)])

    assert table is not None
    assert "at least $0.0200; 4 calls without a known price" in table.title
    assert [row[2] for row in table.rows] == ["62 %", "38 %"]


def test_long_runs_and_runs_that_asked_nobody() -> None:
    """The cheapest tasks share a line; without a call there is no table."""
    many = [execution(task=f"t{number}", cost=0.01) for number in range(20)]
    table = run_cost(many)

    assert table is not None
    assert len(table.rows) == 16
    assert table.rows[-1][:3] == ("5 more tasks", "$0.0500", "25 %")
    assert run_cost([]) is None
    assert run_cost([execution(used=Usage(3.0))]) is None
