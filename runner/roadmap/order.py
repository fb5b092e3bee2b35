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

    ``to`` holds for each node those it points at. Kosaraju's algorithm: what is reached backwards,
    from the node that a walk forwards leaves last, is on a circle with it.
    """
    back: list[list[int]] = [[] for _ in to]
    for node, targets in enumerate(to):
        for target in targets:
            back[target].append(node)
    seen: set[int] = set()
    left = [n for node in range(len(to)) if node not in seen for n in _walked(to, node, seen)]
    seen = set()
    parts = [sorted(_walked(back, node, seen)) for node in reversed(left) if node not in seen]
    return sorted(part for part in parts if len(part) > 1)


def _walked(to: Sequence[Sequence[int]], first: int, seen: set[int]) -> list[int]:
    """The nodes that are reached from one and were not seen before, as a walk leaves them."""
    left: list[int] = []
    seen.add(first)
    todo = [(first, iter(to[first]))]
    while todo:
        node, targets = todo[-1]
        target = next((target for target in targets if target not in seen), None)
        if target is None:
            left.append(node)
            todo.pop()
        else:
            seen.add(target)
            todo.append((target, iter(to[target])))
    return left


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
    the start of the search does not matter. Lists of dependencies that were shared stay shared.
    """
    to = links(tasks)
    made = list(tasks)
    warnings: list[Warning] = []
    for circle in circles(to):
        way = [tasks[node] for node in way_round(to, circle) if node < len(tasks)]
        names = [task.name for task in way]
        if len(names) > _MOST_SHOWN:
            names[_MOST_SHOWN // 2 : -_MOST_SHOWN // 2] = ["…"]
        message = (
            f"{' → '.join(names)}: these tasks wait for each other, so Cairn lets none of them "
            "wait. Remove one of the dependencies."
        )
        warnings.append(Warning(way[0].place.line, 1, CYCLE, message))
        nodes = [node for node in circle if node < len(tasks)]
        within = {made[node].key for node in nodes}
        kept: dict[int, tuple[str, ...]] = {}
        touched: dict[int, bool] = {}
        for node in nodes:
            task = made[node]
            if id(task.depends_on) not in kept:
                kept[id(task.depends_on)] = tuple(k for k in task.depends_on if k not in within)
            targets = stated[task.key].targets
            for work in (target.work for target in targets if id(target.work) not in touched):
                touched[id(work)] = not within.isdisjoint(work.keys)
            texts = [target.text for target in targets if touched[id(target.work)]]
            depends_text = tuple(dict.fromkeys((*task.depends_text, *texts)))
            depends_on = kept[id(task.depends_on)]
            made[node] = replace(task, depends_on=depends_on, depends_text=depends_text)
    return tuple(made), warnings
