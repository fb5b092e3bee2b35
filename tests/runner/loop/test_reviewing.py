"""How many pull requests may be open before a run rests."""

from __future__ import annotations

import pytest

from runner.loop.schedule import counted, is_full, why_full
from runner.state.publishing import Stack
from runner.state.run_state import RunState, Status
from tests.runner.states import run_state, with_status

ROADMAP = "- [ ] T1 one\n- [ ] T2 two\n- [ ] T3 three\n"


def run(*, most: int, open: int = 0, published: int = 0, **options: object) -> RunState:
    """A run that began with some pull requests open, and has published some since."""
    state = run_state(ROADMAP, open_pull_requests=most, **options)
    state = counted(state, Stack("c", "main", open=open))
    for number in range(published):
        state = shown(state, number)
    return state


def shown(state: RunState, number: int, *, commit: str = "c") -> RunState:
    """The run with a task that has a pull request of its own; without a commit it only asks."""
    return with_status(state, Status.COMPLETED, number=number, url=f"u{number}", commit=commit)


@pytest.mark.parametrize(
    ("most", "open", "published", "full"),
    [
        (0, 50, 3, False),  # no limit
        (2, 0, 0, False),
        (2, 0, 1, False),
        (2, 0, 2, True),
        (2, 1, 0, False),
        (2, 1, 1, True),
        (2, 2, 0, True),
        (3, 2, 0, False),
        (3, 1, 2, True),
    ],
)
def test_those_of_before_and_of_this_run_count(
    most: int, open: int, published: int, full: bool
) -> None:
    """What was open when it was counted, and what was published since."""
    assert is_full(run(most=most, open=open, published=published)) is full


def test_after_a_new_count_those_counted_are_not_counted_twice() -> None:
    """Two were published and one merged: one is open when it is counted again."""
    state = counted(run(most=2, published=2), Stack("c", "main", open=1))

    assert not is_full(state)
    assert is_full(shown(state, 2))


def test_what_asks_about_a_proposal_is_not_counted() -> None:
    """It is no member of a stack, so it is not among those that were open at the start either."""
    state = counted(shown(run(most=1), 0, commit=""), Stack("c", "main", open=0))

    assert not is_full(state)
    assert is_full(shown(state, 0))


def test_a_single_pull_request_takes_every_task() -> None:
    """The first task needs room for one; the next ones are added to it."""
    options = {"most": 1, "pull_requests": "single"}

    assert is_full(run(open=1, **options))
    assert not is_full(run(open=1, published=1, **options))


@pytest.mark.parametrize(("most", "text"), [(1, "1 pull request of"), (2, "2 pull requests of")])
def test_the_reason_names_the_limit(most: int, text: str) -> None:
    """With its key in the configuration."""
    why = why_full(run(most=most, open=most))
    asked = why_full(run(most=most, open=most, push="approved"))
    assert asked == why.replace("limits.open_pull_requests", "pull_requests.push: approved")

    assert why.startswith(text)
    assert "open, which is the limit (`limits.open_pull_requests`)" in why


def test_more_may_be_open_than_the_limit() -> None:
    """People lowered it, or opened one again."""
    why = why_full(run(most=5, open=4, published=2))

    assert why.startswith("6 pull requests of Cairn are open, and the limit is 5 (")
    assert why.endswith("when fewer than 5 are.")
