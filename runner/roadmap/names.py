"""Names of phases, sections and tasks in a text: "Phase 2", "第二阶段", "1.2", "TEST-01"."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from runner.roadmap.words import COUNTED, PHASES, TASKS


class Name(NamedTuple):
    """A word with its number ("phase", "2"), or a number or id alone ("", "1.2")."""

    word: str
    number: str

    def __str__(self) -> str:
        return f"{self.word} {self.number}".strip()


_ENDINGS = ("s", "es", "n", "en", "r", "e")
_CYRILLIC = ("", "а", "ы", "и", "у", "е", "ов", "ам", "ой", "ей", "я")  # noqa: RUF001


def _forms(word: str) -> set[str]:
    """A word as it is written in the plural and in cases."""
    if "\u0430" <= word[-1] <= "\u044f":
        stem = word[:-1] if word[-1] in "\u0430\u044f" else word
        return {word, *(stem + ending for ending in _CYRILLIC)}
    plural = {word[:-1] + "ies"} if word.endswith("y") else set()
    return {word, *(word + ending for ending in _ENDINGS), *plural}


_WORDS = {form: word for word in (*TASKS, *PHASES) for form in _forms(word)} | {
    word: word for word in (*TASKS, *PHASES, *COUNTED)
}
_LETTERS = re.compile(r"[^\W\d_]+(?:\s+[^\W\d_]+)?")
_CJK_WORD = re.compile(
    "|".join(sorted((word for word in _WORDS if word[0] >= "\u1100"), key=len)[::-1])
)
_DIGIT = "0-9一二三四五六七八九十"
_COUNTED = re.compile(
    rf"第\s*([{_DIGIT}]{{1,4}})\s*({'|'.join(sorted({*COUNTED, *PHASES}, key=len)[::-1])})"
    rf"|([{_DIGIT}]{{1,4}})\s*({'|'.join(sorted(COUNTED, key=len)[::-1])})",
    re.IGNORECASE,
)
_NO_LETTER = r"(?![A-Za-z0-9_%\u00c0-\u10ff]|\.\d)"
_NUMBER = re.compile(
    rf"[\s#:-]{{0,3}}(\d{{1,4}}(?:\.\d{{1,4}})*[a-z]?{_NO_LETTER}|[A-Z]{{1,2}}\d{{1,3}}{_NO_LETTER}"
    rf"|[IVX]{{1,5}}\b|[A-Z]\b|[一二三四五六七八九十]{{1,3}})"
)
_BARE = re.compile(rf"#?\d{{1,9}}(?:\.\d{{1,4}})*(?:-\d{{1,4}})?[a-h]?{_NO_LETTER}")
_CODE = re.compile(
    r"[^\W\d_]{1,8}\d{1,6}(?:[.-]\d{1,6})*[a-z]?(?![\w])"
    r"|[^\W\d_][^\W_]{0,9}(?:-[^\W_]{1,10}){0,3}-[^\W\d_]{0,8}\d{1,8}(?:\.\d{1,4})*[a-z]?(?!\w)"
)
_CJK = {character: number for number, character in enumerate("一二三四五六七八九", 1)}


def name_at(text: str, at: int = 0) -> tuple[Name, int] | None:
    """Return the name that begins at a place of a text, and where it ends."""
    if counted := _COUNTED.match(text, at):
        number, word = (counted[1] or counted[3]), (counted[2] or counted[4])
        return Name(word.casefold(), plain_number(number)), counted.end()
    if worded := _worded(text, at):
        return worded
    if found := _CODE.match(text, at) or _BARE.match(text, at):
        return Name("", found[0].casefold()), found.end()
    return None


@lru_cache(maxsize=4096)
def name_of(text: str) -> Name | None:
    """Return the name that is a whole text ("Task 3"), a written id as it stands otherwise."""
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
    if set(written) <= {*_CJK, "十"}:
        tens, ten, ones = written.rpartition("十")
        return str((_CJK.get(tens, 1) * 10 if ten else 0) + _CJK.get(ones, 0))
    return (written.lstrip("0") or "0").casefold() if written[0] == "0" else written.casefold()


def _worded(text: str, at: int) -> tuple[Name, int] | None:
    if cjk := _CJK_WORD.match(text, at):
        number = number_after(text, cjk.end())
        return (Name(cjk[0], number[0]), number[1]) if number else None
    letters = _LETTERS.match(text, at)
    if letters is None:
        return None
    for said in (letters[0], letters[0].split()[0]):
        word = _WORDS.get(" ".join(said.casefold().split()))
        if word and (number := number_after(text, at + len(said))):
            return Name(word, number[0]), number[1]
    return None
