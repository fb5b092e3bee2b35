"""Read what a model or a person says about a failed task: a reason, or other tasks. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from textwrap import dedent
from typing import get_args

from runner.answers.fences import clean_answer
from runner.answers.json_answers import first_of
from runner.roadmap.edit import find
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.replace import is_audit
from runner.roadmap.source import line_starts
from runner.roadmap.task import NewTask, Roadmap, Task
from runner.roadmap.writing import listed
from runner.state.proposal import Classification, Reason, problems_of
from runner.text.patterns import lazy_pattern
from runner.text.sanitize import sendable_values

LONGEST = 20_000
"""Characters of an answer that are read; a list of tasks needs a tenth of it."""
_LONGEST_WHY = 200

_REASON = lazy_pattern(
    r"(?<!not )(?<!no )\b(?:(?P<task_too_vague>(?:task[ _-])?too[ _-]vague)"
    r"|(?P<task_too_complex>(?:task[ _-])?too[ _-]complex)"
    r"|(?P<missing_dependency>missing[ _-]dependency)"
    r"|(?P<environment_issue>environment[ _-]issue)|(?P<unknown>unknown))\b",
    re.IGNORECASE,
)
_EDGES = " \t\n:;,.*_`\"'{}[]()-–—="  # noqa: RUF001 - dashes as models write them
_KEYS = lazy_pattern(r"^[\s{\"']*(?:reason|answer|classification)[\"'\s]*:", re.IGNORECASE)


def read_reason(text: str) -> Classification:
    """Return the reason a model named; what names none, or several, is unknown."""
    text = clean_answer(text[:LONGEST])
    if (named := _in_form(text)) is not None:
        return named
    first = next((line for line in text.split("\n") if line.strip()), "")
    found = _one(first) or _one(text)
    if found is None:
        return Classification("unknown", (), by="nobody")
    why = _why(text)
    return Classification(found, (f"the model says: {why}",) if why else (), by="model")


def _in_form(text: str) -> Classification | None:
    """The reason of an answer in JSON: what the other words of it say does not count."""
    try:
        data = sendable_values(json.loads(text))
    except (ValueError, RecursionError):
        return None
    reason = data.get("reason") if isinstance(data, dict) else None
    named: Reason | None = next((known for known in get_args(Reason) if known == reason), None)
    if named in (None, "already_done"):  # which only a run of the tests can say
        return None
    why = " ".join(str(data.get("why", "")).split())[:_LONGEST_WHY]
    return Classification(named, (f"the model says: {why}",) if why else (), by="model")


def _one(text: str) -> Reason | None:
    """The one reason a text names; ``unknown`` is a usual word and yields to another."""
    names = {match.lastgroup for match in _REASON.finditer(text)}
    if len(names) > 1:
        names.discard("unknown")
    return names.pop() if len(names) == 1 else None  # type: ignore[return-value]


def _why(text: str) -> str:
    """The first words that are not the reason itself, on one line."""
    for line in text.split("\n"):
        rest = _REASON.sub(" ", _KEYS.sub(" ", line)).strip(_EDGES)
        rest = re.sub(r"^(?:why|because|explanation)[\"'\s]*:\s*", "", rest, flags=re.IGNORECASE)
        rest = " ".join(rest.split()).strip(_EDGES)
        if len(rest) > 2:
            return rest[:_LONGEST_WHY]
    return ""


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

_ITEM = lazy_pattern(r"^(?P<indent>[ \t]*)(?:[-*+•]|\d{1,3}[.)])\s+(?P<text>\S.*)$")
_BOX = lazy_pattern(r"^\[[ xX]?\]\s*")
_NUMBER = lazy_pattern(
    r"^(?:(?:sub-?)?(?:task|step|part)\s*#?\d*[a-z]?\s*[:.)–-]+|"  # noqa: RUF001
    r"#?\d+(?:\.\d+)+[a-z]?[:.)]*|\d+[:.)]|[A-Z]{1,8}-?\d{1,6}[a-z]?[:.)]*)\s+",
    re.IGNORECASE,
)
_CRITERIA = lazy_pattern(
    r"^(?:acceptance|success|done when|criteria)[\w ]{0,20}:?\s*(?P<rest>.*)$", re.IGNORECASE
)
_FIELD = lazy_pattern(r"^(?:details|steps|files?)\s*:\s*$", re.IGNORECASE)


def read_tasks(text: str) -> tuple[NewTask, ...]:
    """Return the tasks of an answer, without ids; () for none."""
    text = clean_answer(text[:LONGEST])
    found = [*_from_json(text)] or [*_from_list(text.split("\n"))] or [*_from_prose(text)]
    return tuple(task for task in found[: MOST + 1] if task.text)


def _from_json(text: str) -> Iterator[NewTask]:
    starts = [at for at in (text.find("{"), text.find("[")) if at >= 0]
    if not starts or _ITEM.match(text.lstrip().partition("\n")[0]):
        return
    import json_repair  # it takes long to load, and few runs have such an answer

    try:
        value = sendable_values(json_repair.loads(text[min(starts) :]))
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
    if isinstance(first_of(value, _TITLE[:-1]), str):
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
    files = [f for f in _texts(first_of(entry, _FILES)) if f not in text]
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
    """One line without a checkbox, a number, or the bold around its first words."""
    line = " ".join(text[:_LONGEST_TEXT].split())
    line = _BOX.sub("", line)
    line = re.sub(r"^(\*\*|__)(.{1,200}?)\1", r"\2", line)
    return _NUMBER.sub("", line).strip()


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    items = value if isinstance(value, list) else []
    return [each for each in items[: MOST + 1] if isinstance(each, str)]


def _few(texts: Iterable[str]) -> tuple[str, ...]:
    plain = (_plain(text) for text in texts)
    return tuple(dict.fromkeys(text for text in plain if text))[:MOST]


@dataclass(frozen=True, slots=True)
class PushedTasks:
    """The ``tasks`` with which a push replaces one, or the ``problem`` why it proposes none."""

    tasks: tuple[NewTask, ...] = ()
    problem: str = ""


def read_pushed(path: str, before: bytes, after: bytes, key: str) -> PushedTasks:
    """Read the tasks in ``after`` that are where the task ``key`` was in ``before``.

    Every byte outside the task's own lines must be as it was.
    """
    roadmap = parse_roadmap(path, before)
    task = find(roadmap, key)
    if task is None:
        return PushedTasks(problem=f"the {path} that it started from does not have the task")
    if any(task.place.line < other.place.line <= task.place.end_line for other in roadmap.tasks):
        return PushedTasks(problem="there are checkboxes inside the task")
    start, end = _place(roadmap, task)
    rest = before[end:]
    same = after.startswith(before[:start]) and after.endswith(rest)
    if not same or len(after) < start + len(rest):
        return PushedTasks(problem=f"it changes more of {path} than this task")
    written = after[start : len(after) - len(rest)]
    if not _only_tasks(path, after, before[:start].count(b"\n") + 1, written):
        return PushedTasks(problem=f"it adds more to {path} than tasks")
    return _tasks(written)


def same_tasks(path: str, one: bytes, other: bytes) -> bool:
    """Say whether two texts of a roadmap have the same tasks, apart from how they are laid out."""
    mine, theirs = (
        [(t.id, t.title, t.checked, t.acceptance) for t in parse_roadmap(path, each).tasks]
        for each in (one, other)
    )
    return mine == theirs


def _place(roadmap: Roadmap, task: Task) -> tuple[int, int]:
    starts = [*line_starts(roadmap.content), len(roadmap.content)]
    return starts[task.place.line - 1], starts[min(task.place.end_line, len(starts) - 1)]


def _only_tasks(path: str, after: bytes, first: int, written: bytes) -> bool:
    """Whether every line that is written, the first at line ``first``, belongs to a task."""
    tasks = parse_roadmap(path, after).tasks
    inside = {line for task in tasks for line in range(task.place.line, task.place.end_line + 1)}
    lines = written.splitlines()
    return all(not each.strip() or n in inside for n, each in enumerate(lines, first))


def _tasks(written: bytes) -> PushedTasks:
    own = b"".join(each for each in written.splitlines(keepends=True) if not is_audit(each))
    tasks = listed(dedent(own.decode("utf-8", "replace")))
    if not tasks:
        return PushedTasks(problem="it does not put a list of tasks in the task's place")
    problem = next(problems_of(tasks), "")
    return PushedTasks(problem=problem.rstrip(".")) if problem else PushedTasks(tasks)
