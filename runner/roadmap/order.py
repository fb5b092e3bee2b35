"""The order of tasks, and circles of dependencies."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush

from runner.roadmap.dependencies import CYCLE, Stated
from runner.roadmap.task import Task, Warning


def links(tasks: Sequence[Task]) -> list[list[int]]:
    """Return who waits for whom, by number: for each node those it waits for.

    The first nodes are ``tasks``; then comes one node for each list of dependencies, however many
    tasks share it. So a phase that waits for a phase costs the sum of both, not their product.
    """
    number = {task.key: index for index, task in enumerate(tasks)}
    to: list[list[int]] = [[] for _ in tasks]
    shared: dict[int, int] = {}
    for index, task in enumerate(tasks):
        if not task.depends_on or task.kind != "work":
            continue
        node = shared.get(id(task.depends_on))
        if node is None:
            node = shared[id(task.depends_on)] = len(to)
            to.append([number[key] for key in task.depends_on if key in number])
        to[index].append(node)
    return to


def ordered(tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Return ``tasks`` in document order, each one after the open tasks it depends on.

    An item of an overview has the place of the section that says what it is about.
    Of those that may come next, the first in the file does. Tasks that wait for each other in a
    circle come last, in document order: none is lost.
    """
    if any(task.place.turn for task in tasks):
        tasks = sorted(tasks, key=lambda task: task.place.turn or task.place.line)
    waits = links(tasks)
    if not any(waits):
        return tuple(tasks)
    # nobody waits for what is done
    sorter = TopologicalSorter(
        {
            n: [t for t in to if t >= len(tasks) or not tasks[t].checked]
            for n, to in enumerate(waits)
        }
    )
    with suppress(CycleError):  # it goes on with all that no circle blocks
        sorter.prepare()
    order: list[int] = []
    ready: list[int] = []
    while sorter.is_active():
        if free := sorter.get_ready():
            for node in free:
                if node < len(tasks):
                    heappush(ready, node)
                else:  # a list of dependencies
                    sorter.done(node)
        else:
            order.append(heappop(ready))
            sorter.done(order[-1])
    left = set(range(len(tasks))).difference(order)
    return tuple(tasks[node] for node in (*order, *sorted(left)))


def apart(a: Task, b: Task) -> bool:
    """Say whether two tasks name no file in common."""
    return a.key != b.key and not set(a.files) & set(b.files)


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


_MOST_SHOWN = 12


def without_cycles(
    tasks: Sequence[Task], stated: Mapping[str, Stated]
) -> tuple[tuple[Task, ...], list[Warning]]:
    """Return the tasks without the dependencies that go round in a circle; those become text.

    ``stated`` is what was stated about each task, by key. Every such dependency is on a circle, so
    the start of the search does not matter.
    """
    to = links(tasks)
    made = list(tasks)
    warnings: list[Warning] = []
    for circle in circles(to):
        way = [node for node in way_round(to, circle) if node < len(tasks)]
        warnings.append(_warning([tasks[node] for node in way]))
        _take_apart(made, [node for node in circle if node < len(tasks)], stated)
    return tuple(made), warnings


def _take_apart(made: list[Task], circle: Sequence[int], stated: Mapping[str, Stated]) -> None:
    """Let no task of a circle wait for another one of it; shared lists stay shared."""
    within = {made[node].key for node in circle}
    kept: dict[int, tuple[str, ...]] = {}
    touched: dict[int, bool] = {}
    for node in circle:
        task = made[node]
        if id(task.depends_on) not in kept:
            kept[id(task.depends_on)] = tuple(k for k in task.depends_on if k not in within)
        texts = []
        for target in stated[task.key].targets:
            if id(target.work) not in touched:
                touched[id(target.work)] = not within.isdisjoint(target.work.keys)
            if touched[id(target.work)]:
                texts.append(target.text)
        made[node] = replace(
            task,
            depends_on=kept[id(task.depends_on)],
            depends_text=(*task.depends_text, *(t for t in texts if t not in task.depends_text)),
        )


def _warning(way: Sequence[Task]) -> Warning:
    names = [task.name for task in way]
    if len(names) > _MOST_SHOWN:
        names[_MOST_SHOWN // 2 : -_MOST_SHOWN // 2] = ["…"]
    message = (
        f"{' → '.join(names)}: these tasks wait for each other, so Cairn lets none of them wait. "
        "Remove one of the dependencies."
    )
    return Warning(way[0].place.line, 1, CYCLE, message)
