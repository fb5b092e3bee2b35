"""What a task builds on where pull requests are independent of each other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runner.loop.schedule import (
    Bases,
    advanced,
    next_move,
    open_tasks,
    shared_branches,
    with_blocked,
)
from runner.people.sentences import blocked_reason
from runner.state.publishing import Member
from runner.state.run_state import RunState, Status
from tests.runner.fields import with_stack
from tests.runner.states import run_state, with_status

CHAIN = "- [ ] T1 one\n- [ ] T2 two\n  - Depends on: T1\n- [ ] T3 three\n  - Depends on: T1\n"
JOIN = "- [ ] T1 one\n- [ ] T2 two\n- [ ] T3 three\n  - Depends on: T1, T2\n- [ ] T4 four\n"


def run(roadmap: str) -> RunState:
    """A run whose pull requests are independent."""
    return run_state(roadmap, pull_requests="independent")


def key(state: RunState, id: str) -> str:
    """The key of a task."""
    return next(task.key for task in state.tasks if task.id == id)


def done(state: RunState, *ids: str) -> RunState:
    """The run after these tasks, each published where it belongs."""
    for id in ids:
        number = [task.key for task in state.tasks].index(key(state, id))
        below = on(state, id)
        made = {"commit": f"c-{id}", "branch": f"b-{id}", "below": below}
        state = advanced(with_status(state, Status.COMPLETED, number=number, **made))
    return state


def on(state: RunState, id: str) -> str:
    """The branch a task builds on, '' for none."""
    place = Bases(state).of(key(state, id))
    return place.branch if place else ""


@pytest.mark.parametrize(
    ("roadmap", "before", "task", "expected"),
    [
        (CHAIN, "", "T1", "main"),
        (CHAIN, "T1", "T2", "b-T1"),
        (CHAIN, "T1 T2", "T3", "b-T1"),
        (JOIN, "T1", "T4", "main"),
        (JOIN, "T1", "T2", "b-T1"),
        (JOIN, "T1 T2", "T3", "b-T2"),
        (JOIN, "T1 T2 T3", "T4", "main"),
    ],
)
def test_where_a_task_goes(roadmap: str, before: str, task: str, expected: str) -> None:
    """On the default branch, on its dependency's, or on what a later task needs beside it."""
    assert on(done(run(roadmap), *before.split()), task) == expected


def test_branches_apart_are_waited_for() -> None:
    """A task that needs two branches of older runs, neither on the other, waits for a merge."""
    state = run(JOIN)
    apart = [Member((key(state, id),), f"c-{id}", f"b-{id}", "main") for id in ("T1", "T2")]
    reviewed = {member.task: Status.IN_REVIEW for member in apart}
    state = replace(with_stack(state, members={m.task: m for m in apart}), statuses=reviewed)
    state = with_blocked(done(state, "T4"))
    task = state.task_of(key(state, "T3"))
    assert (open_tasks(state), next_move(state), state.status(task)) == ((), "stop", Status.BLOCKED)
    assert blocked_reason(state, task).startswith("waits until T1")


def test_what_is_merged_is_built_on_by_all() -> None:
    """A dependency that is ticked on the default branch needs no branch of its own."""
    assert on(run(CHAIN.replace("[ ] T1", "[x] T1")), "T2") == "main"


@pytest.mark.parametrize(
    ("needs", "groups"),
    [
        ({"a": (), "b": ("a",), "c": ("b",)}, []),  # a chain is a stack of branches
        ({"a": (), "b": (), "c": ("a", "b")}, ["ab"]),
        ({"a": (), "b": (), "c": (), "d": ("a", "b"), "e": ("b", "c")}, ["abc"]),
        ({"a": (), "b": (), "x": (), "y": (), "c": ("a", "b"), "z": ("x", "y")}, ["ab", "xy"]),
        ({"r": (), "a": ("r",), "b": (), "c": ("a", "b")}, ["abr"]),  # with what these need
    ],
)
def test_tasks_that_share_a_branch(needs: dict[str, tuple[str, ...]], groups: list[str]) -> None:
    """Two tasks that one task needs share a branch, with what they need in turn; no others do."""
    shared = shared_branches(needs, lambda key: needs[key])
    found: dict[str, set[str]] = {}
    for key, root in shared.items():
        found.setdefault(root, set()).add(key)

    assert sorted("".join(sorted(keys)) for keys in found.values()) == groups
    assert all(root in keys for root, keys in found.items())
