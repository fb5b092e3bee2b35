"""Fields in the lines of a text: ``**Key:** v``, ``- **Key**: v``, ``> Key: v``, ``(key v)``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from runner.roadmap import field_words as words
from runner.roadmap.marks import without_marks
from runner.roadmap.names import Name, name_at

Key = Literal["depends", "priority", "effort", "optional"]

LONGEST = 1_000
"""Characters of a line that are read; the longest value seen has 210."""
_KEYS: dict[str, Key] = {
    **dict.fromkeys(words.OPTIONAL, "optional"),
    **dict.fromkeys(words.EFFORT, "effort"),
    **dict.fromkeys(words.PRIORITY, "priority"),
    **dict.fromkeys(words.DEPENDS, "depends"),
}
_BOLD = re.compile(r"(?P<mark>\*\*|__)(?P<key>[^*_:\n]{1,60}?)\s*(?::\s*(?P=mark)|(?P=mark)\s*:)")
_PLAIN = re.compile(r"(?P<key>[^*_:()`\n]{1,60}):(?!//)\s*(?P<value>.*)", re.DOTALL)
_SAID = re.compile(rf"{words.any_of(words.SAID)}\s*(?P<value>.+)", re.IGNORECASE | re.DOTALL)
_BRACKETS = re.compile(r"[(\[](?P<inner>[^()\[\]\n]{2,300})[)\]](?!\()")
_INNER = re.compile(
    rf"\s*(?P<key>{words.any_of(_KEYS)})\s*(?P<colon>[:=]?)\s*(?P<value>.*)", re.IGNORECASE
)
_SAID_AFTER = re.compile(
    r"\s*(?P<value>.{1,80}?)\s*(?:に依存(?:する)?|が前提|を前提とする|에 의존)\s*\Z"
)
_LEAD = re.compile(r"(?P<lead>[ >]*)(?P<bullet>(?:[-*+•]|\d{1,9}[.)]) +)?")
_BOX = re.compile(r"\[[ xX]\]\s")
_FENCE = re.compile(r"[ >]*(?:[-*+] +)?(`{3,}|~{3,})")
_ABOUT = re.compile(r"\s*(?:\([^()]*\)\s*)?")
_BETWEEN = re.compile(r"\s[|·•]\s")
_CODE = re.compile(r"(`{1,3})[^`\n]+\1")
_REMARK = re.compile(r"\s*\([^()]*\)\Z")
_HALF = str.maketrans(
    "\uff1a\uff08\uff09\u3010\u3011\uff0c\u3001\uff1b\u3002\uff5e\uff0d", ":()[],,;;~-"
)


@dataclass(frozen=True, slots=True)
class Field:
    """A key and what it says: one value, or those of the list that follows.

    ``line`` counts from the first one of its text. ``weak`` ones are words that may as well
    head something else; they count only where every value is understood. ``of`` is what the field
    says it is about ("Phase 2 depends on ..."), None for the place it stands in.
    """

    key: Key
    values: tuple[str, ...]
    line: int = 0
    weak: bool = False
    of: Name | None = None


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    bullet: bool
    text: str


def fields(text: str, *, first: int = 0) -> list[Field]:
    """Return the fields that stand on lines of their own; not those of nested tasks or code.

    ``first`` is the number of the first line.
    """
    found: list[Field] = []
    opened: Field | None = None
    for line in _lines(text, first):
        here = _on_line(line)
        if opened and line.bullet and not here:
            opened = Field(opened.key, (*opened.values, line.text), opened.line)
            continue
        if opened and (line.text or opened.values):
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
        found += [field for field in _on_line(_Line(0, False, first[at:])) if field.values]
    elif between := _BETWEEN.search(first):
        after = _on_line(_Line(0, False, first[between.end() :]))
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
            weak = word in words.WEAK and not match["colon"]
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


def _lines(text: str, first: int) -> Iterator[_Line]:
    """The lines of a text, without what stands in code, comments and nested tasks."""
    fence, comment, task = "", False, -1
    for number, raw in enumerate(text.split("\n"), first):
        line = halfwidth(raw[:LONGEST].expandtabs(4))
        mark = _FENCE.match(line)
        if fence or mark:
            fence = _still_open(fence, line) if fence else mark[1] if mark else ""
            continue
        if comment or line.lstrip(" >").startswith("<!--"):
            comment = "-->" not in line
            continue
        lead = _LEAD.match(line)
        indent = len(lead["lead"]) if lead else 0
        rest = line[lead.end() :].strip() if lead else ""
        if task >= 0 and (indent > task or not rest):
            continue
        bullet = bool(lead and lead["bullet"])
        task = indent if bullet and _BOX.match(rest) else -1
        if task < 0:
            yield _Line(number, bullet, rest)


def _still_open(fence: str, line: str) -> str:
    """The fence that is still open after a line of code, '' when the line closes it."""
    bare = line.strip(" >")
    return "" if len(bare) >= len(fence) and set(bare) == {fence[0]} else fence


def _on_line(line: _Line) -> list[Field]:
    """The fields of a line; one without a value opens a list."""
    text = line.text
    bold = list(_BOLD.finditer(text)) if "**" in text or "__" in text else []
    if not bold:
        text = _unwrapped(text)
        parts = _BETWEEN.split(text) if _BETWEEN.search(text) else [text]
        return [field for part in parts if (field := _keyed(part, line.number))]
    ends = [*(match.start() for match in bold[1:]), len(text)]
    pairs = [(match["key"], text[match.end() : end]) for match, end in zip(bold, ends, strict=True)]
    return [Field(key, _values(v), line.number) for k, v in pairs if (key := key_of(k))]


def _keyed(text: str, line: int) -> Field | None:
    """The field of one part of a line: with a colon, or said without one."""
    match = _PLAIN.match(text)
    if match and (key := key_of(match["key"])):
        return Field(key, _values(match["value"]), line)
    subject = name_at(text)
    about = _ABOUT.match(text, subject[1]) if subject else None
    said = _SAID.match(text, about.end() if about else 0)
    if said is None:
        return None
    return Field("depends", _values(said["value"]), line, True, subject[0] if subject else None)


def _unwrapped(text: str) -> str:
    """A line without the emphasis around all of it (``_Depends on: 1.1_``)."""
    bare = text.strip("*_ ")
    return bare if text[:1] in ("*", "_") and "*" not in bare else text


def _values(text: str) -> tuple[str, ...]:
    value = text.strip().strip("|·•").strip()
    return (value,) if value else ()
