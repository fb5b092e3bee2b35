"""Circles in a graph."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.roadmap.order import circles, way_round

Graph = list[list[int]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Any graph of a few nodes, none of which points at itself."""
    count = draw(st.integers(1, 8))
    targets = (
        [st.sets(st.integers(0, count - 1).filter(lambda t, n=n: t != n)) for n in range(count)]
        if count > 1
        else [st.just(set())]
    )
    return [sorted(draw(each)) for each in targets]


def reached(to: Graph, start: int) -> set[int]:
    """What can be reached from a node in at least one step."""
    seen, todo = set[int](), list(to[start])
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo += to[node]
    return seen


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        ([[1], [2], []], []),
        ([[1], [0], []], [[0, 1]]),
        ([[1], [2], [0], [0, 4], [3]], [[0, 1, 2], [3, 4]]),
    ],
)
def test_circles(to: Graph, expected: list[list[int]]) -> None:
    """Nodes that reach each other form a circle."""
    assert circles(to) == expected


@given(graphs())
def test_circles_are_what_reaches_itself(to: Graph) -> None:
    """Two nodes are of one circle exactly if each reaches the other."""
    part = {node: n for n, circle in enumerate(circles(to)) for node in circle}
    for a in range(len(to)):
        for b in reached(to, a):
            assert (a in reached(to, b)) == (a in part and part.get(b) == part[a])


@given(graphs())
def test_a_way_round_is_one(to: Graph) -> None:
    """A way round goes along the arrows, back to its first node, and crosses none twice."""
    for circle in circles(to):
        way = way_round(to, circle)
        assert way[0] == way[-1] == circle[0]
        assert len(set(way)) == len(way) - 1
        assert all(b in to[a] for a, b in pairwise(way))


def test_a_long_chain() -> None:
    """A circle of 20,000 nodes needs no recursion."""
    to = [[(n + 1) % 20_000] for n in range(20_000)]

    assert [len(circle) for circle in circles(to)] == [20_000]
    assert len(way_round(to, circles(to)[0])) == 20_001
