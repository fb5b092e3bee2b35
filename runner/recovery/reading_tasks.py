"""Read tasks a model proposes: JSON, nearly JSON, or a list with bullets. Pure, never raises."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import json_repair

from runner.recovery.reading import LONGEST
from runner.replies.cleanup import clean_answer
from runner.roadmap.new_task import NewTask

MOST = 20
"""Tasks, and lines of one task, that are read of an answer."""
_LONGEST_TEXT = 2_000

_TITLE = ("title", "task", "text", "name", "summary", "description")
_DETAILS = ("details", "steps", "description", "notes", "subtasks")
_ACCEPTANCE = (
    *("acceptance", "acceptance_criteria", "success_criteria", "criteria", "done_when", "tests"),
)
_FILES = ("files", "file", "path", "paths")
_LISTS = ("tasks", "subtasks", "sub_tasks", "items", "replacements", "parts", "task", "rewrite")

_ITEM = re.compile(r"^(?P<indent>[ \t]*)(?:[-*+•]|\d{1,3}[.)])\s+(?P<text>\S.*)$")
_BOX = re.compile(r"^\[[ xX]?\]\s*")
_NUMBER = re.compile(
    r"^(?:(?:sub-?)?(?:task|step|part)\s*#?\d*[a-z]?\s*[:.)–-]+|"  # noqa: RUF001
    r"#?\d+(?:\.\d+)+[a-z]?[:.)]*|\d+[:.)]|[A-Z]{1,8}-?\d{1,6}[a-z]?[:.)]*)\s+",
    re.IGNORECASE,
)
_CRITERIA = re.compile(
    r"^(?:acceptance|success|done when|criteria)[\w ]{0,20}:?\s*(?P<rest>.*)$", re.IGNORECASE
)
_FIELD = re.compile(r"^(?:details|steps|files?)\s*:\s*$", re.IGNORECASE)


def read_tasks(text: str) -> tuple[NewTask, ...]:
    """Return the tasks of an answer, without ids; () when there are none in it."""
    text = clean_answer(text[:LONGEST])
    found = [*_from_json(text)] or [*_from_list(text.split("\n"))] or [*_from_prose(text)]
    return tuple(task for task in found[: MOST + 1] if task.text)


def _from_json(text: str) -> Iterator[NewTask]:
    starts = [at for at in (text.find("{"), text.find("[")) if at >= 0]
    if not starts or _ITEM.match(text.lstrip().partition("\n")[0]):
        return
    try:
        value = json_repair.loads(text[min(starts) :])
    except (ValueError, RecursionError, TypeError, IndexError):
        return
    for entry in _entries(value)[: MOST + 1]:
        if isinstance(entry, Mapping):
            yield _of_object(entry)
        elif isinstance(entry, str):
            yield NewTask(_plain(entry))


def _entries(value: object, depth: int = 0) -> list[object]:
    """The list of tasks, in whatever wrapper it came."""
    if isinstance(value, list):
        return [each for each in value if isinstance(each, Mapping | str)]
    if not isinstance(value, Mapping) or depth > 3:
        return []
    if isinstance(_first(value, _TITLE[:-1]), str):
        return [value]
    for key in _LISTS:
        if isinstance(value.get(key), list | Mapping) and (
            found := _entries(value[key], depth + 1)
        ):
            return found
    return [value] if isinstance(value.get("description"), str) else []


def _of_object(entry: Mapping[object, object]) -> NewTask:
    key = next((k for k in _TITLE if isinstance(entry.get(k), str)), "")
    text = _plain(str(entry.get(key, "")))
    files = [f for f in _texts(_first(entry, _FILES)) if f not in text]
    if text and files:
        text = f"{text.rstrip('.')} ({', '.join(f'`{f}`' for f in files[:5])})"
    details = (line for k in _DETAILS if k != key for line in _texts(entry.get(k)))
    criteria = (line for k in _ACCEPTANCE for line in _texts(entry.get(k)))
    return NewTask(text, details=_few(details), acceptance=_few(criteria))


def _from_list(lines: list[str]) -> Iterator[NewTask]:
    """The items of the outermost list; what is nested in one belongs to it."""
    items = [found for line in lines if (found := _ITEM.match(line.expandtabs(4)))]
    if not items:
        return
    outer = min(len(item["indent"]) for item in items)
    at, last = [n for n, item in enumerate(items) if len(item["indent"]) == outer], len(items)
    for start, end in zip(at, [*at[1:], last], strict=True):
        yield _of_items([item["text"] for item in items[start:end]])


def _of_items(texts: list[str]) -> NewTask:
    details: list[str] = []
    criteria: list[str] = []
    into = details
    for text in map(_plain, texts[1:]):
        if found := _CRITERIA.match(text):
            into = criteria
            text = found["rest"]
        elif _FIELD.match(text):
            into = details
            continue
        if text:
            into.append(text)
    return NewTask(_plain(texts[0]), details=_few(details), acceptance=_few(criteria))


def _from_prose(text: str) -> Iterator[NewTask]:
    """One sentence or paragraph, which is one task."""
    parts = [part for part in re.split(r"\n\s*\n", text.strip()) if part.strip()]
    if len(parts) == 1 and "```" not in text and "{" not in text:
        yield NewTask(_plain(" ".join(parts[0].split())))


def _plain(text: str) -> str:
    """One line without a box, a number, or the bold around its first words."""
    line = " ".join(text[:_LONGEST_TEXT].split())
    line = _BOX.sub("", line)
    line = re.sub(r"^(\*\*|__)(.{1,200}?)\1", r"\2", line)
    return _NUMBER.sub("", line).strip()


def _first(entry: Mapping[object, object], keys: Iterable[str]) -> object:
    return next((entry[key] for key in keys if key in entry), None)


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    items = value if isinstance(value, list) else []
    return [each for each in items[: MOST + 1] if isinstance(each, str)]


def _few(texts: Iterable[str]) -> tuple[str, ...]:
    plain = (_plain(text) for text in texts)
    return tuple(dict.fromkeys(text for text in plain if text))[:MOST]
