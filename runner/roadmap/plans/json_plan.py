"""Plans that are JSON: where each value stands, so that an edit changes the bytes of that alone."""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runner.roadmap.plans.form import read_again
from runner.roadmap.source import too_large
from runner.roadmap.task import Kind, Roadmap, Task, TaskMarks, TaskPlace, Warning, files

_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_DEEPEST = 6
"""Levels whose places are known: the tag, its tasks, one of them, its subtasks, one of these."""
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A value and where it stands in its text; of an object or list also what is in it."""

    value: Any
    start: int
    end: int
    inside: Mapping[Any, JsonNode]

    def at(self, key: Any) -> JsonNode:
        """Return what is at a key or number, a null in its place where nothing is."""
        return self.inside.get(key) or JsonNode(None, self.start, self.start, {})

    @property
    def items(self) -> Sequence[JsonNode]:
        """The members of a list that are objects."""
        listed = isinstance(self.value, list)
        return [each for each in self.inside.values() if listed and isinstance(each.value, dict)]


def _node(text: str, at: int, depth: int = 0) -> JsonNode:
    """Read the value at a place of a text that is known to be JSON."""
    value, end = _DECODER.raw_decode(text, at)
    inside: dict[Any, JsonNode] = {}
    place = _skipped(text, at + 1)
    while isinstance(value, dict | list) and depth < _DEEPEST and text[place] not in "}]":
        key: Any = len(inside)
        if isinstance(value, dict):
            key, place = _DECODER.raw_decode(text, place)
            place = _skipped(text, _skipped(text, place) + 1)
        inside[key] = _node(text, place, depth + 1)
        place = _skipped(text, inside[key].end)
        place = _skipped(text, place + 1) if text[place] == "," else place
    return JsonNode(value, at, end, inside)


def _skipped(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


@dataclass(frozen=True, slots=True)
class JsonTask:
    """A task as its form reads it; ``state`` is the value that says whether it is done."""

    id: str
    title: str
    node: JsonNode
    state: JsonNode
    done: bool
    parent: str = ""
    details: str = ""
    criteria: tuple[str, ...] = ()
    waits: tuple[str, ...] = ()
    kind: Kind = "work"
    left_out: bool = False
    rank: int = 0


def roadmap_of(
    path: str, content: bytes, tasks: Sequence[JsonTask], warnings: Iterable[Warning] = ()
) -> Roadmap:
    """Return the roadmap that these tasks are; those with the lowest rank are worked on first."""
    ends = [found.end() for found in re.finditer("\n", _text(content))]
    keys = {each.id: _key(path, each) for each in tasks}
    order = {each.id: n for n, each in enumerate(sorted(tasks, key=lambda each: each.rank), 1)}
    missing = [
        Warning(
            bisect_right(ends, each.node.start) + 1,
            1,
            "unresolved-dependency",
            f"task {each.id} depends on {name}, which is no other task of this file",
        )
        for each in tasks
        for name in each.waits
        if name not in keys or name == each.id
    ]
    made = [
        Task(
            key=_key(path, each),
            id=each.id,
            title=each.title,
            text=each.title,
            checked=each.done,
            kind=each.kind,
            place=TaskPlace(
                line=(line := bisect_right(ends, each.node.start) + 1),
                text_end_line=line,
                end_line=bisect_right(ends, each.node.end) + 1,
                depth=1 if each.parent else 0,
                parent=keys.get(each.parent),
                turn=order[each.id],
            ),
            details=each.details,
            acceptance=each.criteria,
            files=files(f"{each.title}\n{each.details}"),
            marks=TaskMarks(struck=each.left_out),
        )
        for each in tasks
    ]
    waits = {
        keys[each.id]: tuple(keys[name] for name in each.waits if name in keys and name != each.id)
        for each in tasks
    }
    found = Roadmap(path=path, content=content, tasks=())
    return read_again(found, made, waits=waits, warnings=[*warnings, *missing])


def _key(path: str, task: JsonTask) -> str:
    return hashlib.sha256(f"{path}\0{task.id}\0{task.title}".encode()).hexdigest()[:10]


def unreadable(path: str, content: bytes, why: str, line: int = 1, column: int = 1) -> Roadmap:
    """Return a roadmap without tasks that says why nothing of the file is read."""
    found = Warning(line, column, "unreadable-plan", why)
    return Roadmap(path=path, content=content, tasks=(), warnings=(found,), asks=why)


def _read(path: str, content: bytes) -> JsonNode | Roadmap:
    """Return what stands in a plan, or the roadmap that says why it cannot be read."""
    if why := too_large(len(content)):
        return unreadable(path, content, why)
    try:
        text = _text(content)
        json.loads(text)
        return _node(text, _skipped(text, 0))
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        why = f"{where}: this is not JSON ({error.msg}), so nothing of it is read or written."
        return unreadable(path, content, why, error.lineno, error.colno)
    except (ValueError, RecursionError):
        return unreadable(path, content, "this is not JSON in UTF-8, so nothing of it is read.")


def _text(content: bytes) -> str:
    """Return the text of a plan without its byte order mark. Raises ``UnicodeDecodeError``."""
    return content.decode().removeprefix(_BOM)


@dataclass(frozen=True)
class JsonForm:
    """What a form says of its JSON: its tasks (or why there are none), and the words of a state."""

    tasks: Callable[[JsonNode], Sequence[JsonTask] | str]
    done: str
    open: str

    def read(self, path: str, content: bytes) -> Roadmap:
        """Return the plan as a roadmap; where it cannot be read it has no tasks and says why."""
        found = _read(path, content)
        tasks = self.tasks(found) if isinstance(found, JsonNode) else found
        if isinstance(tasks, Roadmap):
            return tasks
        return (
            unreadable(path, content, tasks)
            if isinstance(tasks, str)
            else roadmap_of(path, content, tasks)
        )

    def edited(self, found: Roadmap, goal: Mapping[str, bool]) -> bytes:
        """Return a plan's bytes with tasks done or open. Raises ``ValueError`` if one cannot be."""
        text = _text(found.content)
        tasks = self.tasks(_node(text, _skipped(text, 0)))
        wanted = [
            (goal[key], each)
            for each in tasks
            if not isinstance(each, str) and (key := _key(found.path, each)) in goal
        ]
        for done, each in sorted(wanted, key=lambda pair: -pair[1].state.start):
            if each.state.value is None:
                raise ValueError(f"task {each.id} has no state that could be set")
            text = (
                text[: each.state.start]
                + (self.done if done else self.open)
                + text[each.state.end :]
            )
        bom = _BOM.encode() if found.content.startswith(_BOM.encode()) else b""
        return bom + text.encode()
