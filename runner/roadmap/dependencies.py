"""Which tasks a task waits for: what places of a roadmap state, as keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from runner.roadmap.bearers import NO_WORK, Bearers, Work
from runner.roadmap.fields import Field
from runner.roadmap.names import Name
from runner.roadmap.task import Task, Warning
from runner.roadmap.values import Named, Reading, read

UNRESOLVED = "unresolved-dependency"
CYCLE = "dependency-cycle"
TOO_MANY = "too-many-dependencies"
MOST_KEYS = 300_000
"""Keys kept in all lists of dependencies of a file; tasks that state the same share one list."""
MOST_TARGETS = 200
"""Dependencies that one place may state; the most seen is 9."""


@dataclass(frozen=True)
class Target:
    """One dependency: as it is written, and the work it stands for."""

    text: str
    work: Work


@dataclass(frozen=True)
class Stated:
    """What one place says: ``targets`` to wait for, and a ``rest`` nobody can resolve.

    ``work`` is that of all targets together.
    """

    targets: tuple[Target, ...] = ()
    rest: tuple[str, ...] = ()
    work: Work = NO_WORK


def with_rest(stated: Stated | None, rest: tuple[str, ...]) -> Stated | None:
    """Add texts to what is stated."""
    if not rest:
        return stated
    return replace(stated, rest=(*rest, *stated.rest)) if stated else Stated(rest=rest)


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is stated: its line, and what it is called in a message."""

    line: int
    called: str


@dataclass
class Resolver:
    """Resolves what is stated, once for each wording and each list of targets."""

    bearers: Bearers
    warnings: list[Warning] = field(default_factory=list)
    keys: int = 0
    _readings: dict[str, Reading] = field(default_factory=dict)
    _works: dict[tuple[Name, ...], Work | None] = field(default_factory=dict)
    _unions: dict[tuple[int, ...], tuple[Work, tuple[Work, ...]]] = field(default_factory=dict)
    _ambiguous: set[str] = field(default_factory=set)
    _told: set[tuple[int, int]] = field(default_factory=set)

    def stated(self, fields: Iterable[Field], place: Place) -> Stated | None:
        """Return what the fields of a place say; None when they say nothing of dependencies."""
        targets: list[Target] = []
        rest: list[str] = []
        counted = False
        for each in fields:
            one = self._of_field(each)
            if one is None:
                continue
            counted = True
            targets += one.targets
            rest += one.rest
            for text in one.rest[:MOST_TARGETS]:
                self._unresolved(text, Place(place.line + each.line, place.called))
        if not counted:
            return None
        rest += [target.text for target in targets[MOST_TARGETS:]]
        kept, texts = tuple(targets[:MOST_TARGETS]), tuple(dict.fromkeys(rest))
        return Stated(kept, texts[:MOST_TARGETS], self._union([t.work for t in kept]))

    def waiting(self, task: Task, stated: Stated, place: Place) -> Task:
        """Return the task with what it waits for: one list for all that wait for the same."""
        if task.key not in stated.work.members:
            return _with(task, stated.work, stated.rest)
        inside = [t for t in stated.targets if task.key in t.work.members]
        outside = [t for t in stated.targets if task.key not in t.work.members]
        for target in inside:
            self._in_itself(task, target, place)
        texts = (*stated.rest, *(target.text for target in inside))
        return _with(task, self._union([target.work for target in outside]), texts)

    def _of_field(self, each: Field) -> Stated | None:
        targets: list[Target] = []
        rest: list[str] = []
        for value in each.values:
            if name := self.bearers.titled(value):
                reading = Reading((Named(value, (name,)),))
            else:
                reading = self._read(value)
            for named in reading.named:
                work = self._work(named.names)
                if work:
                    targets.append(Target(named.text, work))
                else:
                    self._ambiguous.add(named.text)
                    rest.append(named.text)
            rest += reading.rest
        if each.weak and (rest or not targets):
            return None
        return Stated(tuple(targets), tuple(rest))

    def _read(self, value: str) -> Reading:
        if value not in self._readings:
            self._readings[value] = read(value, self.bearers.title)
        return self._readings[value]

    def _work(self, names: tuple[Name, ...]) -> Work | None:
        """The work of all names of a range; None when a name could be more than one thing."""
        if names not in self._works:
            parts = [self.bearers.work(name) for name in names]
            known = [part for part in parts if part is not None]
            self._works[names] = self._union(known) if len(known) == len(names) else None
        return self._works[names]

    def _union(self, works: Sequence[Work]) -> Work:
        """All of several works; past the limit only the largest, which is told."""
        largest = max(works, key=lambda work: len(work.keys), default=NO_WORK)
        if all(work is largest or work.members <= largest.members for work in works):
            return largest
        which = tuple(id(work) for work in works)
        if which not in self._unions:
            if self.keys > MOST_KEYS:
                self._told_too_many()
                return largest
            keys = tuple(dict.fromkeys(key for work in works for key in work.keys))
            self.keys += len(keys)
            # the works are kept as well, so that no other gets the id of one
            self._unions[which] = (Work(keys, frozenset(keys)), tuple(works))
        return self._unions[which][0]

    def _told_too_many(self) -> None:
        if not any(warning.code == TOO_MANY for warning in self.warnings[:1]):
            message = (
                f"more than {MOST_KEYS:,} dependencies are stated; of some tasks only the largest "
                "one is kept. State them once for a section."
            )
            self.warnings.insert(0, Warning(1, 1, TOO_MANY, message))

    def _unresolved(self, text: str, place: Place) -> None:
        why = "more than one" if text in self._ambiguous else "no"
        message = (
            f"{place.called} depends on {_short(text)}, which names {why} phase, section or task "
            "of this file; nothing waits for it. Write a number or id that one alone has, or None."
        )
        self.warnings.append(Warning(place.line, 1, UNRESOLVED, message))

    def _in_itself(self, task: Task, target: Target, place: Place) -> None:
        """What a task is part of cannot be done before it; told once a place."""
        where = (place.line, id(target.work))
        if where not in self._told:
            self._told.add(where)
            message = (
                f"{task.name} → {_short(target.text)} → {task.name}: {place.called} depends on "
                "what it is part of; it does not wait for that. Name what comes before it."
            )
            self.warnings.append(Warning(place.line, 1, CYCLE, message))


def _with(task: Task, work: Work, texts: tuple[str, ...]) -> Task:
    return replace(task, depends_on=work.keys, depends_text=texts)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return f'"{text if len(text) <= 80 else text[:79] + "…"}"'
