"""How often each strategy was tried, applied, and led to a finished task."""

from __future__ import annotations

from dataclasses import replace

from runner.people.report import report
from runner.people.statistics import decisions, recoveries
from runner.roadmap.parse import parse_roadmap
from runner.state.proposal import Proposal
from runner.state.run_state import Decided, ReplacedTasks, RunState, Status
from tests.runner.states import run_state, with_status


def proposal(state: RunState, strategy: str, number: int = 0) -> Proposal:
    """A proposal about a task of the roadmap."""
    return Proposal(
        task=state.tasks[number].key,
        kind="recovery",
        strategy=strategy,  # type: ignore[arg-type]
        reason="unknown",
        explanation="",
        original="",
        fingerprint="f" * 64,
    )


def split() -> RunState:
    """A run whose first task was split in two, the first half of which is done."""
    state = run_state()
    made = {"proposal": proposal(state, "decompose"), "rewritten": b"x", "commit": "c1"}
    state = with_status(state, Status.REPLACED, **made)
    old = state.tasks[0]
    text = b"# Plan\n\n- [ ] 1.1.1 Half\n- [ ] 1.1.2 Other half\n- [ ] 1.2 Add b\n"
    new = parse_roadmap("ROADMAP.md", text)
    origins = {task.key: old.key for task in new.tasks[:2]}
    state = replace(state, roadmap=new, replaced=ReplacedTasks((old,), origins))
    return with_status(state, Status.COMPLETED)


def test_splitting_succeeds_when_every_part_is_done() -> None:
    """One part of two is not enough, and both are."""
    half = recoveries(split())["by_strategy"]
    whole = recoveries(with_status(split(), Status.COMPLETED, number=1))["by_strategy"]

    assert half == {"decompose": {"attempted": 1, "applied": 1, "successful": 0}}
    assert whole == {"decompose": {"attempted": 1, "applied": 1, "successful": 1}}


def test_a_deferred_task_that_is_done_in_the_end() -> None:
    """The second attempt tells that the first was put off."""
    state = with_status(run_state(), Status.COMPLETED, number=0)
    key = state.tasks[0].key
    again = state.put(replace(state.attempts[key], number=2))

    assert recoveries(again)["successful"] == 1
    assert recoveries(state)["attempted"] == 0


def test_a_refused_proposal_is_attempted_and_not_applied() -> None:
    """Attempted counts what was proposed, applied what was done."""
    state = run_state()
    no = Decided("reject", "ada", "reply", "2026-08-01T12:00:00Z", "not now")
    made = {"proposal": proposal(state, "rewrite"), "decision": no}
    state = with_status(state, Status.FAILED, **made)
    numbers = recoveries(state)
    [decision] = decisions(state)

    assert (numbers["attempted"], numbers["applied"]) == (1, 0)
    assert decision["by"] == "ada"
    assert decision["why"] == "not now"
    assert decision["proposal"] == "ffffffff"


def test_a_replaced_task_counts_once() -> None:
    """Tasks are counted as people wrote them, whatever took the place of one."""
    tasks = report(split())["tasks"]
    assert isinstance(tasks, dict)
    each = {status: count for status, count in tasks.items() if status != "total"}

    assert tasks["total"] == 2
    assert each["completed"] == 0
    assert sum(each.values()) == 2
