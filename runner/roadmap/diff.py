"""What changed between two versions of a roadmap: tasks, matched by key, then text, then id."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

from runner.roadmap.task import Roadmap, Task

Way = Literal["", "text", "id"]


@dataclass(frozen=True)
class Unclear:
    """Tasks that could be each other in more than one way: none of them is taken for another."""

    by: Way
    old: tuple[Task, ...]
    new: tuple[Task, ...]

    def __str__(self) -> str:
        """What is unclear, for people: "text" fits lines 3, 9 (before: 4)."""
        lines = ", ".join(str(task.place.line) for task in self.new)
        before = ", ".join(str(task.place.line) for task in self.old)
        return f"the {self.by} fits more than one task: lines {lines} now, lines {before} before"


@dataclass(frozen=True)
class Matching:
    """``pairs`` are (old, new) in the order of the new file; the others have no partner."""

    pairs: tuple[tuple[Task, Task], ...]
    removed: tuple[Task, ...]
    added: tuple[Task, ...]
    unclear: tuple[Unclear, ...]


def match(old: Sequence[Task], new: Sequence[Task]) -> Matching:
    """Match the tasks of an edited file to those of the old one; takes linear time.

    Tasks with the same text are distinguished by the id and by the headings above, as far as these
    are unchanged; what is left is matched by id, where that is unique. Equally many that nothing
    else distinguishes are matched in their order.
    """
    left, there = {task.key: task for task in old}, {task.key: task for task in new}
    now: dict[str, Task] = {}
    unclear: list[Unclear] = []
    equal, equal_now = Counter(map(_whole, old)), Counter(map(_whole, new))
    for task in old:  # of equal tasks whose number has changed, the key says nothing
        other = there.get(task.key)
        if other is not None and equal[_whole(task)] == equal_now[_whole(other)]:
            now[other.key] = left.pop(task.key)
            del there[other.key]
    for by, signature in _SIGNATURES:
        groups: defaultdict[Hashable, tuple[list[Task], list[Task]]] = defaultdict(lambda: ([], []))
        for side, tasks in enumerate((left.values(), there.values())):
            for task in tasks:
                groups[signature(task)][side].append(task)
        groups.pop(None, None)
        for olds, news in groups.values():
            places = ({(_path(task), task.id) for task in each} for each in (olds, news))
            sure = len(olds) == 1 or [len(place) for place in places] == [1, 1]
            if not (olds and news) or not (by or (sure and len(olds) == len(news))):
                continue
            if sure and len(olds) == len(news):
                now |= {other.key: one for one, other in zip(olds, news, strict=True)}
            else:
                unclear.append(Unclear(by, tuple(olds), tuple(news)))
            for task in olds:
                del left[task.key]
            for task in news:
                del there[task.key]
    pairs = tuple((now[task.key], task) for task in new if task.key in now)
    return Matching(pairs, tuple(left.values()), tuple(there.values()), tuple(unclear))


def words(task: Task) -> str:
    """What a task says, without its id, marks and line breaks."""
    text = " ".join(task.text.replace("*", " ").replace("_", " ").split())
    if task.id and (at := text.find(task.id)) >= 0 and at <= 20:
        text = text[:at] + text[at + len(task.id) :].lstrip(":.) ")
    return text.casefold()


def _path(task: Task) -> tuple[str, ...]:
    return tuple(heading.text for heading in task.place.headings)


def _whole(task: Task) -> Hashable:
    return (words(task), task.id, _path(task))


def _in_place(outer: int) -> Callable[[Task], Hashable]:
    """Words, id and the headings above, except some of the outer ones; None without headings."""
    return lambda task: (words(task), task.id, path) if (path := _path(task)[outer:]) else None


_SIGNATURES: Sequence[tuple[Way, Callable[[Task], Hashable]]] = (
    ("", _in_place(0)),
    ("", _in_place(1)),
    ("", _in_place(2)),
    ("", lambda task: (words(task), task.id)),
    ("text", words),
    ("id", lambda task: task.id),
)
"""What tasks are told apart by, in turn; those that share one with a name are unclear."""

Pair = tuple[Task, Task]
_BOX = re.compile(r"\[[ xX]\](?=\s)")


@dataclass(frozen=True)
class RoadmapDiff:
    """What a push changed, as far as somebody is told: ticks and places play no part.

    ``changed`` are (old, new) with another text than before. ``removed`` are tasks of the old file,
    ``unclear`` those that could be each other in more than one way.
    """

    added: tuple[Task, ...] = ()
    removed: tuple[Task, ...] = ()
    changed: tuple[Pair, ...] = ()
    unclear: tuple[Unclear, ...] = ()


def diff(old: Roadmap, new: Roadmap) -> RoadmapDiff:
    """Compare two versions of a file task by task; other text plays no part."""
    found = match(old.tasks, new.tasks)
    return RoadmapDiff(
        added=found.added,
        removed=found.removed,
        changed=tuple(pair for pair in found.pairs if _wording(pair[0]) != _wording(pair[1])),
        unclear=found.unclear,
    )


def _wording(task: Task) -> tuple[object, ...]:
    """What a task says itself: no number, no place, no tick, and nothing of tasks nested in it."""
    details = "" if task.kind == "summary" else " ".join(_BOX.sub("[]", task.details).split())
    return (words(task), details, task.kind == "summary", task.marks.struck)
