"""What a run did, in numbers that add up."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.loop.schedule import with_blocked
from runner.money import Usage
from runner.people.report import markdown, report, table, todos
from runner.people.run_view import usage_by_node
from runner.state.run_state import Failure, RunState, RunTimes, Status
from tests.runner.states import run_state, with_status

ROADMAP = "".join(f"- [ ] T{n} task {n}\n" for n in range(1, 9)) + "- [x] T9 old\n"
NODES = ["plan_task", "execute_task", "verify_task", "repair_code"]

usages = st.dictionaries(
    st.sampled_from(NODES),
    st.builds(
        Usage, st.floats(0, 1e5), st.integers(0, 10**6), st.floats(0, 100), st.integers(0, 9)
    ),
)


@st.composite
def states(draw) -> RunState:
    """Runs whose tasks ended in every possible way."""
    state = replace(run_state(ROADMAP), times=RunTimes(100.0, 160.5), usage=draw(usages))
    for number, status in enumerate(draw(st.lists(st.sampled_from(Status), max_size=8))):
        state = with_status(
            state,
            status,
            number=number,
            usage=draw(usages),
            failure=Failure("test", "red", node="verify_task") if status == "failed" else None,
            commit="c" * 40 if status == "completed" else "",
        )
    return state


@given(states())
def test_statuses_sum_to_the_total(state: RunState) -> None:
    """Every status is counted, and all but the replaced tasks make the total."""
    tasks = report(state)["tasks"]
    assert isinstance(tasks, dict)
    counted = {status: tasks[status] for status in map(str, Status)}

    assert sum(counted.values()) - counted["replaced"] == tasks["total"]
    assert sum(counted.values()) == 9


@pytest.mark.parametrize(("unpriced", "cost"), [(0, 0.5), (1, None)])
def test_a_price_that_is_not_known(unpriced: int, cost: float | None) -> None:
    """A cost is told only when every call has a price: one that is unknown is never 0."""
    used = {"execute_task": Usage(1.0, 10, 0.5, 2, unpriced)}
    state = replace(with_status(run_state(ROADMAP), Status.COMPLETED, usage=used))

    assert report(state)["nodes"]["execute_task"]["cost"] == cost
    assert ("without a known price" in markdown(state)) == (cost is None)


@given(states())
def test_the_report_is_json(state: RunState) -> None:
    """The report can be written as JSON, and its success rate is a share."""
    data = json.loads(json.dumps(report(state)))

    assert 0 <= data["success_rate"] <= 1
    assert 0 <= data["duration_seconds"] <= 60.5


def test_waiting_is_no_work() -> None:
    """A run that waited for people for a day took as long as its nodes; rests end nothing."""
    used = {"execute_task": Usage(90.0, 10), "verify_task": Usage(5.25)}
    state = with_status(run_state(ROADMAP), Status.COMPLETED, usage=used)

    for ended, seconds in ((86_400.0, 95.25), (60.0, 60.0), (0.0, 95.25)):
        times = RunTimes(1.0, ended and ended + 1.0)
        assert report(replace(state, times=times))["duration_seconds"] == seconds


def test_a_question_to_people_is_no_error() -> None:
    """A change set that waits for approval went not wrong; one that was rejected did."""
    asked = Failure("approval", "the change set has destructive operations", node="validate_code")
    waits = with_status(run_state(ROADMAP), Status.AWAITING_APPROVAL, failure=asked)
    rejected = with_status(run_state(ROADMAP), Status.FAILED, failure=asked)

    assert report(waits)["errors"] == []
    assert [each["type"] for each in report(rejected)["errors"]] == ["approval"]


@given(states())
def test_nodes_are_summed(state: RunState) -> None:
    """What a node used is that of all attempts and of the run together."""
    total = usage_by_node(state)
    every = [state.usage, *(attempt.spent.usage for attempt in state.attempts.values())]

    for node in NODES:
        expected = sum(usage[node].tokens for usage in every if node in usage)
        assert total.get(node, Usage()).tokens == expected


def test_times() -> None:
    """Begin and end are UTC times, and a run that has not ended took no time."""
    data = report(replace(run_state(), times=RunTimes()))

    assert data["started_at"] == data["completed_at"] == "1970-01-01T00:00:00+00:00"
    assert data["duration_seconds"] == 0


def test_success_rate() -> None:
    """One of two attempts that came through is one half."""
    state = with_status(run_state(), Status.COMPLETED, commit="c")
    state = with_status(state, Status.FAILED, number=1)

    assert report(state)["success_rate"] == 0.5


def test_ticks_and_errors_are_listed() -> None:
    """A checkpoint is a tick of its line, a failure an error with its node."""
    failure = Failure("test", "red", node="verify_task", evidence=("seen",))
    state = with_status(run_state(), Status.COMPLETED, commit="c1")
    data = report(with_status(state, Status.FAILED, number=1, failure=failure))

    assert data["roadmap_modifications"] == [
        {"task": state.tasks[0].key, "edit": "tick", "line": 3, "commit": "c1"}
    ]
    [error] = data["errors"]  # type: ignore[misc]
    assert (error["type"], error["node"], error["evidence"]) == ("test", "verify_task", ["seen"])


def test_todos() -> None:
    """The list has the work in file order with its status, and no summaries."""
    state = run_state("- [ ] 1.1 parent\n  - [ ] 1.2 child\n- [x] 1.3 done\n")
    data = todos(state)

    assert data["version"] == 1
    assert [(t["id"], t["status"], t["line"]) for t in data["todos"]] == [  # type: ignore[attr-defined]
        ("1.2", "pending", 2),
        ("1.3", "completed", 3),
    ]


def test_a_title_stays_in_its_cell() -> None:
    """Neither a bar in a title nor a line break in a reason breaks the table."""
    failure = Failure("test", "red | dead\nsecond", node="verify_task")
    state = with_status(run_state("- [ ] a | b\n"), Status.FAILED, failure=failure)
    lines = markdown(state).split("\n")
    [row] = [line for line in lines if line.startswith("|") and "failed" in line]

    assert row.replace("\\|", "").count("|") == 6
    assert "red \\| dead second" in row


def test_titles_do_nothing() -> None:
    """A title cannot mention anyone where the table is published."""
    [row] = table(run_state("- [ ] ask @octocat\n"))

    assert "@octocat" not in str(row["title"])


def test_the_problem_is_said() -> None:
    """A run that had nothing to do says why."""
    assert "no checkboxes" in markdown(replace(run_state(), problem="it has no checkboxes"))


def test_what_blocks_a_task_is_told() -> None:
    """A blocked task says what it waits for, and how that stands, in the table and the todos."""
    state = run_state("- [ ] 1.1 a\n- [ ] 1.2 b (depends on 1.1)\n- [ ] 1.3 c\n")
    state = with_blocked(with_status(state, Status.FAILED))

    assert [row["why"] for row in table(state)] == ["", "blocked by 1.1 (failed)", ""]
    assert [row["status"] for row in table(state)] == ["failed", "blocked", "pending"]
    entries: list[dict[str, object]] = todos(state)["todos"]  # type: ignore[assignment]
    assert [entry["blocked_by"] for entry in entries] == ["", state.tasks[0].key, ""]
    assert report(state)["tasks"]["blocked"] == 1  # type: ignore[index]


def test_warnings_are_told_for_people_and_for_programs() -> None:
    """The warnings of an accepted change are listed with their task."""
    warned = ("`wrap` is gone\nfor @octocat",)
    state = with_status(run_state(), Status.COMPLETED, warnings=warned)
    (told,) = report(state)["warnings"]  # type: ignore[misc]
    listed = markdown(state).split("## Worth a look")[1]

    assert told["task"] == state.tasks[0].key
    assert "`wrap` is gone for" in told["message"]
    assert "- 1.1: `wrap` is gone for" in listed
    assert "@octocat" not in listed
    assert report(with_status(run_state(), Status.FAILED, warnings=warned))["warnings"] == []


def test_what_github_refused_to_show_is_a_warning() -> None:
    """A missing label fails nothing, and is told."""
    state = with_status(run_state(), Status.COMPLETED, notes=("no label",))

    (told,) = report(state)["errors"]  # type: ignore[misc]

    assert (told["severity"], told["message"]) == ("warning", "no label")
