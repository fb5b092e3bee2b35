"""What changed between two versions of a roadmap: tasks, not text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from runner.roadmap.matching import Matching, Unclear, match, words
from runner.roadmap.task import Roadmap, Task

Pair = tuple[Task, Task]
_BOX = re.compile(r"\[[ xX]\](?=\s)")


@dataclass(frozen=True)
class RoadmapDiff:
    """Tasks of the new file, in its order; (old, new) where both matter.

    ``changed`` say something else than before, ``moved`` stand elsewhere or are numbered otherwise.
    A task may be in several. ``removed`` are tasks of the old file, ``unclear`` those that could be
    each other in more than one way.
    """

    added: tuple[Task, ...] = ()
    removed: tuple[Task, ...] = ()
    changed: tuple[Pair, ...] = ()
    ticked: tuple[Task, ...] = ()
    unticked: tuple[Task, ...] = ()
    moved: tuple[Pair, ...] = ()
    unclear: tuple[Unclear, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything changed."""
        lists = (self.added, self.removed, self.changed, self.ticked, self.unticked, self.moved)
        return any((*lists, self.unclear))


def diff(old: Roadmap, new: Roadmap) -> RoadmapDiff:
    """Compare two versions of a file task by task; other text plays no part."""
    found = match(old.tasks, new.tasks)
    return RoadmapDiff(
        added=found.added,
        removed=found.removed,
        changed=tuple(pair for pair in found.pairs if _said(pair[0]) != _said(pair[1])),
        ticked=tuple(b for a, b in found.pairs if b.checked and not a.checked),
        unticked=tuple(b for a, b in found.pairs if a.checked and not b.checked),
        moved=_moved(old, new, found),
        unclear=found.unclear,
    )


def _said(task: Task) -> tuple[object, ...]:
    """What a task says itself: no number, no place, no tick, and nothing of tasks nested in it."""
    details = "" if task.kind == "summary" else " ".join(_BOX.sub("[]", task.details).split())
    return (words(task), details, task.kind == "summary", task.struck)


def _moved(old: Roadmap, new: Roadmap, found: Matching) -> tuple[Pair, ...]:
    """Pairs whose order, headings, parent or number are others.

    Where a heading was only renamed, nothing below it has moved: its old path is gone and the new
    one was not there.
    """
    places_before = {_place(task) for task in old.tasks}
    places_now = {_place(task) for task in new.tasks}
    now = {a.key: b.key for a, b in found.pairs}
    kept = _in_order(old, found)

    def has_moved(number: int, a: Task, b: Task) -> bool:
        if number not in kept or a.id != b.id:
            return True
        if (now.get(a.parent) if a.parent else None) != b.parent:
            return True
        before, after = _place(a), _place(b)
        return before != after and (before in places_now or after in places_before)

    return tuple(pair for number, pair in enumerate(found.pairs) if has_moved(number, *pair))


def _place(task: Task) -> tuple[str, ...]:
    return tuple(heading.text for heading in task.headings)


def _in_order(old: Roadmap, found: Matching) -> set[int]:
    """The most pairs that stand in the same order in both files, by number."""
    at = {task.key: index for index, task in enumerate(old.tasks)}
    return _longest_rising([at[a.key] for a, _ in found.pairs])


def _longest_rising(numbers: Sequence[int]) -> set[int]:
    """Places of a longest rising subsequence.

    https://en.wikipedia.org/wiki/Longest_increasing_subsequence
    """
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for place, number in enumerate(numbers):
        length = bisect_left(tails, number)
        if length == len(tails):
            tails.append(number)
            ends.append(place)
        tails[length], ends[length] = number, place
        before.append(ends[length - 1] if length else -1)
    kept: set[int] = set()
    place = ends[-1] if ends else -1
    while place >= 0:
        kept.add(place)
        place = before[place]
    return kept
