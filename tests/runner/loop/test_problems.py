"""Why a run that is bound to some tasks has nothing to do."""

from __future__ import annotations

import pytest

from handlers.grammar import ON_GITHUB
from runner.loop.problems import nothing_to_do
from runner.roadmap.parse import parse_roadmap
from runner.state.run_state import Status
from tests.runner.states import run_state, with_status

ROADMAP = "- [ ] T1 one\n- [ ] T2 two\n- [ ] T3 three\n"
KEYS = [task.key for task in parse_roadmap("ROADMAP.md", ROADMAP.encode()).tasks]


@pytest.mark.parametrize(
    ("statuses", "listed"),
    [
        ((Status.COMPLETED, Status.IN_REVIEW), ""),
        ((Status.BLOCKED, Status.IN_REVIEW), "one"),
        ((Status.BLOCKED, Status.BLOCKED), "one two"),
    ],
)
def test_only_its_own_tasks_that_wait_are_named(
    statuses: tuple[Status, Status], listed: str
) -> None:
    """The third task waits as well, but this run would not work on it."""
    state = run_state(ROADMAP, tasks=(KEYS[0], KEYS[1]))
    for number, status in enumerate((*statuses, Status.BLOCKED)):
        state = with_status(state, status, number=number)
    assert state.roadmap is not None
    text = nothing_to_do(state, state.roadmap, ON_GITHUB)

    assert "cannot work on any of its tasks" in text
    wait = text.partition("wait for tasks")[2]
    assert [name for name in ("one", "two", "three") if f") {name}" in wait] == listed.split()
    assert ("- `T1` (line 1) one: completed\n- `T2` (line 2) two: in review" in text) is (
        not listed
    )


def test_tasks_that_are_gone_are_counted() -> None:
    """Nobody knows their names any more."""
    state = run_state(ROADMAP, tasks=("gone", "lost"))
    assert state.roadmap is not None

    text = nothing_to_do(state, state.roadmap, ON_GITHUB)

    assert text.endswith(":\n\n- 2 tasks are no longer in the roadmap")
