"""Which tasks a task waits for: what a roadmap states, resolved to keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from runner.roadmap import words
from runner.roadmap.fields import Field, Name, halfwidth, name_at, number_after
from runner.roadmap.named_work import NO_WORK, TaskNames, Work
from runner.roadmap.source import plain_dashes, without_marks
from runner.roadmap.task import Task, Warning
from runner.text.patterns import lazy_pattern

Known = Callable[[Name], str | None]
"""The title of what has a name, '' without one; None if nothing has it."""

MOST_IN_RANGE = 200


@dataclass(frozen=True, slots=True)
class Named:
    """A dependency as written, and the names in it (several in a range)."""

    text: str
    names: tuple[Name, ...]


@dataclass(frozen=True)
class DependencyReading:
    """``named`` is what was understood, ``rest`` what was not."""

    named: tuple[Named, ...] = ()
    rest: tuple[str, ...] = ()


_CODE = lazy_pattern(r"(`{1,3})[^`]+\1")
_LINK = lazy_pattern(r"\[([^\[\]]{1,200})\]\([^()]{0,300}\)")
_STRUCK = lazy_pattern(r"~~[^~]*~~")
_EMPHASIS = lazy_pattern(r"\*+|(?<!\w)_+|_+(?!\w)")
_REMARK = lazy_pattern(r"\([^()]*\)|\[[^\[\]]*\]")
_HELD = lazy_pattern("\0(\\d+)\0")
_CLAUSE = lazy_pattern(r"\s*(?:;|\n|\.(?=\s|\Z))\s*")
_PART = lazy_pattern(
    rf"\s*[,&+]\s*|\s+(?:{'|'.join(words.TOGETHER)})(?=\s)\s*|{'|'.join(words.TOGETHER_CJK)}",
    re.IGNORECASE,
)
_EITHER = lazy_pattern(
    rf"(?:\A|\s){words.any_of(word for word in words.EITHER if word != 'o')}(?:\s|\Z)"
    r"|\so\s+(?:\S+\s+)?\S*\d",
    re.IGNORECASE,
)
"""The "o" of Spanish and Italian is an article in Portuguese: only between names it means "or"."""
_BEFORE = lazy_pattern(rf"(?:{words.any_of(words.BEFORE)}\s*)+", re.IGNORECASE)
_AFTER = lazy_pattern(rf"\s*(?:{words.any_of(words.AFTER)})", re.IGNORECASE)
_UNTIL = lazy_pattern(rf"\s*(?:[-~]|{words.any_of(words.UNTIL)})\s*", re.IGNORECASE)
_TITLE = lazy_pattern(r"\s*(?::|\s-|-\s)\s*(?P<title>.*)", re.DOTALL)
_NONE = lazy_pattern(rf"{words.any_of(words.NONE)}(?P<end>\s*[^\w\s]|\s|\Z)", re.IGNORECASE)
_BESIDE = lazy_pattern("|".join(map(re.escape, words.BESIDE)), re.IGNORECASE)
_SOFT = lazy_pattern("|".join(map(re.escape, words.SOFT)), re.IGNORECASE)
_IGNORED = lazy_pattern(
    r"[\^~<>=≥≤]*\s*v\d[\w.+-]*|[\^~<>=≥≤]+\s*\d[\w.]*\+?|\d+\.\d[\w.]*\+|\w+://\S+"
    r"|[\w@./-]*\w\.[A-Za-z][A-Za-z0-9]{0,4}|[\w.@-]+/[\w./-]+",
    re.IGNORECASE,
)
_DIGITS = lazy_pattern(r"(?P<head>.*?)(?P<last>\d+)\Z", re.DOTALL)


def read(value: str, known: Known) -> DependencyReading:
    """Read one value; only names that something has count, never a guess."""
    held: list[str] = []
    text = _cleaned(value, held)
    if _is_none(text, known):
        return DependencyReading()
    reader = _Reader(known, held)
    for clause in _CLAUSE.split(text):
        reader.clause(clause)
    return DependencyReading(tuple(reader.named), tuple(reader.rest))


def _cleaned(value: str, held: list[str]) -> str:
    """The value without marks; code and remarks are ``held`` and replaced by their numbers."""

    def hold(found: re.Match[str]) -> str:
        held.append(found[0])
        return f"\0{len(held) - 1}\0"

    text = _CODE.sub(hold, plain_dashes(halfwidth(value)).replace("\0", " "))
    text = _STRUCK.sub(" ", _LINK.sub(r"\1", text))
    text = without_marks(_EMPHASIS.sub("", text)).strip()
    if _REMARK.fullmatch(text):
        text = text[1:-1]
    for _ in range(3):
        text = _REMARK.sub(hold, text)
    return text


def _is_none(text: str, known: Known) -> bool:
    found = _NONE.match(text)
    if found is None:
        return not text.strip(" -.,;:")
    if any(word in text.casefold() for word in words.EXCEPT):
        return False
    return not found["end"].isspace() or not _names_any(text[found.end() :], known)


def _names_any(text: str, known: Known) -> bool:
    """Say whether anything in the rest of a "none" is a name after all."""
    places = re.finditer(r"(?<!\w)\w", text[:200])
    found = (name_at(text, place.start()) for place in places)
    return any(name and known(name[0]) is not None for name in found)


@dataclass
class _Reader:
    """Goes through the parts of a value; ``word`` is that of the last name ("Phases 1, 2")."""

    known: Known
    held: list[str]
    named: list[Named] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)
    word: str = ""

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
            if named is not None:
                self.named.append(Named(self._whole(part), named[0]))
                titled = named[1]
            elif not titled and not self._is_ignored(part):
                self._leave(part)

    def _part(self, text: str) -> tuple[tuple[Name, ...], bool] | None:
        """(names, whether a title follows), if all of a part is understood."""
        if _IGNORED.fullmatch(text):
            return None
        found = name_at(text)
        if found is None:
            return None
        name, end = found
        names, end = self._range(name, text, end)
        if not names:
            return None
        titled = self._tail(text[end:], names[0])
        if titled is None:
            return None
        self.word = names[0].word or self.word
        return names, titled

    def _range(self, first: Name, text: str, end: int) -> tuple[tuple[Name, ...], int]:
        """The names from ``first`` on: itself, or all known ones up to the end of its range."""
        until = _UNTIL.match(text, end)
        if until and (last := _last(first, text, until.end())):
            return self._between(first, last[0]), last[1]
        if "-" in first.number and self._found(first) is None:
            one, _, other = first.number.rpartition("-")
            return self._between(Name(first.word, one), Name(first.word, other)), end
        name = self._found(first)
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
        for each in (sticky, name) if self.word and not name.word else (name,):
            if self.known(each) is not None:
                return each
        return None

    def _tail(self, text: str, name: Name) -> bool | None:
        """Whether a title follows a name; None when something follows that is not understood."""
        title = self.known(name) or ""
        text = text.strip(" '\"")
        if title and text.casefold().startswith(title):
            text = text[len(title) :]
        while text:
            if remark := _HELD.match(text.lstrip()):
                text, remark_text = text.lstrip()[remark.end() :], self._whole(remark[0])
                if _SOFT.search(remark_text) and not _BESIDE.search(remark_text):
                    return None
            elif (after := _AFTER.match(text)) and after.end():
                text = text[after.end() :]
            elif said_title := _TITLE.match(text):
                return None if _SOFT.match(said_title["title"]) else True
            else:
                return None if text.strip(" .:'\"") else False
        return False

    def _is_ignored(self, part: str) -> bool:
        """Versions, files and code name no dependency."""
        return bool(_IGNORED.fullmatch(part)) or (
            not _HELD.sub("", part).strip() and "`" in self._whole(part)
        )

    def _leave(self, text: str) -> None:
        if whole := self._whole(text).strip(" .,;:"):
            self.rest.append(whole)

    def _whole(self, text: str) -> str:
        """A text with what was held back in its place."""
        for _ in range(4):
            text = _HELD.sub(lambda found: self.held[int(found[1])], text)
        return text


def _last(first: Name, text: str, at: int) -> tuple[Name, int] | None:
    """The end of a range: "Phases 1-3", "Phase 1 to Phase 3", "T001-T004"."""
    named = name_at(text, at)
    if named and (named[0].word or not first.word):
        return named
    number = number_after(text, at)
    return (Name(first.word, number[0]), number[1]) if number and first.word else None


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


def with_rest(stated: Stated | None, rest: tuple[str, ...]) -> Stated | None:
    """Add texts to what is stated."""
    if not rest:
        return stated
    return replace(stated, rest=(*rest, *stated.rest)) if stated else Stated(rest=rest)


@dataclass(frozen=True, slots=True)
class Mention:
    """Where something is stated: its line, and what it is called in a message."""

    line: int
    called: str


@dataclass
class Resolver:
    """Resolves what is stated, once for each wording and each list of targets."""

    task_names: TaskNames
    warnings: list[Warning] = field(default_factory=list)
    keys: int = 0
    _readings: dict[str, DependencyReading] = field(default_factory=dict)
    _works: dict[tuple[Name, ...], Work | None] = field(default_factory=dict)
    _unions: dict[tuple[int, ...], tuple[Work, tuple[Work, ...]]] = field(default_factory=dict)
    _ambiguous: set[str] = field(default_factory=set)
    _reported: set[tuple[int, int]] = field(default_factory=set)

    def stated(self, fields: Iterable[Field], place: Mention) -> Stated | None:
        """Return what the fields of a place say; None when they say nothing of dependencies."""
        targets: list[DependencyTarget] = []
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
                self._unresolved(text, Mention(place.line + each.line, place.called))
        if not counted:
            return None
        rest += [target.text for target in targets[MOST_TARGETS:]]
        kept, texts = tuple(targets[:MOST_TARGETS]), tuple(dict.fromkeys(rest))
        return Stated(kept, texts[:MOST_TARGETS], self._union([t.work for t in kept]))

    def waiting(self, task: Task, stated: Stated, place: Mention) -> Task:
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
        targets: list[DependencyTarget] = []
        rest: list[str] = []
        for value in each.values:
            if name := self.task_names.titled(value):
                reading = DependencyReading((Named(value, (name,)),))
            else:
                reading = self._read(value)
            for named in reading.named:
                work = self._work(named.names)
                if work:
                    targets.append(DependencyTarget(named.text, work))
                else:
                    self._ambiguous.add(named.text)
                    rest.append(named.text)
            rest += reading.rest
        if each.weak and (rest or not targets):
            return None
        return Stated(tuple(targets), tuple(rest))

    def _read(self, value: str) -> DependencyReading:
        if value not in self._readings:
            self._readings[value] = read(value, self.task_names.title)
        return self._readings[value]

    def _work(self, names: tuple[Name, ...]) -> Work | None:
        """The work of all names of a range; None when a name could be more than one thing."""
        if names not in self._works:
            parts = [self.task_names.work(name) for name in names]
            known = [part for part in parts if part is not None]
            self._works[names] = self._union(known) if len(known) == len(names) else None
        return self._works[names]

    def _union(self, works: Sequence[Work]) -> Work:
        """All of several works; beyond the limit only the largest, with a warning."""
        largest = max(works, key=lambda work: len(work.keys), default=NO_WORK)
        if all(work is largest or work.members <= largest.members for work in works):
            return largest
        which = tuple(id(work) for work in works)
        if which not in self._unions:
            if self.keys > MOST_KEYS:
                self._report_too_many()
                return largest
            keys = tuple(dict.fromkeys(key for work in works for key in work.keys))
            self.keys += len(keys)
            # the works are kept as well, so that no other gets the id of one
            self._unions[which] = (Work(keys, frozenset(keys)), tuple(works))
        return self._unions[which][0]

    def _report_too_many(self) -> None:
        if not any(warning.code == TOO_MANY for warning in self.warnings[:1]):
            message = (
                f"there are more than {MOST_KEYS:,} dependencies; of some tasks only the largest "
                "one is kept. Write them once for a whole section."
            )
            self.warnings.insert(0, Warning(1, 1, TOO_MANY, message))

    def _unresolved(self, text: str, place: Mention) -> None:
        why = "more than one" if text in self._ambiguous else "no"
        message = (
            f"{place.called} depends on {_short(text)}, which names {why} phase, section or task "
            "of this file, so nothing waits for it. Write a unique number or id, or None."
        )
        self.warnings.append(Warning(place.line, 1, UNRESOLVED, message))

    def _in_itself(self, task: Task, target: DependencyTarget, place: Mention) -> None:
        """What a task is part of cannot be done before it; reported once per place."""
        where = (place.line, id(target.work))
        if where not in self._reported:
            self._reported.add(where)
            message = (
                f"{task.name} → {_short(target.text)} → {task.name}: {place.called} depends on "
                "what it is part of, so it does not wait for that. Name what comes before it."
            )
            self.warnings.append(Warning(place.line, 1, CYCLE, message))


def _with(task: Task, work: Work, texts: tuple[str, ...]) -> Task:
    return replace(task, depends_on=work.keys, depends_text=texts)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return f'"{text if len(text) <= 80 else text[:79] + "…"}"'
