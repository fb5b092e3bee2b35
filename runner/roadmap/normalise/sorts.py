"""What a heading or a label is, by its words and numbers alone."""

# ruff: noqa: RUF001 - full-width punctuation is what Chinese and Japanese roadmaps are written with

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from runner.roadmap.field_words import DEPENDS, EFFORT, PRIORITY
from runner.roadmap.labels import is_checks
from runner.roadmap.normalise.words import ASIDES, DONE, FIELDS, NOUNS, OPEN, TODOS
from runner.roadmap.words import COUNTED, PHASES, STATUS_COLUMNS, TASKS, WORK

Sort = Literal["phase", "task", "series", "dotted", "numbered", "lane", "todo", "aside", "field"]
"""What a heading is: a phase (also a version, date or priority), a task, one of a series with an
unknown word, numbered 1.2, numbered 1., a lane (a state: Done), a list of tasks, prose about other
things, or a field of what stands above it ("Acceptance")."""


_DECORATION = re.compile(r"[*_`~\u200d\ufe0f]|:[a-z_]{2,40}:|\[[ xX]\]")
_PARENS = re.compile(r"\s*[(\[（【][^()\[\]（）【】]{0,80}[)\]）】]\s*$")
_NUMBER = re.compile(r"(?P<number>\d{1,4}(?:\.\d{1,4}){0,5})[.):]?\s+(?=\S)")
_NAMED = re.compile(
    r"(?P<word>[^\W\d_]{1,24}(?: [^\W\d_]{1,12})?)[\s#-]{0,3}"
    r"(?P<number>\d{1,4}(?:\.\d{1,4}){0,4})(?![\d.]*\d)"
)
_LETTERED = re.compile(
    r"(?P<word>[^\W\d_]{1,24})\s+(?:[IVX]{1,5}|[A-Z]|(?i:one|two|three|four|five|six))\b"
)
_PLAN = re.compile(
    r"\b(?:roadmap|plan|milestones|feuille de route|hoja de ruta|fahrplan)\b"
    r"|дорожная карта|路线图|ロードマップ|로드맵|计划|計画",
    re.IGNORECASE,
)
_TASK_LIST = re.compile(
    r"\b(?:todos?|to-do|tasks|backlog|tareas|aufgaben|tâches)\b|задачи|任务|タスク|待办|할 일",
    re.IGNORECASE,
)
_CODE = re.compile(r"[A-Z]{1,8}-?\d{1,6}(?:[.-]\d{1,4})*\b")
_ORDINAL = re.compile(rf"(?:第.{{1,3}}|\d{{1,3}})(?:{'|'.join(COUNTED)})")
_VERSION = re.compile(
    r"v\d{1,4}(?:\.\d{1,4})*\b"
    r"|\[?\d{1,4}\.(?:\d{1,4}|x)(?:\.(?:\d{1,4}|x))?\]?(?:$|\s*[-–—:(])",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"[qh][1-4]\b|(?:19|20)\d\d\b"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6} \d",
    re.IGNORECASE,
)
_PRIORITY = re.compile(
    r"p[0-4]\b|(?:critical|high|medium|normal|low)(?:$| priority)|priority \d"
    r"|(?:must|should|could|nice to|won.t) have|[高中低]优先级|優先度[:：]?\s?[高中低]",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """Return what is left of a heading or label without emoji, emphasis, brackets at its end."""
    text = _DECORATION.sub("", text[:300])
    text = "".join(c for c in text if unicodedata.category(c) not in ("So", "Sk"))
    return _PARENS.sub("", text).strip(" \t:：.-–—")


def is_lane(text: str) -> bool | None:
    """Say whether a heading is a state, and then whether things under it are done."""
    name = plain(text).casefold()
    first, _, rest = name.partition(" ")
    for words, state in ((DONE, True), (OPEN, False)):
        if name in words or (first in words and rest in NOUNS):
            return state
    return None


def is_field(text: str) -> bool:
    """Say whether a label, key or heading is about the work above it, checks included."""
    return plain(text).casefold() in _FIELDS or is_checks(text)


_FIELDS = FIELDS | DEPENDS | EFFORT | PRIORITY


def is_todo(text: str) -> bool:
    """Say whether a label or heading announces tasks."""
    return plain(text).casefold() in _TODOS


_TODOS = TODOS | (WORK - {"steps", "implementation steps", "deliverables", "actions"})


def is_status(text: str) -> bool:
    """Say whether a key or a column's name announces a state."""
    return plain(text).casefold() in STATUS_COLUMNS


def is_plan(text: str) -> bool:
    """Say whether a file's name or title says that it holds work to do."""
    return bool(_PLAN.search(plain(text))) or is_task_list(text)


def is_task_list(text: str) -> bool:
    """Say whether a file's name or title says that it is a list of tasks and nothing else."""
    return bool(_TASK_LIST.search(plain(text)))


def series_word(text: str) -> str:
    """Return the word of "Word 3: ..." ('' for another form)."""
    named = _NAMED.match(plain(text))
    return named["word"].casefold() if named else ""


def sort_of(title: str) -> Sort | None:
    """Return what a heading is by its words alone; None when they do not say."""
    name = plain(title)
    if is_lane(title) is not None:
        return "lane"
    if is_todo(name):
        return "todo"
    if is_field(name):
        return "field"
    return "aside" if name.casefold() in ASIDES else _numbered(name)


def _numbered(name: str) -> Sort | None:
    """Return what a heading is that starts with a number, a word with a number, or a date."""
    if any(p.match(name) for p in (_DATE, _VERSION, _PRIORITY, _ORDINAL)):
        return "phase"
    named = _NAMED.match(name) or _LETTERED.match(name)
    word = named["word"].casefold() if named else ""
    if word in PHASES:
        return "phase"
    if word in TASKS or _CODE.match(name):
        return "task"
    number = _NUMBER.match(name)
    if number is None:
        return "series" if _NAMED.match(name) else None
    inner = sort_of(name[number.end() :])
    if inner in ("aside", "field", "todo", "phase", "lane"):
        return inner
    return "dotted" if "." in number["number"] else "numbered"
