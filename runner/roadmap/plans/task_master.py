"""task-master: ``.taskmaster/tasks/tasks.json``, a list of tasks below the name of each tag.

https://github.com/eyaltoledano/claude-task-master
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from runner.roadmap.plans.form import PlanForm
from runner.roadmap.plans.json_plan import EMPTY, JsonForm, JsonNode, JsonTask

_DONE = ("done", "completed")
_RUN = ("pending", "in-progress", "", *_DONE)
_LEFT = ("review", "deferred", "cancelled", "blocked")
_RANKS = {"high": 0, "critical": 0, "low": 2}
_TEXTS = ("description", "details", "testStrategy")


def _tasks(found: JsonNode) -> Sequence[JsonTask] | str:
    """The tasks of the tag ``master``, else of the first one; older files have no tags."""
    tags = (found, found.at("master"), *found.inside.values())
    lists = [each for each in tags if isinstance(each.at("tasks").value, list)]
    if not lists:
        return "this JSON has no list of tasks as task-master writes it."
    return next((list(_all(each)) for each in lists if each.at("tasks").items), EMPTY)


def _all(tag: JsonNode) -> Iterator[JsonTask]:
    for node in tag.at("tasks").items:
        name, subtasks = _text(node, "id"), node.at("subtasks").items
        rank = _RANKS.get(_text(node, "priority"), 1)
        yield _task(node, name, rank=rank, summary=bool(subtasks))
        for each in subtasks:
            yield _task(each, _within(name, each.at("id").value), rank=rank, parent=node)


def _task(
    node: JsonNode, name: str, *, rank: int, summary: bool = False, parent: JsonNode | None = None
) -> JsonTask:
    status, outer = _text(node, "status"), _text(parent, "id") if parent else ""
    if parent and not status and _text(parent, "status") in _DONE:
        status = _DONE[0]  # where a part says nothing the whole does
    named = node.at("dependencies").value
    told = [parent, node] if parent else [node]
    return JsonTask(
        id=name,
        title=" ".join(_text(node, "title").split()) or name,
        node=node,
        done=status in _DONE,
        parent=outer,
        details="\n\n".join(
            text for each in told for field in _TEXTS if (text := _text(each, field))
        ),
        criteria=tuple(filter(None, [_text(node, "testStrategy")])),
        waits=tuple(_within(outer, each) for each in named) if isinstance(named, list) else (),
        kind="summary" if summary else "work",
        left_out=status not in _RUN,
        unread=""
        if status in (*_RUN, *_LEFT)
        else f"task-master has no status `{status}`, so task {name} is left alone",
        rank=rank,
    )


def _within(parent: str, name: Any) -> str:
    """The id that a name means in a task: 3 is its third part there, "5.2" is what it says."""
    return f"{parent}.{name}" if parent and "." not in str(name) else str(name)


def _text(node: JsonNode, field: str) -> str:
    value = node.at(field).value
    return "" if value is None or isinstance(value, dict | list) else str(value).strip()


_JSON = JsonForm(tasks=_tasks, state="status", done='"done"', open='"pending"')

TASK_MASTER = PlanForm(
    name="task-master",
    paths=re.compile(r"(?P<root>(?:.*/)?)\.taskmaster/tasks/tasks\.json"),
    usual=(".taskmaster/tasks/tasks.json",),
    read=_JSON.read,
    edited=_JSON.edited,
    covers=lambda task, passed: False,
)
