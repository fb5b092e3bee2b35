"""What changed between two versions of a roadmap: tasks, matched by key, then text, then id."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from runner.roadmap.task import Roadmap, Task

Way = Literal["key", "text", "id"]


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

    @cached_property
    def _by_key(self) -> dict[str, Task | Unclear]:
        found: dict[str, Task | Unclear] = {old.key: new for old, new in self.pairs}
        return found | {old.key: each for each in self.unclear for old in each.old}

    def now(self, key: str) -> Task | Unclear | None:
        """What an old task is now: None when it is gone, ``Unclear`` when it could be several."""
        return self._by_key.get(key)


def match(old: Sequence[Task], new: Sequence[Task]) -> Matching:
    """Match the tasks of an edited file to those of the old one; takes linear time.

    Tasks with the same text are distinguished by the id and by the headings above, as far as these
    are unchanged; what is left is matched by id, where that is unique.
    """
    work = _Matcher(old, new)
    work.keys()
    for signature in (_in_place(0), _in_place(1), _in_place(2), _words_and_id, words):
        work.by(signature)
    work.refuse("text", words)
    work.by(_id)
    work.refuse("id", _id)
    return work.result()


def words(task: Task) -> str:
    """What a task says, without its id, marks and line breaks."""
    text = " ".join(task.text.replace("*", " ").replace("_", " ").split())
    if task.id and (at := text.find(task.id)) >= 0 and at <= 20:
        text = text[:at] + text[at + len(task.id) :].lstrip(":.) ")
    return text.casefold()


def _words_and_id(task: Task) -> Hashable:
    return (words(task), task.id)


def _in_place(outer: int) -> Callable[[Task], Hashable]:
    """Words, id and the headings above, except some of the outer ones; None without headings."""

    def signature(task: Task) -> Hashable:
        path = _path(task)[outer:]
        return (words(task), task.id, path) if path else None

    return signature


def _path(task: Task) -> tuple[str, ...]:
    return tuple(heading.text for heading in task.place.headings)


def _id(task: Task) -> Hashable:
    return task.id


class _Matcher:
    """Pairs so far (number of the old → number of the new task), and what is left."""

    def __init__(self, old: Sequence[Task], new: Sequence[Task]) -> None:
        self._old, self._new = old, new
        self._pairs: dict[int, int] = {}
        self._left_old = dict.fromkeys(range(len(old)))
        self._left_new = dict.fromkeys(range(len(new)))
        self._unclear: list[Unclear] = []

    def keys(self) -> None:
        """Pair equal keys, except those of equal tasks whose number has changed."""
        old, new = _equals(self._old), _equals(self._new)
        by_key = {task.key: index for index, task in enumerate(self._new)}
        for index, task in enumerate(self._old):
            other = by_key.get(task.key)
            if other is not None and old[index] == new[other]:
                self._pair(index, other)

    def by(self, signature: Callable[[Task], Hashable]) -> None:
        """Pair those with a unique signature, or equally many that nothing else distinguishes."""
        for old, new in self._candidates(signature):
            if len(old) == len(new) and (len(old) == 1 or self._are_one(old, new)):
                for one, other in zip(old, new, strict=True):
                    self._pair(one, other)

    def refuse(self, way: Way, signature: Callable[[Task], Hashable]) -> None:
        """Set aside what could still be each other."""
        for old, new in self._candidates(signature):
            olds = tuple(self._old[index] for index in old)
            self._unclear.append(Unclear(way, olds, tuple(self._new[index] for index in new)))
            for index in old:
                del self._left_old[index]
            for index in new:
                del self._left_new[index]

    def result(self) -> Matching:
        pairs = sorted(self._pairs.items(), key=lambda pair: pair[1])
        return Matching(
            pairs=tuple((self._old[one], self._new[other]) for one, other in pairs),
            removed=tuple(self._old[index] for index in self._left_old),
            added=tuple(self._new[index] for index in self._left_new),
            unclear=tuple(self._unclear),
        )

    def _candidates(
        self, signature: Callable[[Task], Hashable]
    ) -> Iterable[tuple[list[int], list[int]]]:
        """What is left, by signature, where both files have something."""
        groups: defaultdict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for index in self._left_old:
            groups[signature(self._old[index])][0].append(index)
        for index in self._left_new:
            groups[signature(self._new[index])][1].append(index)
        groups.pop(None, None)
        return [(old, new) for old, new in groups.values() if old and new]

    def _are_one(self, old: Sequence[int], new: Sequence[int]) -> bool:
        """Say whether the tasks of both files are under the same headings with the same id."""
        places = {(_path(self._old[index]), self._old[index].id) for index in old}
        others = {(_path(self._new[index]), self._new[index].id) for index in new}
        return len(places) == len(others) == 1

    def _pair(self, old: int, new: int) -> None:
        self._pairs[old] = new
        del self._left_old[old]
        del self._left_new[new]


def _equals(tasks: Sequence[Task]) -> list[int]:
    """For each task how many say the same with the same id under the same headings."""
    texts = [(words(task), task.id, _path(task)) for task in tasks]
    counts = Counter(texts)
    return [counts[text] for text in texts]


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
