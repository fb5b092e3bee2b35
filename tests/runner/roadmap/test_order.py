"""The order of tasks, and which may write the same file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.roadmap.order import apart, ordered
from runner.roadmap.task import Task
from tests.runner.roadmap.made import task


def order(*tasks: Task) -> str:
    """The ids of the tasks as they are ordered."""
    return " ".join(each.name for each in ordered(tasks))


def needs(id: str, *others: str, checked: bool = False) -> Task:
    """A task that depends on others."""
    return task(id, depends_on=others, checked=checked)


def test_document_order() -> None:
    """Without a dependency the document decides."""
    assert order(task("b"), task("a"), task("c")) == "b a c"


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        ([needs("a", "c"), needs("b"), needs("c")], "b c a"),
        ([needs("a"), needs("b", "a"), needs("c")], "a b c"),
        ([needs("a", "b"), needs("b", "c"), needs("c"), needs("d")], "c b a d"),
        ([needs("a", "c", checked=False), needs("b"), needs("c", checked=True)], "a b c"),
        ([needs("a", "gone"), needs("b")], "a b"),
        ([needs("a", "b"), needs("b", "a"), needs("c")], "c a b"),
    ],
)
def test_a_dependency_moves_a_task(tasks: list[Task], expected: str) -> None:
    """A task comes behind what it depends on, and no other is moved; what is done moves none."""
    assert order(*tasks) == expected


def test_only_work_is_moved() -> None:
    """What is no work keeps its place."""
    assert order(task("a", kind="summary", depends_on=("b",)), task("b")) == "a b"


@st.composite
def graphs(draw: st.DrawFn) -> list[Task]:
    """Tasks that depend on each other in any way, some of them sharing one list."""
    names = [str(n) for n in range(draw(st.integers(1, 8)))]
    lists = draw(st.lists(st.lists(st.sampled_from(names)).map(tuple), min_size=1, max_size=4))
    return [
        task(name, depends_on=draw(st.sampled_from(lists)), checked=draw(st.booleans()))
        for name in names
    ]


@given(graphs())
def test_none_is_lost(tasks: list[Task]) -> None:
    """Whatever they depend on, every task comes once."""
    assert sorted(each.key for each in ordered(tasks)) == sorted(each.key for each in tasks)


@given(st.integers(1, 30), st.randoms(use_true_random=False))
def test_dependencies_come_first(count: int, random: object) -> None:
    """Where there is no circle, everything a task needs stands before it."""
    tasks = [
        needs(str(n), *(str(m) for m in (2 * n + 1, 3 * n + 1) if m < count)) for n in range(count)
    ]
    place = {each.key: index for index, each in enumerate(ordered(tasks))}

    assert all(place[key] < place[each.key] for each in tasks for key in each.depends_on)


def test_large_phases_share_their_dependencies() -> None:
    """5,000 tasks that wait for 5,000 others are ordered by the sum of both."""
    keys = tuple(f"a{n}" for n in range(5000))
    tasks = [task(f"b{n}", depends_on=keys) for n in range(5000)]
    tasks += [task(key) for key in keys]

    assert [each.name for each in ordered(tasks)][4998:5002] == ["a4998", "a4999", "b0", "b1"]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (task("a"), task("b"), True),
        (task("a"), task("a"), False),
        (task("a", files=("x.py",)), task("b", files=("y.py",)), True),
        (task("a", files=("x.py", "z.py")), task("b", files=("y.py", "x.py")), False),
    ],
)
def test_apart(a: Task, b: Task, expected: bool) -> None:
    """Two tasks are apart if they name no file in common."""
    assert apart(a, b) is expected
    assert apart(b, a) is expected
