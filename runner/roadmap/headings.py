"""What a heading says of the tasks below it: number, phase, checks, tasks of its own."""
# ruff: noqa: RUF001 (the marks of other languages are meant)

from __future__ import annotations

import re
from functools import lru_cache

from runner.roadmap.labels import is_checks
from runner.roadmap.marks import plain_dashes, without_marks
from runner.roadmap.task import Heading
from runner.roadmap.words import COUNTED, PHASES, TASKS

Path = tuple[Heading, ...]


def _any(words: tuple[str, ...]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len)[::-1])


_PART = r"\d{1,4}(?:\.\d{1,4})*"
_WORDED = re.compile(
    rf"\[?(?P<word>{_any((*PHASES, *TASKS))})s?(?![^\W\d一二三四五六七八九十])[\s#:-]*"
    rf"(?P<number>{_PART}|[IVX]{{1,5}}\b|[A-Z](?=\s*(?:[:.)-]|\Z))|[一二三四五六七八九十]{{1,3}})(?!\.?\w)",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    rf"第?\s*(?P<number>\d{{1,3}}|[一二三四五六七八九十]{{1,3}})\s*(?:{_any(COUNTED)})"
)
_NUMBERED = re.compile(
    r"[\[(§]?(?P<number>\d{1,4}(?:\.\d{1,4})+(?=[\s.:)\]：]|\Z)"
    r"|\d{1,3}(?=[.:)\]](?:\s|\Z)|\s+-\s|[、：]))"
)
_CODED = re.compile(r"\[?(?P<word>[A-Z]{1,8})-?(?P<number>\d{1,4}(?:\.\d{1,4})*)(?=[\s:.\])])")
_PHASE_WORD = re.compile(rf"(?:{_any(PHASES)})(?![^\W\d])|MVP\b", re.IGNORECASE)
_STRONG = set(PHASES) - {
    "step", "week", "month", "quarter", "day", "iteration", "part", "chapter", "section", "level",
    "module", "schritt", "woche", "paso", "semana", "passo", "stap", "krok", "semaine", "шаг",
    "неделя", "крок", "步骤", "ステップ", "adım",
}  # fmt: skip
"""Words that name a phase wherever they stand; the others may count steps within one."""
_CJK = {character: number for number, character in enumerate("一二三四五六七八九", 1)}


@lru_cache(maxsize=4096)
def number(text: str) -> str:
    """Return the number a heading is written with ("1.2 X", "Phase 3", "第二阶段"), '' without."""
    text = plain_dashes(without_marks(text))
    found = _WORDED.match(text) or _ORDINAL.match(text) or _NUMBERED.match(text)
    return _arabic(found["number"]) if found else ""


def phase(path: Path) -> str | None:
    """Return the phase of a place: the first part of the nearest number, else a phase's name.

    A number that only counts ("Task 4", "Step 2", "3. X") gives way to one that says the phase
    ("1.7.2", "Phase 2"), also from further out.
    """
    numbers = [(heading, found) for heading in path if (found := number(heading.text))]
    for heading, found in reversed(numbers):
        if "." in found or _is_strong(heading.text):
            return found.split(".")[0]
    if numbers:
        return numbers[0][1]
    named = (h.text for h in reversed(path) if _PHASE_WORD.match(without_marks(h.text)))
    return next((without_marks(text) for text in named), None)


@lru_cache(maxsize=4096)
def _is_strong(text: str) -> bool:
    text = plain_dashes(without_marks(text))
    worded = _WORDED.match(text)
    return bool(worded and worded["word"].casefold() in _STRONG) or bool(_ORDINAL.match(text))


def phase_heading(path: Path) -> Heading | None:
    """Return the highest heading on the path that has the number or name of its phase."""
    wanted = phase(path)
    return next((h for h in path if wanted and wanted == phase((h,))), None)


@lru_cache(maxsize=4096)
def is_task(text: str) -> str:
    """Say how a heading reads as a task of its own: worded ("Task 4:"), numbered ("1.2 X"), ''."""
    text = plain_dashes(without_marks(text))
    if is_checks(text):
        return ""
    if worded := _WORDED.match(text):
        return "worded" if worded["word"].casefold() in TASKS else ""
    found = _CODED.match(text) or _NUMBERED.match(text)
    if found is None or (found.re is _NUMBERED and "." not in found["number"]):
        return ""
    return "numbered" if re.match(r"[\s.:)\]-]*[^\W\d]", text[found.end() :]) else ""


@lru_cache(maxsize=4096)
def words(text: str) -> str:
    """Return what is said besides number and marks, for comparing: 'Phase 1: Core ✅' → 'core'."""
    text = plain_dashes(without_marks(text))
    found = _WORDED.match(text) or _ORDINAL.match(text) or _NUMBERED.match(text)
    rest = without_marks(text[found.end() :].lstrip(" \t.:)]-：、")) if found else text
    return " ".join((rest or text).casefold().split())


def is_title(heading: Heading, *, first: bool) -> bool:
    """Say whether a heading is only the file's title: the first one, of level 1, and no phase."""
    return first and heading.level == 1 and phase((heading,)) is None


def _arabic(written: str) -> str:
    """A number in digits; Roman ones stay as they are written."""
    if not set(written) <= {*_CJK, "十"}:
        return written
    tens, ten, ones = written.rpartition("十")
    return str((_CJK.get(tens, 1) * 10 if ten else 0) + _CJK.get(ones, 0))
