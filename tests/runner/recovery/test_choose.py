"""Which strategy is still possible: the bounds of docs/design.md, "Recovery"."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from runner.recovery.choose import choose, room
from runner.roadmap.task import NewTask
from runner.state.proposal import MAX_REPLACEMENTS, Proposal, Reason
from runner.state.run_state import Failure, ReplacedTasks, RunState, Status
from tests.runner.states import at, run_state, with_status

ROADMAP = "# Plan\n\n- [ ] 1.1 Use `b`\n- [ ] 1.2 Add `b`\n- [ ] 1.3 More\n"


def failed(reason: Reason, *, waits_for: str = "", **attempt: object) -> RunState:
    """A run whose first task failed for a reason."""
    failure = Failure("test", "red", node="verify_task", reason=reason, waits_for=waits_for)
    return at("propose_recovery", run_state(ROADMAP), failure=failure, **attempt)


@pytest.mark.parametrize(
    ("reason", "strategy"),
    [
        ("task_too_vague", "rewrite"),
        ("task_too_complex", "decompose"),
        ("missing_dependency", "defer"),
        ("environment_issue", "skip"),
        ("unknown", "escalate"),
    ],
)
def test_each_reason_has_its_strategy(reason: Reason, strategy: str) -> None:
    """The table of docs/design.md, "Recovery"."""
    choice = choose(failed(reason))

    assert (choice.strategy, choice.instead) == (strategy, "")


def test_a_task_is_put_off_once() -> None:
    """A second attempt that misses something is for people."""
    choice = choose(failed("missing_dependency").with_attempt(number=2))

    assert choice.strategy == "escalate"
    assert "already deferred once" in choice.instead


@pytest.mark.parametrize(
    ("status", "strategy"),
    [
        (Status.PENDING, "defer"),
        (Status.DEFERRED, "defer"),
        (Status.IN_PROGRESS, "defer"),
        (Status.FAILED, "escalate"),
        (Status.SKIPPED, "escalate"),
    ],
)
def test_waiting_needs_somebody_to_wait_for(status: Status, strategy: str) -> None:
    """Putting off helps only while the other task is still to come."""
    state = failed("missing_dependency", waits_for=run_state(ROADMAP).tasks[1].key)
    if status is not Status.PENDING:
        state = with_status(state, status, number=1)
    choice = choose(state)

    assert choice.strategy == strategy
    assert ("task 1.2" in choice.instead) == (strategy == "escalate")


@pytest.mark.parametrize(("depth", "strategy"), [(0, "rewrite"), (1, "rewrite"), (2, "escalate")])
def test_depth(depth: int, strategy: str) -> None:
    """A task that comes from two recoveries is not written anew once more."""
    state = failed("task_too_vague")
    names = [state.current, *(f"old{n}" for n in range(depth))]
    state = replace(state, replaced=ReplacedTasks(origins=dict(pairwise(names))))

    assert choose(state).strategy == strategy


@pytest.mark.parametrize(
    ("reason", "made", "strategy"),
    [
        ("task_too_complex", MAX_REPLACEMENTS - 2, "decompose"),
        ("task_too_complex", MAX_REPLACEMENTS - 1, "escalate"),
        ("task_too_vague", MAX_REPLACEMENTS - 1, "rewrite"),
        ("task_too_vague", MAX_REPLACEMENTS, "escalate"),
    ],
)
def test_replacements_of_a_run(reason: Reason, made: int, strategy: str) -> None:
    """Recoveries of one run make so many tasks and no more."""
    state = replace(
        failed(reason),
        replaced=ReplacedTasks(origins={f"new{n}": "old" for n in range(made)}),
    )

    assert choose(state).strategy == strategy


def test_open_proposals_count() -> None:
    """What waits for a person may be applied, so it takes room."""
    tasks = tuple(NewTask(f"part {n}") for n in range(5))
    waiting = Proposal("x", "recovery", "decompose", "unknown", "", "", replacements=tasks)
    state = with_status(failed("unknown"), Status.AWAITING_APPROVAL, number=1, proposal=waiting)

    assert room(state) == MAX_REPLACEMENTS - 5
