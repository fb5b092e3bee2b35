"""Copy what a person changed in ``todos.json`` to the roadmap: checkboxes only, by task key."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, ValidationError

from runner.roadmap.task import Roadmap, Task
from runner.state.run_state import Status

_Short = Annotated[str, Field(max_length=20_000)]
_WISHES = {Status.COMPLETED: True, Status.PENDING: False}


class TodosRefused(ValueError):
    """The object is not a ``todos.json`` of this roadmap; the message says where and what to do."""


@dataclass(frozen=True, slots=True)
class BoxEdit:
    """Change the checkbox of a task: ``checked`` is its new state."""

    key: str
    line: int
    checked: bool


@dataclass(frozen=True, slots=True)
class Synced:
    """What to do, and which wishes cannot be done and why; those change nothing."""

    edits: tuple[BoxEdit, ...]
    conflicts: tuple[str, ...]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Todo(_Strict):
    key: Annotated[str, Field(min_length=1, max_length=100)]
    status: Status
    id: _Short | None = None
    title: _Short | None = None
    line: int | None = None
    url: _Short = ""
    checked: StrictBool | None = None
    replaces: _Short = ""
    blocked_by: _Short = ""


class _Todos(_Strict):
    version: Literal[1]
    roadmap: _Short
    todos: list[_Todo]


def sync(todos: object, roadmap: Roadmap) -> Synced:
    """Return the ticks and unticks that a person asks for by changing a status.

    ``completed`` asks for a tick and ``pending`` for none; other states ask for nothing. What the
    file said when it was written (``checked``) asks for nothing, so an old file undoes nothing.
    Raises ``TodosRefused``.
    """
    read = _read(todos, roadmap)
    tasks = {task.key: task for task in roadmap.tasks}
    edits: list[BoxEdit] = []
    conflicts: list[str] = []
    for todo in read.todos:
        task = tasks.get(todo.key)
        wish = _WISHES.get(todo.status)
        problem = _conflict(todo, task, wish, roadmap.path)
        if problem:
            conflicts.append(problem)
        elif task and wish is not None and wish != task.checked:
            edits.append(BoxEdit(task.key, task.place.line, wish))
    return Synced(tuple(edits), tuple(conflicts))


def _read(todos: object, roadmap: Roadmap) -> _Todos:
    try:
        read = _Todos.model_validate(todos)
    except ValidationError as error:
        raise TodosRefused(_problems(error)) from error
    if read.roadmap != roadmap.path:
        raise TodosRefused(
            f"todos.json is about {read.roadmap}, not about {roadmap.path}; name that roadmap"
        )
    [(key, times)] = Counter(todo.key for todo in read.todos).most_common(1) or [("", 0)]
    if times > 1:
        raise TodosRefused(f"todos.json has {times} entries with the key {key}; keep one")
    return read


def _problems(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "the whole"
    hint = ""
    if first["type"] == "extra_forbidden":
        hint = f"; a todo has only {', '.join(_Todo.model_fields)}"
    return f"todos.json, {where}: {first['msg']}{hint}"


def _conflict(todo: _Todo, task: Task | None, wish: bool | None, path: str) -> str:
    """Say why a change cannot be made, or ''. An unchanged state asks for nothing."""
    name = todo.id or todo.title or todo.key
    if wish is not None and wish == todo.checked:
        return _passed_by(name, task, wish, path)
    if task is None:
        return f"{name}: {path} has no task {todo.key}; it may have been edited"
    if task.kind != "work":
        where = f"{path}, line {task.place.line}"
        return f"{name}: {where} is a {task.kind}, which has no state of its own"
    if todo.title is not None and todo.title != task.title:
        return f"{name}: its title was changed here; change it in {path}, line {task.place.line}"
    return ""


def _passed_by(name: str, task: Task | None, done: bool, path: str) -> str:
    """Report a task whose checkbox was changed in the roadmap since; the roadmap is right."""
    if task is None or task.checked == done:
        return ""
    state = "done" if task.checked else "open"
    where = f"{path}, line {task.place.line}"
    return f"{name}: {where} is already {state}, and todos.json does not change it"
