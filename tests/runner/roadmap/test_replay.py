"""Ticks of a branch, made anew on a newer roadmap."""

from __future__ import annotations

import pytest

from runner.roadmap.replay import replayed_ticks

OLD = b"- [ ] 1.1 One\n- [ ] 1.2 Two\n"
MINE = b"- [ ] 1.1 One\n- [x] 1.2 Two\n"


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (b"- [x] 1.1 One\n- [ ] 1.2 Two\n", b"- [x] 1.1 One\n- [x] 1.2 Two\n"),
        (b"# Plan\n\n- [ ] 1.2 Two\n- [ ] 1.0 New\n", b"# Plan\n\n- [x] 1.2 Two\n- [ ] 1.0 New\n"),
        (MINE, MINE),
        (b"- [ ] 1.1 One\n", None),
    ],
    ids=["neighbour", "moved", "ticked there", "gone"],
)
def test_a_tick_is_made_anew(new: bytes, expected: bytes | None) -> None:
    """It finds its task wherever it stands now; one that is gone is nobody's to guess."""
    assert replayed_ticks("ROADMAP.md", OLD, MINE, new) == expected


def test_another_edit_is_not_lost() -> None:
    """Where the branch changed more than boxes, people say what is right."""
    assert replayed_ticks("ROADMAP.md", OLD, MINE + b"A note.\n", OLD) is None
