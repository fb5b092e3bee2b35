"""Which tasks a task waits for: what a roadmap states, resolved to keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from runner.roadmap.fields import Field, Name, halfwidth, name_at, number_after
from runner.roadmap.named_work import NO_WORK, TaskNames, Work
from runner.roadmap.source import plain_dashes, without_marks
from runner.roadmap.task import Task, Warning
from runner.roadmap.words import WORDS, any_of, longest
from runner.text.patterns import lazy_pattern

Known = Callable[[Name], str | None]
"""The title of what has a name, '' without one; None if nothing has it."""

MOST_IN_RANGE = 200


@dataclass(frozen=True, slots=True)
class Named:
    """A dependency as written, and the names in it (several in a range)."""

    text: str
    names: tuple[Name, ...]


@dataclass
class DependencyReading:
    """``named`` is what was understood, ``rest`` what was not."""

    named: list[Named] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)


_CODE = lazy_pattern(r"(`{1,3})[^`]+\1")
_LINK = lazy_pattern(r"\[([^\[\]]{1,200})\]\([^()]{0,300}\)")
_STRUCK = lazy_pattern(r"~~[^~]*~~")
_EMPHASIS = lazy_pattern(r"\*+|(?<!\w)_+|_+(?!\w)")
_REMARK = lazy_pattern(r"\([^()]*\)|\[[^\[\]]*\]")
_HELD = lazy_pattern("\0(\\d+)\0")
_CLAUSE = lazy_pattern(r"\s*(?:;|\n|\.(?=\s|\Z))\s*")
_PART = lazy_pattern(
    rf"\s*[,&+]\s*|\s+(?:{longest(WORDS['together'])})(?=\s)\s*|{longest(WORDS['together_cjk'])}",
    re.IGNORECASE,
)
_EITHER = lazy_pattern(
    rf"(?:\A|\s){any_of('either')}(?:\s|\Z)"
    r"|\so\s+(?:\S+\s+)?\S*\d",
    re.IGNORECASE,
)
"""The "o" of Spanish and Italian is an article in Portuguese: only between names it means "or"."""
_BEFORE = lazy_pattern(rf"(?:{any_of('before')}\s*)+", re.IGNORECASE)
_AFTER = lazy_pattern(rf"\s*(?:{any_of('after')})", re.IGNORECASE)
_UNTIL = lazy_pattern(rf"\s*(?:[-~]|{any_of('until')})\s*", re.IGNORECASE)
_TITLE = lazy_pattern(r"\s*(?::|\s-|-\s)\s*(?P<title>.*)", re.DOTALL)
_NONE = lazy_pattern(rf"{any_of('none')}(?:\s*[^\w\s]|\s|\Z)", re.IGNORECASE)
_BESIDE = lazy_pattern(longest(WORDS["beside"]), re.IGNORECASE)
_SOFT = lazy_pattern(longest(WORDS["soft"]), re.IGNORECASE)
_IGNORED = lazy_pattern(
    r"[\^~<>=≥≤]*\s*v\d[\w.+-]*|[\^~<>=≥≤]+\s*\d[\w.]*\+?|\d+\.\d[\w.]*\+|\w+://\S+"
    r"|[\w@./-]*\w\.[A-Za-z][A-Za-z0-9]{0,4}|[\w.@-]+/[\w./-]+",
    re.IGNORECASE,
)
_DIGITS = lazy_pattern(r"(?P<head>.*?)(?P<last>\d+)\Z", re.DOTALL)


def read(value: str, known: Known) -> DependencyReading:
    """Read one value; only names that something has count, never a guess."""
    reader = _Reader(known)
    text = reader.cleaned(value)
    if not _is_none(text):
        for clause in _CLAUSE.split(text):
            reader.clause(clause)
    return reader.read


def _is_none(text: str) -> bool:
    """Say whether a value says that there is no dependency: "None", not "None except Phase 2"."""
    if _NONE.match(text) is None:
        return not text.strip(" -.,;:")
    return not any(word in text.casefold() for word in WORDS["except"])


class _Reader:
    """Goes through the parts of a value; ``word`` is that of the last name ("Phases 1, 2").

    Code and remarks are ``held``, and their numbers are in the text instead of them.
    """

    def __init__(self, known: Known) -> None:
        self.known = known
        self.held: list[str] = []
        self.read = DependencyReading()
        self.word = ""

    def cleaned(self, value: str) -> str:
        """Return the value without marks, code and remarks."""

        def hold(found: re.Match[str]) -> str:
            self.held.append(found[0])
            return f"\0{len(self.held) - 1}\0"

        text = _CODE.sub(hold, plain_dashes(halfwidth(value)).replace("\0", " "))
        text = _STRUCK.sub(" ", _LINK.sub(r"\1", text))
        text = without_marks(_EMPHASIS.sub("", text)).strip()
        text = text[1:-1] if _REMARK.fullmatch(text) else text
        for _ in range(3):
            text = _REMARK.sub(hold, text)
        return text

    def clause(self, text: str) -> None:
        """Read names that are together; "A or B" needs neither."""
        if _EITHER.search(text):
            self._leave(text)
            return
        beside = titled = False
        for part in _PART.split(text):
            starts = _BEFORE.match(part)
            beside = (beside and not starts) or _BESIDE.search(part) is not None
            part = part.strip(" .:'\"")
            if not part or beside:
                continue
            named = self._part(part[starts.end() :] if starts else part)
            code = not _HELD.sub("", part).strip() and "`" in self._whole(part)
            if named is not None:
                self.read.named.append(Named(self._whole(part), named[0]))
                titled = named[1]
            elif not (titled or code or _IGNORED.fullmatch(part)):
                self._leave(part)

    def _part(self, text: str) -> tuple[tuple[Name, ...], bool] | None:
        """(names, whether a title follows), if all of a part is understood."""
        found = None if _IGNORED.fullmatch(text) else name_at(text)
        names, end = self._range(found[0], text, found[1]) if found else ((), 0)
        titled = self._tail(text[end:], names[0]) if names else None
        if titled is None:
            return None
        self.word = names[0].word or self.word
        return names, titled

    def _range(self, first: Name, text: str, end: int) -> tuple[tuple[Name, ...], int]:
        """The names from ``first`` on: itself, or all known ones up to the end of its range.

        Ranges are "Phases 1-3", "Phase 1 to Phase 3", "T001-T004".
        """
        if until := _UNTIL.match(text, end):
            last = name_at(text, until.end())
            if last is None or (first.word and not last[0].word):
                number = number_after(text, until.end()) if first.word else None
                last = (Name(first.word, number[0]), number[1]) if number else None
            if last:
                return self._between(first, last[0]), last[1]
        name = self._found(first)
        if "-" in first.number and name is None:
            one, _, other = first.number.rpartition("-")
            return self._between(Name(first.word, one), Name(first.word, other)), end
        return ((name,) if name else ()), end

    def _between(self, first: Name, last: Name) -> tuple[Name, ...]:
        start, stop = _DIGITS.match(first.number), _DIGITS.match(last.number)
        if not start or not stop or start["head"] != stop["head"] or first.word != last.word:
            return ()
        low, high = int(start["last"]), int(stop["last"])
        if not low <= high <= low + MOST_IN_RANGE:
            return ()
        width = len(start["last"])
        every = [Name(first.word, f"{start['head']}{n:0{width}}") for n in range(low, high + 1)]
        found = [self._found(name) for name in every]
        return tuple(filter(None, found)) if found[0] and found[-1] else ()

    def _found(self, name: Name) -> Name | None:
        """A name that something has: a number alone after "Phases 1," is that of a phase."""
        sticky = Name(self.word, name.number)
        names = (sticky, name) if self.word and not name.word else (name,)
        return next((each for each in names if self.known(each) is not None), None)

    def _tail(self, text: str, name: Name) -> bool | None:
        """Whether a title follows a name; None when something follows that is not understood."""
        title = plain_dashes(self.known(name) or "")
        text = text.strip(" '\"")
        if title and text.casefold().startswith(title):
            text = text[len(title) :]
        while text:
            if remark := _HELD.match(text.lstrip()):
                text, said = text.lstrip()[remark.end() :], self._whole(remark[0])
                if _SOFT.search(said) and not _BESIDE.search(said):
                    return None
            elif (after := _AFTER.match(text)) and after.end():
                text = text[after.end() :]
            elif said_title := _TITLE.match(text):
                return None if _SOFT.match(said_title["title"]) else True
            else:
                return None if text.strip(" .:'\"") else False
        return False

    def _leave(self, text: str) -> None:
        if whole := self._whole(text).strip(" .,;:"):
            self.read.rest.append(whole)

    def _whole(self, text: str) -> str:
        """A text with what was held back in its place."""
        for _ in range(4):
            text = _HELD.sub(lambda found: self.held[int(found[1])], text)
        return text


UNRESOLVED = "unresolved-dependency"
CYCLE = "dependency-cycle"
TOO_MANY = "too-many-dependencies"
MOST_KEYS = 300_000
"""Keys kept in all lists of dependencies of a file; tasks that state the same share one list."""
MOST_TARGETS = 200
"""Dependencies that one place may state; the most seen is 9."""


@dataclass(frozen=True)
class DependencyTarget:
    """One dependency: as it is written, and the work it means."""

    text: str
    work: Work


@dataclass(frozen=True)
class Stated:
    """What one place says: ``targets`` to wait for, and a ``rest`` nobody can resolve.

    ``work`` is that of all targets together.
    """

    targets: tuple[DependencyTarget, ...] = ()
    rest: tuple[str, ...] = ()
    work: Work = NO_WORK


@dataclass(frozen=True, slots=True)
class Mention:
    """Where something is stated: its line, and what it is called in a message."""

    line: int
    called: str


class Resolver:
    """Resolves what is stated, once for each wording and each list of targets."""

    def __init__(self, task_names: TaskNames) -> None:
        self.warnings: list[Warning] = []
        self._names = task_names
        self._keys = 0
        self._unions: dict[tuple[int, ...], tuple[Work, tuple[Work, ...]]] = {}
        self._reported: set[tuple[int, int]] = set()
        self._targets = cache(self._read)

    def stated(self, fields: Iterable[Field], place: Mention) -> Stated | None:
        """Return what the fields of a place say; None when they say nothing of dependencies."""
        targets: list[DependencyTarget] = []
        rest: list[str] = []
        counted = False
        for each in fields:
            read = [self._targets(value) for value in each.values]
            known = [target for found, _ in read for target in found]
            unknown = [left for _, texts in read for left in texts]
            if each.weak and (unknown or not known):
                continue
            counted = True
            targets += known
            rest += (text for text, _ in unknown)
            for text, why in unknown[:MOST_TARGETS]:
                message = (
                    f"{place.called} depends on {_short(text)}, which names {why} phase, section "
                    "or task of this file, so nothing waits for it. Write a unique number or id, "
                    "or None."
                )
                self.warnings.append(Warning(place.line + each.line, 1, UNRESOLVED, message))
        if not counted:
            return None
        rest += [target.text for target in targets[MOST_TARGETS:]]
        kept, texts = tuple(targets[:MOST_TARGETS]), tuple(dict.fromkeys(rest))
        return Stated(kept, texts[:MOST_TARGETS], self._union([t.work for t in kept]))

    def waiting(self, task: Task, stated: Stated, place: Mention) -> Task:
        """Return the task with what it waits for: one list for all that wait for the same.

        What a task is part of cannot be done before it; that is reported once per place.
        """
        if task.key not in stated.work.members:
            return replace(task, depends_on=stated.work.keys, depends_text=stated.rest)
        inside = [t for t in stated.targets if task.key in t.work.members]
        outside = [t.work for t in stated.targets if task.key not in t.work.members]
        for target in inside:
            where = (place.line, id(target.work))
            if where not in self._reported:
                self._reported.add(where)
                message = (
                    f"{task.name} → {_short(target.text)} → {task.name}: {place.called} depends on "
                    "what it is part of, so it does not wait for that. Name what comes before it."
                )
                self.warnings.append(Warning(place.line, 1, CYCLE, message))
        texts = (*stated.rest, *(target.text for target in inside))
        return replace(task, depends_on=self._union(outside).keys, depends_text=texts)

    def _read(self, value: str) -> tuple[list[DependencyTarget], list[tuple[str, str]]]:
        """The targets of one value; and what is none of them, with how much it names."""
        found = read(value, self._names.title)
        targets: list[DependencyTarget] = []
        left: list[tuple[str, str]] = []
        for named in found.named:
            parts = [self._names.work(name) for name in named.names]
            works = [part for part in parts if part is not None]
            if len(works) < len(parts) or not works:
                left.append((named.text, "more than one"))
            else:
                targets.append(DependencyTarget(named.text, self._union(works)))
        return targets, left + [(text, "no") for text in found.rest]

    def _union(self, works: Sequence[Work]) -> Work:
        """All of several works; beyond the limit only the largest, with a warning."""
        largest = max(works, key=lambda work: len(work.keys), default=NO_WORK)
        if all(work is largest or work.members <= largest.members for work in works):
            return largest
        which = tuple(id(work) for work in works)
        if which not in self._unions and self._keys > MOST_KEYS:
            if not any(warning.code == TOO_MANY for warning in self.warnings[:1]):
                message = (
                    f"there are more than {MOST_KEYS:,} dependencies; of some tasks only the "
                    "largest one is kept. Write them once for a whole section."
                )
                self.warnings.insert(0, Warning(1, 1, TOO_MANY, message))
            return largest
        if which not in self._unions:
            keys = tuple(dict.fromkeys(key for work in works for key in work.keys))
            self._keys += len(keys)
            # the works are kept as well, so that no other gets the id of one
            self._unions[which] = (Work(keys, frozenset(keys)), tuple(works))
        return self._unions[which][0]


def _short(text: str) -> str:
    text = " ".join(text.split())
    return f'"{text if len(text) <= 80 else text[:79] + "…"}"'
