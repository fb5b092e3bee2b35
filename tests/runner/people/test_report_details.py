"""``report.md`` says what happened once, ``report.json`` has every value."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runner.people.report import markdown, report
from runner.state.run_state import Decided, Failure, RunState, Status
from tests.runner.people.test_texts_recovery import RED, proposing
from tests.runner.states import run_state, with_status


def busy() -> RunState:
    """A run with a failure, a proposal, a decision, a commit and artifacts."""
    failure = Failure(
        "test",
        "tests | fail <b>",
        node="verify_task",
        evidence=("t::x: 1 | 2",),
        references=("runs/r1/agent-1.json",),
    )
    state = proposing(
        failure=failure,
        verification=RED,
        status=Status.DEFERRED,
        decision=Decided("reject", "ada", "reply", "2026-01-02T03:04:05+00:00", "not now"),
        commit="c0ffee" * 6,
        notes=("the label was refused",),
        path=("build_context", "execute_task"),
    )
    return replace(state, problem="Paused: no credit")


@pytest.mark.parametrize(
    "fact",
    [
        "Paused: no credit",
        "message tests | fail",
        "It changes two files.",
        "t::x: 1 | 2",
        "runs/r1/agent-1.json",
        "c0ffeec0ffee",
        "verdict reject; by ada; channel reply; at 2026-01-02T03:04:05+00:00; why not now",
        "the label was refused",
        "path build_context, execute_task",
    ],
)
def test_what_happened_is_told_once(fact: str) -> None:
    """The tables and the details below them say different things."""
    assert markdown(busy()).count(fact) == 1


def test_programs_get_every_value() -> None:
    """What people read in words has its place in the object."""
    data = report(busy())

    for key in ("timeline", "errors", "proposals", "decisions", "tasks"):
        assert data[key], key


def test_text_of_others_is_harmless_there() -> None:
    """Nobody is mentioned."""
    assert "@ada" not in markdown(busy())


def test_of_very_many_tasks_some_are_listed() -> None:
    """What the run took up always is, of the others the first hundred; how many are left out."""
    text = "".join(f"- [ ] {number}.1 Write part {number}\n" for number in range(1, 202))
    state = with_status(run_state(text), Status.COMPLETED, number=200)

    said = markdown(state)

    assert "| 100.1 " in said
    assert "| 101.1 " not in said
    assert "| 201.1 Write part 201 | completed" in said
    assert "100 more tasks were not taken up; `todos.json` lists all tasks." in said
