"""The specification beside a list of tasks: which files say what to build, and which parts of them.

A form knows what its tasks refer to. The parts are quoted, so that a task that says "requirement
1.2" comes with the words of that requirement.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from runner.text.patterns import lazy_pattern

MOST_FILES = 40
"""Files of one specification that are read."""
_HEADING = lazy_pattern(r"^(#{1,6})[ \t]+(.{1,300}?)[ \t#]*$", re.MULTILINE)
_FENCE = lazy_pattern(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
_ITEM = lazy_pattern(r"^[ \t]*(?:\d+(?:\.\d+)*[.)]?[ \t]|[-*+][ \t]|#{1,6}[ \t])", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SpecQuote:
    """A part of a file: ``what`` it is ("requirement 1.2"), and its words, if they are there."""

    path: str
    what: str
    text: str


@dataclass(frozen=True, slots=True)
class SpecSection:
    """A heading with all that is below it, deeper sections too."""

    title: str
    text: str


@lru_cache(maxsize=4)
def sections_of(text: str) -> list[SpecSection]:
    """Return every section of a Markdown text in its order; headings in code are none."""
    plain = _FENCE.sub(lambda fence: re.sub(r"[^\n]", " ", fence[0]), text)
    ends = [len(text)] * 7  # where a section of each level ends
    found: list[SpecSection] = []
    for heading in reversed(list(_HEADING.finditer(plain))):
        start, level = heading.start(), len(heading[1])
        found.append(SpecSection(heading[2], text[start : ends[level]].strip()))
        ends[level:] = [start] * (7 - level)
    return found[::-1]


def section_named(text: str, title: str) -> str:
    """Return the first section whose title a pattern matches at its beginning; '' without one."""
    pattern = re.compile(title, re.IGNORECASE)
    return next((each.text for each in sections_of(text) if pattern.match(each.title)), "")


BULLET = r"[-*][ \t]{1,20}"
MARKUP = r"[^\w\n]{0,20}"
"""What may be around the number that an item begins with."""


def item_of(text: str, begins: str) -> str:
    """Return the item of a list that a pattern matches at its beginning, with its further lines."""
    found = re.search(rf"^[ \t]*{begins}", text, re.MULTILINE)
    if found is None:
        return ""
    end = _ITEM.search(text, found.end())
    return text[found.start() : end.start() if end else len(text)].strip()


def expanded(text: str) -> Iterator[tuple[str, str]]:
    """Yield (requirement, criterion) of "1.2, 2, 5.1-5.3"; of 2 the criterion is ''."""
    for first, one, second, other in _NUMBERS.findall(text):
        start, end = int(one or 0), int(other or one or 0)
        same = not other or second == first
        for number in range(start, end + 1) if same and end - start < _MOST_IN_RANGE else (start,):
            yield first, str(number or "")


_NUMBERS = lazy_pattern(r"(\d{1,4})(?:\.(\d{1,4}))?(?:\s*[-\u2013~]\s*(\d{1,4})\.(\d{1,4}))?")
_MOST_IN_RANGE = 30


def in_order(paths: Collection[str], folder: str, order: Sequence[str]) -> list[str]:
    """Return the texts of a folder: those that a form names first, then the others by name.

    ``order`` are patterns of paths in the folder; checklists are people's, so they are left out.
    """

    def rank(path: str) -> tuple[int, str]:
        name = path.removeprefix(folder)
        return next((n for n, p in enumerate(order) if re.fullmatch(p, name)), len(order)), path

    found = (path for path in paths if path.startswith(folder) and is_text(path))
    kept = (path for path in found if not path.startswith(f"{folder}checklists/"))
    return sorted(kept, key=rank)[:MOST_FILES]


_TEXT = lazy_pattern(r"\.(?:md|ya?ml|json|graphql|proto)\Z")


def is_text(path: str) -> bool:
    """Say whether a file of a plan's folder is read: its texts and schemas are."""
    return _TEXT.search(path) is not None
