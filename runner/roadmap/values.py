"""Read what a dependency names: known phases, sections and ids, and a rest that stays text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from runner.roadmap import field_words as words
from runner.roadmap.fields import halfwidth
from runner.roadmap.marks import plain_dashes, without_marks
from runner.roadmap.names import Name, name_at, number_after

Known = Callable[[Name], str | None]
"""The title of what bears a name, '' without one; None when nothing bears it."""

MOST_IN_RANGE = 200


@dataclass(frozen=True, slots=True)
class Named:
    """A dependency as written, and the names in it (several in a range)."""

    text: str
    names: tuple[Name, ...]


@dataclass(frozen=True)
class Reading:
    """``named`` is what was understood, ``rest`` what was not."""

    named: tuple[Named, ...] = ()
    rest: tuple[str, ...] = ()


_CODE = re.compile(r"(`{1,3})[^`]+\1")
_LINK = re.compile(r"\[([^\[\]]{1,200})\]\([^()]{0,300}\)")
_STRUCK = re.compile(r"~~[^~]*~~")
_EMPHASIS = re.compile(r"\*+|(?<!\w)_+|_+(?!\w)")
_REMARK = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_HELD = re.compile("\0(\\d+)\0")
_CLAUSE = re.compile(r"\s*(?:;|\n|\.(?=\s|\Z))\s*")
_PART = re.compile(
    rf"\s*[,&+]\s*|\s+(?:{'|'.join(words.TOGETHER)})(?=\s)\s*|{'|'.join(words.TOGETHER_CJK)}",
    re.IGNORECASE,
)
_EITHER = re.compile(rf"(?:\A|\s){words.any_of(words.EITHER)}(?:\s|\Z)", re.IGNORECASE)
_BEFORE = re.compile(rf"(?:{words.any_of(words.BEFORE)}\s*)+", re.IGNORECASE)
_AFTER = re.compile(rf"\s*(?:{words.any_of(words.AFTER)})", re.IGNORECASE)
_UNTIL = re.compile(rf"\s*(?:[-~]|{words.any_of(words.UNTIL)})\s*", re.IGNORECASE)
_TITLE = re.compile(r"\s*(?::|\s-|-\s)\s*(?P<title>.*)", re.DOTALL)
_NONE = re.compile(rf"{words.any_of(words.NONE)}(?P<end>\s*[^\w\s]|\s|\Z)", re.IGNORECASE)
_BESIDE = re.compile("|".join(map(re.escape, words.BESIDE)), re.IGNORECASE)
_SOFT = re.compile("|".join(map(re.escape, words.SOFT)), re.IGNORECASE)
_IGNORED = re.compile(
    r"[\^~<>=≥≤]*\s*v\d[\w.+-]*|[\^~<>=≥≤]+\s*\d[\w.]*\+?|\d+\.\d[\w.]*\+|\w+://\S+"
    r"|[\w@./-]*\w\.[A-Za-z][A-Za-z0-9]{0,4}|[\w.@-]+/[\w./-]+",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"(?P<head>.*?)(?P<last>\d+)\Z", re.DOTALL)


def read(value: str, known: Known) -> Reading:
    """Read one value; only names that something bears are taken, never a guess."""
    held: list[str] = []
    text = _cleaned(value, held)
    if _is_none(text, known):
        return Reading()
    reader = _Reader(known, held)
    for clause in _CLAUSE.split(text):
        reader.clause(clause)
    return Reading(tuple(reader.named), tuple(reader.rest))


def _cleaned(value: str, held: list[str]) -> str:
    """The value without marks; code and remarks are ``held`` and stand as their numbers."""

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
        """Read names that stand together; "A or B" needs neither."""
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
        """The name something bears: a number alone after "Phases 1," is that of a phase."""
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
