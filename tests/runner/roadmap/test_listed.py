"""Tasks as a person lists them in a comment."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.roadmap.task import NewTask
from runner.roadmap.writing import listed


def test_bullets_with_and_without_boxes() -> None:
    """A box, a number and marks of emphasis are as people write them."""
    text = "- [ ] 1.1 Do `a.py`\n- Other **thing** in `b.py`\n"

    assert listed(text) == (NewTask("Do `a.py`", id="1.1"), NewTask("Other **thing** in `b.py`"))


def test_numbered_items() -> None:
    """The numbers of a numbered list are no ids."""
    assert listed("1. third\n2. fourth\n") == (NewTask("third"), NewTask("fourth"))


def test_what_is_nested_belongs_to_its_task() -> None:
    """Bullets are details, and those below "Acceptance:" what must hold."""
    text = "- a\n  - how\n  - Acceptance:\n    - it works\n- b\n\n  Acceptance:\n  - it adds\n"

    first, second = listed(text)

    assert (first.details, first.acceptance) == (("how",), ("it works",))
    assert (second.details, second.acceptance) == ((), ("it adds",))


def test_only_the_first_list_counts() -> None:
    """What is said below it is said, and no task."""
    assert listed("- a\n\nThat is all. Not this:\n\n- b\n") == (NewTask("a"),)


@pytest.mark.parametrize("text", ["", "Just words", "> - quoted", "```\n- code\n```", "# - x"])
def test_no_list(text: str) -> None:
    """Words, quotes and code list nothing."""
    assert listed(text) == ()


@given(st.text(alphabet="-*+ \t\n[]x1.>`#a:", max_size=200))
def test_it_never_raises(text: str) -> None:
    """Whatever a person writes, it is read or it is not."""
    assert all(isinstance(task, NewTask) for task in listed(text))
