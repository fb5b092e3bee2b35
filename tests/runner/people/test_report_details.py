"""``report.md`` says everything that ``report.json`` says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from runner.people.report import markdown, report
from runner.state.run_state import Decided, Failure, RunState, Status
from tests.runner.people.test_texts_recovery import RED, proposing

ONE_BY_ONE = frozenset({"run", "roadmap", "started_at", "completed_at", "problem"})
"""Fields of the report that stand for themselves; the others hold values of their own."""


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


def leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Every single value below a value, with where it is."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{place}.{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from leaves(inner, f"{place}[{number}]")
    else:
        yield place, value


def shown(place: str, value: Any, state: RunState) -> str:
    """How a value is written for people."""
    if place.endswith(".task") or place.startswith(".deferrals"):
        return str(state.task_of(value).name)
    if place == ".success_rate":
        return f"{100 * value:.2f} %"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(str(value).split()).split("@")[0].split("|")[0].split("<")[0].split("`")[0]


def test_the_markdown_has_every_field_of_the_json() -> None:
    """Field by field; what says nothing (empty, unknown) may be left out."""
    state = busy()
    text, data = markdown(state), report(state)

    told = [(place, v) for place, v in leaves(data) if v is not None and v != ""]
    missing = [place for place, value in told if shown(place, value, state) not in text]

    assert missing == []
    assert len(told) > 60


def test_text_of_others_is_harmless_there() -> None:
    """Nobody is mentioned."""
    assert "@ada" not in markdown(busy())
