"""The stack as read off pull requests: where it ends, what is in review, what was declined."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.github.pulls import ProposalMarkers, Pull, PullState
from app.github.stack import standing


def _pull(number: int, base: str = "main", *, state: PullState = "open", task: str = "") -> Pull:
    return Pull(
        number=number,
        url=f"https://github.com/o/r/pull/{number}",
        state=state,
        head=f"cairn/r1/t{number}",
        sha=f"{number:040x}",
        base=base,
        tasks=(task or f"t{number}",),
        roadmap="ROADMAP.md",
    )


def _top(*pulls: Pull) -> int | None:
    top = standing(pulls, base="main", roadmap="ROADMAP.md").top
    return top.number if top else None


def _above(number: int, below: int, *, state: PullState = "open", task: str = "") -> Pull:
    return _pull(number, f"cairn/r1/t{below}", state=state, task=task)


def test_without_pull_requests_nothing_stands() -> None:
    """An empty stack has no top."""
    assert _top() is None


def test_the_top_is_the_last_of_the_chain() -> None:
    """The chain is followed by base branches, in whatever order it is listed."""
    assert _top(_above(3, 2), _pull(1), _above(2, 1)) == 3


def test_the_longest_chain_wins() -> None:
    """Of two chains the longer one is built on."""
    assert _top(_pull(1), _above(2, 1), _pull(5)) == 2


def test_of_equal_chains_the_newest_wins() -> None:
    """Of chains of one length the one with the newest top is built on."""
    assert _top(_pull(1), _pull(2)) == 2


def test_a_merged_member_hands_its_children_down() -> None:
    """What stands on a merged member stands on that member's base."""
    assert _top(_pull(1, state="merged"), _above(2, 1)) == 2


def test_a_closed_member_breaks_its_chain() -> None:
    """What stands on a member closed unmerged carries nothing."""
    assert _top(_pull(1, state="closed"), _above(2, 1)) is None


def test_what_was_built_on_a_closed_one_carries_nothing_elsewhere() -> None:
    """It was made against the base branch since, and still holds what somebody closed."""
    moved = replace(_pull(2), on="cairn/r1/t1")
    found = standing([_pull(1, state="closed"), moved], base="main", roadmap="ROADMAP.md")
    assert (found.top, found.declined, found.in_review) == (None, {"t1"}, {"t2"})


def test_what_was_built_on_a_merged_one_stands_by_itself() -> None:
    """It was made against the base branch since, which has what it was built on."""
    assert _top(_pull(1, state="merged"), replace(_pull(2), on="cairn/r1/t1")) == 2


def test_what_was_built_on_an_open_one_stands_on_it() -> None:
    """A person made it against the base branch, but its commits go on from the other one."""
    pulls = [_pull(1), replace(_pull(2), on="cairn/r1/t1")]
    found = standing(pulls, base="main", roadmap="ROADMAP.md")
    assert [member.below for member in found.members] == ["main", "cairn/r1/t1"]


def test_a_broken_chain_is_still_in_review() -> None:
    """An open pull request keeps its task from being picked, whatever it stands on."""
    found = standing([_above(2, 1)], base="main", roadmap="ROADMAP.md")
    assert found.in_review == {"t2"}


def test_another_base_is_another_stack() -> None:
    """Members that end on another base branch count for nothing here."""
    pulls = [_pull(1, "release"), _above(2, 1), _above(3, 2, state="closed")]
    found = standing(pulls, base="main", roadmap="ROADMAP.md")
    assert (found.top, found.in_review, found.declined) == (None, set(), set())


def test_another_roadmap_is_another_stack() -> None:
    """Members of another roadmap count for nothing here."""
    assert standing([_pull(1)], base="main", roadmap="docs/PLAN.md").top is None


def test_a_circle_of_bases_ends() -> None:
    """Pull requests that people pointed at each other are no stack."""
    assert _top(_above(1, 2), _above(2, 1)) is None


def test_closed_unmerged_means_declined() -> None:
    """A checkpoint that a person closed is a no."""
    found = standing([_pull(1, state="closed")], base="main", roadmap="ROADMAP.md")
    assert found.declined == {"t1"}


def test_a_later_merge_overrides_a_no() -> None:
    """The newest pull request of a task decides."""
    pulls = [_pull(1, state="closed", task="t"), _pull(2, state="merged", task="t")]
    assert standing(pulls, base="main", roadmap="ROADMAP.md").declined == set()


def test_a_later_no_overrides_a_merge() -> None:
    """A task that was merged, tried again and closed is declined."""
    pulls = [_pull(1, state="merged", task="t"), _pull(2, state="closed", task="t")]
    assert standing(pulls, base="main", roadmap="ROADMAP.md").declined == {"t"}


def test_what_is_open_is_not_declined() -> None:
    """An open pull request counts more than a newer closed one."""
    pulls = [_pull(1, task="t"), _pull(2, state="closed", task="t")]
    found = standing(pulls, base="main", roadmap="ROADMAP.md")
    assert (found.in_review, found.declined) == ({"t"}, set())


def _proposed(*, applied: bool) -> ProposalMarkers:
    return ProposalMarkers("r1", "f" * 64, applied)


def _recovery(number: int, base: str = "main", *, state: PullState = "open", applied: bool) -> Pull:
    return replace(_pull(number, base, state=state), proposal=_proposed(applied=applied))


def test_an_applied_recovery_carries_what_is_above_it() -> None:
    """It is a member like a checkpoint; its task has given way to others."""
    found = standing([_recovery(1, applied=True), _above(2, 1)], base="main", roadmap="ROADMAP.md")
    assert found.top
    assert (found.top.number, found.in_review, found.proposed) == (2, {"t2"}, set())


def test_an_open_proposal_carries_nothing() -> None:
    """Nobody builds on what is not agreed to; its task is in progress."""
    pulls = [_pull(1), replace(_above(2, 1), proposal=_proposed(applied=False))]
    found = standing(pulls, base="main", roadmap="ROADMAP.md")
    assert found.top
    assert (found.top.number, found.in_review, found.proposed) == (1, {"t1"}, {"t2"})


@pytest.mark.parametrize("state", ["merged", "closed"])
def test_a_proposal_that_is_not_open_asks_nothing(state: str) -> None:
    """Merged it is approved, closed it is refused: the task is free in both cases."""
    pulls = [_recovery(1, state=state, applied=False)]
    found = standing(pulls, base="main", roadmap="ROADMAP.md")
    assert (found.top, found.in_review, found.declined, found.proposed) == (
        None,
        set(),
        set(),
        set(),
    )


def test_an_applied_recovery_closed_is_a_no() -> None:
    """Its task stands in the roadmap again and is declined; what stood on it carries nothing."""
    pulls = [_recovery(1, state="closed", applied=True), _above(2, 1)]
    found = standing(pulls, base="main", roadmap="ROADMAP.md")
    assert (found.top, found.declined, found.in_review) == (None, {"t1"}, {"t2"})


def test_an_applied_recovery_merged_hands_its_children_down() -> None:
    """It is done: what stands on it stands on its base."""
    assert _top(_recovery(1, state="merged", applied=True), _above(2, 1)) == 2


def test_a_proposal_of_another_base_is_another_stacks() -> None:
    """It says nothing about the task here."""
    found = standing([_recovery(1, "release", applied=False)], base="main", roadmap="ROADMAP.md")
    assert found.proposed == set()


def test_a_refused_proposal_leaves_a_no_of_before() -> None:
    """The newest member of a task decides, whatever was proposed since."""
    pulls = [
        _pull(1, state="closed", task="t"),
        replace(_recovery(2, state="closed", applied=False), tasks=("t",)),
    ]
    assert standing(pulls, base="main", roadmap="ROADMAP.md").declined == {"t"}
