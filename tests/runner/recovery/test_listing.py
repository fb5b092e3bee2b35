"""Lists of tasks as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.roadmap.task import NewTask
from runner.roadmap.writing import listed
from runner.state.proposal import as_item, problems_of

WORDS = st.lists(st.sampled_from(["add", "`a.py`", "total(rows)", "tests"]), min_size=1, max_size=4)
TEXT = WORDS.map(" ".join)
TASKS = st.builds(
    NewTask,
    text=TEXT,
    id=st.sampled_from(["", "1.2", "API-7"]),
    details=st.lists(TEXT, max_size=2).map(tuple),
    acceptance=st.lists(TEXT, max_size=2).map(tuple),
)


@given(st.lists(TASKS, min_size=1, max_size=4))
def test_what_is_written_is_what_is_read(tasks: list[NewTask]) -> None:
    """The list that an editor shows reads as the tasks it was made of."""
    assert list(listed("\n".join(map(as_item, tasks)))) == tasks


@pytest.mark.parametrize(
    ("task", "said"),
    [
        (NewTask("Add `a.py` with `total(rows)`"), None),
        (NewTask("Improve performance"), 'Task 1 ("Improve performance"): '),
        (NewTask("a [x] b"), "its text names [x]"),
    ],
)
def test_one_task(task: NewTask, said: str | None) -> None:
    """What keeps a task from being written is said with its number and its words."""
    problems = list(problems_of([task]))

    assert (said is None) == (not problems)
    assert (said or "") in "".join(problems)


def test_too_many() -> None:
    """Nobody replaces a task by a hundred."""
    tasks = [NewTask(f"Add `f{n}.py` with `f{n}()`") for n in range(100)]

    assert list(problems_of(tasks)) == ["There are 100 tasks; write at most 20."]
