"""Find names ("Phase 2", "第二阶段", "1.2", "TEST-01") and fields (``**Key:** v``) in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from runner.roadmap.headings import arabic
from runner.roadmap.source import without_marks
from runner.roadmap.words import WORDS, any_of, longest
from runner.text.patterns import lazy_pattern


class Name(NamedTuple):
    """A word with its number ("phase", "2"), or a number or id alone ("", "1.2")."""

    word: str
    number: str

    def __str__(self) -> str:
        return f"{self.word} {self.number}".strip()


_ENDINGS = ("s", "es", "n", "en", "r", "e")
_CYRILLIC = ("", "а", "ы", "и", "у", "е", "ов", "ам", "ой", "ей", "я")  # noqa: RUF001


def _forms(word: str) -> set[str]:
    """A word in the plural and in its grammatical cases."""
    if "\u0430" <= word[-1] <= "\u044f":
        stem = word[:-1] if word[-1] in "\u0430\u044f" else word
        return {word, *(stem + ending for ending in _CYRILLIC)}
    plural = {word[:-1] + "ies"} if word.endswith("y") else set()
    return {word, *(word + ending for ending in _ENDINGS), *plural}


_NAMES = sorted(WORDS["tasks"] | WORDS["phases"])
_WORDS = {form: word for word in _NAMES for form in _forms(word)}
_WORDS |= {word: word for word in (*_NAMES, *WORDS["counted"])}
_LETTERS = lazy_pattern(r"[^\W\d_]+(?:\s+[^\W\d_]+)?")
_CJK_WORD = lazy_pattern(longest(word for word in _WORDS if word[0] >= "\u1100"))
_DIGIT = "0-9一二三四五六七八九十"
_COUNTED = lazy_pattern(
    rf"第\s*([{_DIGIT}]{{1,4}})\s*({longest(WORDS['counted'] | WORDS['phases'])})"
    rf"|([{_DIGIT}]{{1,4}})\s*({longest(WORDS['counted'])})",
    re.IGNORECASE,
)
_NO_LETTER = r"(?![A-Za-z0-9_%\u00c0-\u10ff]|\.\d)"
_NUMBER = lazy_pattern(
    rf"[\s#:-]{{0,3}}(\d{{1,4}}(?:\.\d{{1,4}})*[a-z]?{_NO_LETTER}|[A-Z]{{1,2}}\d{{1,3}}{_NO_LETTER}"
    rf"|[IVX]{{1,5}}\b|[A-Z]\b|[一二三四五六七八九十]{{1,3}})"
)
_BARE = lazy_pattern(rf"#?\d{{1,9}}(?:\.\d{{1,4}})*(?:-\d{{1,4}})?[a-h]?{_NO_LETTER}")
_CODE_SPAN = lazy_pattern(
    r"[^\W\d_]{1,8}\d{1,6}(?:[.-]\d{1,6})*[a-z]?(?![\w])"
    r"|[^\W\d_][^\W_]{0,9}(?:-[^\W_]{1,10}){0,3}-[^\W\d_]{0,8}\d{1,8}(?:\.\d{1,4})*[a-z]?(?!\w)"
)


def name_at(text: str, at: int = 0) -> tuple[Name, int] | None:
    """Return the name that begins at a place of a text, and where it ends."""
    if counted := _COUNTED.match(text, at):
        number, word = (counted[1] or counted[3]), (counted[2] or counted[4])
        return Name(word.casefold(), plain_number(number)), counted.end()
    spellings: list[str] = []
    if cjk := _CJK_WORD.match(text, at):
        spellings = [cjk[0]]
    elif letters := _LETTERS.match(text, at):
        spellings = [letters[0], letters[0].split()[0]]
    for spelling in spellings:
        known = _WORDS.get(" ".join(spelling.casefold().split()))
        if known and (numbered := number_after(text, at + len(spelling))):
            return Name(known, numbered[0]), numbered[1]
    if found := _CODE_SPAN.match(text, at) or _BARE.match(text, at):
        return Name("", found[0].casefold()), found.end()
    return None


@lru_cache(maxsize=4096)
def name_of(text: str) -> Name | None:
    """Return the name that is a whole text ("Task 3"), or a written id unchanged."""
    text = text.strip()
    found = name_at(text)
    if found and found[1] == len(text):
        return found[0]
    return Name("", text.casefold()) if text else None


def number_after(text: str, at: int) -> tuple[str, int] | None:
    """Return a number that follows a word ("2", "II", "B", "二"), and where it ends."""
    found = _NUMBER.match(text, at)
    return (plain_number(found[1]), found.end()) if found else None


def plain_number(written: str) -> str:
    """A number in digits, without zeros before it."""
    written = arabic(written)
    return ((written.lstrip("0") or "0") if written[0] == "0" else written).casefold()


Key = Literal["depends", "priority", "effort"]

LONGEST = 1_000
"""Characters of a line that are read; the longest value seen has 210."""
_KEYS: dict[str, Key] = {
    **dict.fromkeys(WORDS["effort"], "effort"),
    **dict.fromkeys(WORDS["priority"], "priority"),
    **dict.fromkeys(WORDS["depends"], "depends"),
}
_BOLD = lazy_pattern(r"(?P<mark>\*\*|__)(?P<key>[^*_:\n]{1,60}?)\s*(?::\s*(?P=mark)|(?P=mark)\s*:)")
_PLAIN = lazy_pattern(r"(?P<key>[^*_:()`\n]{1,60}):(?!//)\s*(?P<value>.*)", re.DOTALL)
_SAID = lazy_pattern(rf"{any_of('said')}\s*(?P<value>.+)", re.IGNORECASE | re.DOTALL)
_BRACKETS = lazy_pattern(r"[(\[](?P<inner>[^()\[\]\n]{2,300})[)\]](?!\()")
_INNER = lazy_pattern(
    rf"\s*(?P<key>{any_of('effort', 'priority', 'depends')})"
    r"\s*(?P<colon>[:=]?)\s*(?P<value>.*)",
    re.IGNORECASE,
)
_SAID_AFTER = lazy_pattern(
    r"\s*(?P<value>.{1,80}?)\s*(?:に依存(?:する)?|が前提|を前提とする|에 의존)\s*\Z"
)
_LEAD = lazy_pattern(r"(?P<lead>[ >]*)(?P<bullet>(?:[-*+•]|\d{1,9}[.)]) +)?")
_BOX = lazy_pattern(r"\[[ xX]\]\s")
_FENCE = lazy_pattern(r"[ >]*(?:[-*+] +)?(`{3,}|~{3,})")
_ABOUT = lazy_pattern(r"\s*(?:\([^()]*\)\s*)?")
_BETWEEN = lazy_pattern(r"\s[|·•]\s")
_CODE = lazy_pattern(r"(`{1,3})[^`\n]+\1")
_REMARK = lazy_pattern(r"\s*\([^()]*\)\Z")
_HALF = str.maketrans(
    "\uff1a\uff08\uff09\u3010\u3011\uff0c\u3001\uff1b\u3002\uff5e\uff0d", ":()[],,;;~-"
)


@dataclass(frozen=True, slots=True)
class Field:
    """A key and what it says: one value, or those of the list that follows.

    ``line`` counts from the first one of its text. ``weak`` ones are words that may as well head
    something else; they count only where every value is understood. ``of`` is what the field says
    it is about ("Phase 2 depends on ..."), None for the place where it is.
    """

    key: Key
    values: tuple[str, ...]
    line: int = 0
    weak: bool = False
    of: Name | None = None


def fields(text: str, *, first: int = 0) -> list[Field]:
    """Return the fields that have their own lines; not those of nested tasks or code.

    ``first`` is the number of the first line. A field without a value opens a list.
    """
    found: list[Field] = []
    opened: Field | None = None
    for number, bullet, line in _lines(text, first):
        here = _on_line(line, number)
        if opened and bullet and not here:
            opened = replace(opened, values=(*opened.values, line))
            continue
        if opened and (line or opened.values):
            found += [opened] if opened.values else []
            opened = None
        found += (field for field in here if field.values)
        opened = next((field for field in here if not field.values), opened)
    return [*found, opened] if opened and opened.values else found


def own_fields(text: str) -> list[Field]:
    """Return the fields in a task's own text, which begins with its title."""
    first, _, rest = halfwidth(text).partition("\n")
    found = [field for field in inline(text) if field.values]
    if at := next((bold.start() for bold in _BOLD.finditer(first) if bold.start()), 0):
        found += [field for field in _on_line(first[at:], 0) if field.values]
    elif between := _BETWEEN.search(first):
        after = _on_line(first[between.end() :], 0)
        found += [field for field in after if field.values and not field.weak]
    return found + fields(rest, first=1) if rest else found


def inline(text: str) -> list[Field]:
    """Return the fields in brackets within a text: ``(depends on 1.1)``, ``(priority: high)``."""
    found: list[Field] = []
    if "(" not in text and "[" not in text and text.isascii():
        return found
    for bracket in _BRACKETS.finditer(_CODE.sub(" ", halfwidth(text[:LONGEST]))):
        if match := _INNER.match(bracket["inner"]):
            word, value = match["key"].casefold(), match["value"].strip()
            weak = word in WORDS["weak"] and not match["colon"]
            found += [Field(_KEYS[word], (value,), 0, weak)] if value else []
        elif match := _SAID_AFTER.match(bracket["inner"]):
            found.append(Field("depends", (match["value"],), 0, weak=True))
    return found


@lru_cache(maxsize=4096)
def key_of(text: str) -> Key | None:
    """Return what a label or heading is the key of, if of anything."""
    plain = _REMARK.sub("", without_marks(halfwidth(text[:80])).strip(" :*_"))
    return _KEYS.get(" ".join(plain.casefold().split()))


def halfwidth(text: str) -> str:
    """Write the wide colons, brackets and commas of CJK texts as the usual ones, one for one."""
    return text if text.isascii() else text.translate(_HALF)


def _lines(text: str, first: int) -> Iterator[tuple[int, bool, str]]:
    """(number, whether it is a bullet, text) of lines, without code, comments, nested tasks."""
    fence, comment, task = "", False, -1
    for number, raw in enumerate(text.split("\n"), first):
        line = halfwidth(raw[:LONGEST].expandtabs(4))
        if fence:
            bare = line.strip(" >")
            fence = "" if len(bare) >= len(fence) and set(bare) == {fence[0]} else fence
        elif mark := _FENCE.match(line):
            fence = mark[1]
        elif comment or line.lstrip(" >").startswith("<!--"):
            comment = "-->" not in line
        elif lead := _LEAD.match(line):
            indent, rest = len(lead["lead"]), line[lead.end() :].strip()
            if task < 0 or (indent <= task and rest):
                bullet = bool(lead["bullet"])
                task = indent if bullet and _BOX.match(rest) else -1
                if task < 0:
                    yield number, bullet, rest


def _on_line(text: str, line: int) -> list[Field]:
    """The fields of a line, in bold or between dividers; emphasis may be around all of it."""
    bold = list(_BOLD.finditer(text)) if "**" in text or "__" in text else []
    if not bold:
        bare = text.strip("*_ ")
        text = bare if text[:1] in ("*", "_") and "*" not in bare else text
        return [field for part in _BETWEEN.split(text) if (field := _keyed(part, line))]
    ends = [*(match.start() for match in bold[1:]), len(text)]
    pairs = [(match["key"], text[match.end() : end]) for match, end in zip(bold, ends, strict=True)]
    return [Field(key, _values(v), line) for k, v in pairs if (key := key_of(k))]


def _keyed(text: str, line: int) -> Field | None:
    """The field of one part of a line: with or without a colon."""
    match = _PLAIN.match(text)
    if match and (key := key_of(match["key"])):
        return Field(key, _values(match["value"]), line)
    subject = name_at(text)
    about = _ABOUT.match(text, subject[1]) if subject else None
    stated = _SAID.match(text, about.end() if about else 0)
    if stated is None:
        return None
    return Field("depends", _values(stated["value"]), line, True, subject[0] if subject else None)


def _values(text: str) -> tuple[str, ...]:
    value = text.strip().strip("|·•").strip()
    return (value,) if value else ()
