"""Circles of tasks that wait for each other: which tasks they are made of, and one way round."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence


def circles(to: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the nodes of each strongly connected part of more than one node, in order.

    ``to`` holds for each node those it points at. Tarjan's algorithm, without recursion:
    https://doi.org/10.1137/0201010
    """
    walk = _Walk(to)
    for node in range(len(to)):
        if node not in walk.index:
            walk.start(node)
    return sorted(walk.found)


class _Walk:
    """A walk through all nodes; ``path`` are those not yet given to a part."""

    def __init__(self, to: Sequence[Sequence[int]]) -> None:
        self.to = to
        self.index: dict[int, int] = {}
        self.low: dict[int, int] = {}
        self.path: list[int] = []
        self.on_path: set[int] = set()
        self.found: list[list[int]] = []

    def start(self, first: int) -> None:
        todo = [(first, iter(self.to[first]))]
        self._enter(first)
        while todo:
            node, targets = todo[-1]
            target = next(targets, None)
            if target is None:
                todo.pop()
                self._leave(node, todo[-1][0] if todo else None)
            elif target not in self.index:
                self._enter(target)
                todo.append((target, iter(self.to[target])))
            elif target in self.on_path:
                self.low[node] = min(self.low[node], self.index[target])

    def _enter(self, node: int) -> None:
        self.index[node] = self.low[node] = len(self.index)
        self.path.append(node)
        self.on_path.add(node)

    def _leave(self, node: int, above: int | None) -> None:
        if self.low[node] == self.index[node]:
            self._part(node)
        if above is not None:
            self.low[above] = min(self.low[above], self.low[node])

    def _part(self, node: int) -> None:
        at = len(self.path) - 1
        while self.path[at] != node:
            at -= 1
        part = self.path[at:]
        del self.path[at:]
        self.on_path.difference_update(part)
        if len(part) > 1:
            self.found.append(sorted(part))


def way_round(to: Sequence[Sequence[int]], circle: Sequence[int]) -> list[int]:
    """Return a shortest way from the first node of a circle back to it, both ends named."""
    first, within = circle[0], set(circle)
    came: dict[int, int] = {}
    todo = deque([first])
    while first not in came:
        node = todo.popleft()
        for target in to[node]:
            if target in within and target not in came:
                came[target] = node
                todo.append(target)
    way = [first, came[first]]
    while way[-1] != first:
        way.append(came[way[-1]])
    return way[::-1]
