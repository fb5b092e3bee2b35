"""What names in a roadmap stand for: a phase, the work below a heading, or a task by its id."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from runner.roadmap.fields import Name, name_at, name_of
from runner.roadmap.headings import number, words
from runner.roadmap.source import plain_dashes, without_marks
from runner.roadmap.task import Section, Task
from runner.roadmap.words import WORDS
from runner.text.patterns import lazy_pattern

_WHOLE = {
    "phase", "section", "chapter", "part", "fase", "étape", "etapa", "faza", "fáze", "etap",
    "aşama", "giai đoạn", "фаза", "этап", "етап", "阶段", "階段", "段階", "フェーズ", "단계", "章",
}  # fmt: skip
"""Words of a heading whose number alone says as much: "Phase 2" is "## 2. Core"."""

_LEADING = lazy_pattern(r"(?:(\d[\d.]*?)[.:)]?\s+[-\u2013\u2014]?\s*)?(.*)", re.DOTALL)
"""The number that a heading begins with, and its words."""


@dataclass(frozen=True)
class Work:
    """The keys of the tasks that a name means, in order; ``members`` are the same."""

    keys: tuple[str, ...]
    members: frozenset[str]


NO_WORK = Work((), frozenset())


def section_name(section: Section) -> Name | None:
    """Return the name of a section: its word and number, its code, or its number alone."""
    text = plain_dashes(without_marks(section.path[-1].text)).lstrip("[(")
    found = name_at(text)
    if found and (found[0].word or not found[0].number[0].isdigit()):
        return found[0]
    return Name("", section.number.casefold()) if section.number else None


class TaskNames:
    """Finds what has a name among the tasks and sections of one file."""

    def __init__(self, tasks: Sequence[Task], sections: Sequence[Section]) -> None:
        self.tasks = tasks
        self.sections = {section.line: section for section in sections}
        self.names = {section.line: section_name(section) for section in sections}
        self._by_id: defaultdict[Name, list[int]] = defaultdict(list)
        self._by_heading: defaultdict[Name, list[int]] = defaultdict(list)
        self._words: defaultdict[str, set[str]] = defaultdict(set)
        self._below: defaultdict[int, list[int]] = defaultdict(list)
        self._within: defaultdict[str, list[int]] = defaultdict(list)
        self._parts: defaultdict[str, list[int]] = defaultdict(list)
        self._children: defaultdict[str, list[int]] = defaultdict(list)
        self._work: dict[Name, Work | None] = {}
        for section in sections:
            if name := self.names[section.line]:
                self._add(self._by_heading, name, section.line)
        for index, task in enumerate(tasks):
            if task.id and (name := name_of(task.id)):
                self._add(self._by_id, name, index)
            if task.place.parent:
                self._children[task.place.parent].append(index)
            if task.runnable:
                for line in {h.line for h in (*task.place.headings, *task.place.home)}:
                    self._below[line].append(index)
                for each in self._numbers(task):
                    self._within[each].append(index)
                for each in _beginnings(task.id or ""):
                    self._parts[each].append(index)

    def _add(self, known: dict[Name, list[int]], name: Name, place: int) -> None:
        known[name].append(place)
        if name.word:
            self._words[name.number].add(name.word)

    def _numbers(self, task: Task) -> Iterable[str]:
        """The number of the nearest heading that has one without a word, and what it begins with.

        A task that its headings do not place in a phase by name is in that of its number.
        """
        names = [name for h in reversed(task.around) if (name := self.names.get(h.line))]
        nearest = next((name.number for name in names if not name.word), "")
        numbers = dict.fromkeys((*_beginnings(nearest), nearest) if nearest else ())
        phase = (task.place.phase or "").casefold()
        if phase and not any(name.number == phase for name in names):
            numbers[phase] = None
        return numbers

    def title(self, name: Name) -> str | None:
        """The title of what has a name, '' without one; None if nothing has it."""
        tasks, lines = self._find(name)
        if tasks:
            return self.tasks[tasks[0]].title.casefold()
        if lines:
            return words(self.sections[lines[0]].path[-1].text)
        return "" if self._gone_on(name) else None

    def work(self, name: Name) -> Work | None:
        """The work that a name means; None if it could be more than one thing."""
        if name not in self._work:
            self._work[name] = self._looked_up(name)
        return self._work[name]

    def _looked_up(self, name: Name) -> Work | None:
        tasks, lines = self._find(name)
        real = [index for index in tasks if self.tasks[index].kind != "check"] or tasks
        inside = {line for line in lines if line in self._below}
        outermost = [
            line
            for line in inside
            if inside.isdisjoint(heading.line for heading in self.sections[line].path[:-1])
        ]
        if len(real) > 1 or len(outermost) > 1:
            return None
        found: set[int] = set()
        for at in real:  # a task that is work, else the work below it
            todo = [at]
            while todo:
                index = todo.pop()
                task = self.tasks[index]
                if task.kind == "work" and (index == at or task.runnable):
                    found.add(index)
                elif task.kind == "summary":
                    todo += self._children.get(task.key, ())
        found.update(n for line in outermost for n in self._below[line])
        if lines and len(self._words.get(name.number, ())) < 2:
            for index in self._within.get(name.number, ()):
                # Phase 2.1 is a phase put after Phase 2, not a part of it
                around = (self.names.get(heading.line) for heading in self.tasks[index].around)
                parts = (n.number for n in around if n and n.word == name.word)
                if not any(number.startswith(f"{name.number}.") for number in parts):
                    found.add(index)
        keys = tuple(self.tasks[n].key for n in sorted(found.union(self._gone_on(name))))
        return Work(keys, frozenset(keys))

    def _find(self, name: Name) -> tuple[list[int], list[int]]:
        """(tasks, lines of headings) that have a name, or else the same number written differently.

        A task's number needs no word ("Task 1.1" is 1.1), a phase's heading neither.
        """
        tasks, lines = self._by_id.get(name, []), self._by_heading.get(name, [])
        if tasks or lines:
            return tasks, lines
        if name.word:
            if (
                name.word not in _WHOLE
                and name.word not in WORDS["tasks"]
                and name.number.isdigit()
            ):
                return [], []
            bare = Name("", name.number)
            alone = name.word in WORDS["tasks"] or not name.number.isdigit()
            return self._by_id.get(bare, []) if alone else [], self._by_heading.get(bare, [])
        found = self._words.get(name.number, set())
        if len(found) != 1:
            return [], []
        worded = Name(next(iter(found)), name.number)
        return self._by_id.get(worded, []), self._by_heading.get(worded, [])

    def _gone_on(self, name: Name) -> list[int]:
        """The tasks of a number that only others continue: 1 of 1.1, 1.2.

        Sections count before tasks, of which a recovery may have made several of one.
        """
        if any(self._find(name)) or self._words.get(name.number):
            return []
        within = self._within.get(name.number, []) if name.word in {"", *_WHOLE} else []
        if within or name.word not in {"", *WORDS["tasks"]}:
            return within
        return self._parts.get(name.number, [])


def _beginnings(number: str) -> list[str]:
    """The numbers that a dotted one continues: 1 and 1.2 of 1.2.3."""
    parts = number.split(".")[:6]
    if len(parts) < 2 or not all(part.isdigit() for part in parts):
        return []
    return [".".join(parts[:n]) for n in range(1, len(parts))]


def in_phase(task: Task, wanted: str) -> bool:
    """Say whether the phase of a task, or a heading above it, has this number or text.

    A heading may give the number another word: Milestone 2 is not Phase 2.
    """
    wanted = wanted.strip()
    name = name_of(wanted)
    if name is None:
        return False
    texts = [without_marks(heading.text) for heading in task.place.headings]
    named = [found[0] if (found := name_at(text)) else None for text in texts]
    if task.place.phase and task.place.phase.casefold() in (name.number, wanted.casefold()):
        said = {one.word for one in named if one and one.number == name.number and one.word}
        return not (name.word and said) or name.word in said
    begun = [lead.groups("") for text in texts if (lead := _LEADING.match(text))]
    if wanted.casefold() in (part.casefold() for part in chain(texts, *begun)):
        return True
    if name.word:
        return name in named
    return any(number(text).casefold() == name.number for text in texts)
