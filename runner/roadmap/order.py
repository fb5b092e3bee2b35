"""In which order tasks are worked on, and which of them may be worked on at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from runner.roadmap.task import Task


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
    """Return ``tasks`` in document order, each one behind the open tasks it depends on.

    Of those that may come next the one that stands first does. Tasks that wait for each other in a
    circle come last, in document order: none is lost.
    """
    queue = _Queue(len(tasks))
    for node, targets in enumerate(links(tasks)):
        # nobody waits for what is done
        queue.add(node, [t for t in targets if t >= len(tasks) or not tasks[t].checked])
    order = queue.run()
    left = set(range(len(tasks))).difference(order)
    return tuple(tasks[node] for node in (*order, *sorted(left)))


@dataclass
class _Queue:
    """How many nodes are tasks, which are ready, for how many each waits, and who comes after."""

    tasks: int
    ready: list[int] = field(default_factory=list)
    waiting: dict[int, int] = field(default_factory=dict)
    after: dict[int, list[int]] = field(default_factory=dict)

    def add(self, node: int, targets: list[int]) -> None:
        self.waiting[node] = len(targets)
        for target in targets:
            self.after.setdefault(target, []).append(node)

    def run(self) -> list[int]:
        """The numbers of the tasks, in order."""
        for node in [node for node, count in self.waiting.items() if not count]:
            self._release(node)
        order: list[int] = []
        while self.ready:
            order.append(heappop(self.ready))
            self._left(order[-1])
        return order

    def _left(self, node: int) -> None:
        for follower in self.after.get(node, ()):
            self.waiting[follower] -= 1
            if not self.waiting[follower]:
                self._release(follower)

    def _release(self, node: int) -> None:
        """A task may come next; a list of dependencies passes that on at once."""
        if node < self.tasks:
            heappush(self.ready, node)
        else:
            self._left(node)


def independent(a: Task, b: Task, *, among: Sequence[Task]) -> bool:
    """Say whether neither needs the other, not even by way of others ``among`` them.

    Two that are likely to write the same file are not independent, even if both say ``[P]``
    (``Task.parallel``), which promises different files.
    """
    if not apart(a, b):
        return False
    return not _needs(a, b, among) and not _needs(b, a, among)


def apart(a: Task, b: Task) -> bool:
    """Say whether two tasks name no file in common."""
    return a.key != b.key and not set(a.files) & set(b.files)


def _needs(task: Task, wanted: Task, among: Sequence[Task]) -> bool:
    to = links(among)
    number = {other.key: index for index, other in enumerate(among)}
    seen, todo = set[int](), [number[task.key]]
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo += to[node]
    return number[wanted.key] in seen
