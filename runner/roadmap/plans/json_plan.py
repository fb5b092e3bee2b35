"""Plans that are JSON: where each value stands, so that an edit changes the bytes of that alone."""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runner.roadmap.plans.form import read_again
from runner.roadmap.source import read, too_large
from runner.roadmap.task import Kind, Roadmap, Task, TaskMarks, TaskPlace, Warning, files

_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_DEEPEST = 6
"""Levels whose places are known: the tag, its tasks, one of them, its subtasks, one of these."""
_BOM = "\ufeff"
EMPTY = "its list of tasks is empty."
"""Why nothing is run of a plan that has another tool's form and no task."""


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A value and where it stands in its text; of an object or list also what is in it."""

    value: Any
    start: int
    end: int
    inside: Mapping[Any, JsonNode]

    def at(self, key: Any) -> JsonNode:
        """Return what is at a key or number; a null behind everything else where nothing is."""
        last = max((each.end for each in self.inside.values()), default=self.start)
        return self.inside.get(key) or JsonNode(None, last, last, {})

    @property
    def items(self) -> Sequence[JsonNode]:
        """The members of a list that are objects with something in them."""
        listed = self.inside.values() if isinstance(self.value, list) else ()
        return [each for each in listed if isinstance(each.value, dict) and each.inside]


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
    """A task as its form reads it; ``unread`` says what of it cannot be read."""

    id: str
    title: str
    node: JsonNode
    done: bool
    parent: str = ""
    details: str = ""
    criteria: tuple[str, ...] = ()
    waits: tuple[str, ...] = ()
    kind: Kind = "work"
    left_out: bool = False
    unread: str = ""
    rank: int = 0


def roadmap_of(path: str, content: bytes, tasks: Sequence[JsonTask]) -> Roadmap:
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
    odd = [
        Warning(bisect_right(ends, each.node.start) + 1, 1, "unknown-status", each.unread)
        for each in tasks
        if each.unread
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
    source = read(content)
    return read_again(
        Roadmap(path=path, content=content, tasks=(), eol=source.eol, bom=source.bom),
        made,
        waits=waits,
        warnings=[*odd, *missing],
    )


def _key(path: str, task: JsonTask) -> str:
    return hashlib.sha256(f"{path}\0{task.id}\0{task.title}".encode()).hexdigest()[:10]


def _text(content: bytes) -> str:
    """Return the text of a plan without its byte order mark. Raises ``UnicodeDecodeError``."""
    return content.decode().removeprefix(_BOM)


@dataclass(frozen=True)
class JsonForm:
    """What a form says of its JSON: its tasks (or why there are none), and the words of a state.

    ``state`` is the key of a task at which that stands.
    """

    tasks: Callable[[JsonNode], Sequence[JsonTask] | str]
    state: str
    done: str
    open: str

    def read(self, path: str, content: bytes) -> Roadmap:
        """Return the plan as a roadmap; where it cannot be read it has no tasks and says why."""
        line = column = 1
        tasks: Sequence[JsonTask] | str = too_large(len(content))
        try:
            if not tasks:
                # half a character can be read, but not written
                json.dumps(json.loads(text := _text(content)), ensure_ascii=False).encode()
                tasks = self.tasks(_node(text, _skipped(text, 0)))
        except json.JSONDecodeError as error:
            line, column = error.lineno, error.colno
            where = f"line {line}, column {column}"
            tasks = f"{where}: this is not JSON ({error.msg}), so nothing of it is read or written."
        except (ValueError, RecursionError):
            tasks = "this is not JSON in UTF-8, so nothing of it is read."
        if not isinstance(tasks, str):
            return roadmap_of(path, content, tasks)
        found = Warning(line, column, "unreadable-plan", tasks.rstrip("."))
        return Roadmap(path=path, content=content, tasks=(), warnings=(found,), asks=tasks)

    def edited(self, found: Roadmap, goal: Mapping[str, bool]) -> bytes:
        """Return a plan's bytes with tasks done or open; a state that was not there comes last."""
        text = _text(found.content)
        tasks = self.tasks(_node(text, _skipped(text, 0)))
        wanted = [
            (each.node.at(self.state), self.done if goal[key] else self.open)
            for each in tasks
            if not isinstance(each, str) and (key := _key(found.path, each)) in goal
        ]
        for state, new in sorted(wanted, key=lambda pair: -pair[0].start):
            key = "" if state.end > state.start else f', "{self.state}": '
            text = text[: state.start] + key + new + text[state.end :]
        bom = _BOM.encode() if found.content.startswith(_BOM.encode()) else b""
        return bom + text.encode()
