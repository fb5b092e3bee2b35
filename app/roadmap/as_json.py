"""A parsed roadmap as ``cairn roadmap show --json`` prints it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from runner.roadmap.task import Roadmap, Task, Warning

TASK_FIELDS = (
    "key",
    "id",
    "title",
    "text",
    "line",
    "text_end_line",
    "end_line",
    "checked",
    "depth",
    "kind",
    "headings",
    "phase",
    "acceptance",
    "files",
    "depends_on",
    "parent",
    "optional",
    "priority",
    "effort",
)
"""What is told of a task, in this order; other programs rely on it."""


def roadmap_json(roadmap: Roadmap) -> dict[str, Any]:
    """Return the one object of ``show``: every task item GitHub shows, in file order."""
    return {
        "file": roadmap.path,
        "eol": roadmap.eol,
        "bom": roadmap.bom,
        "tasks": [_task(task) for task in roadmap.tasks],
        "candidates": [asdict(candidate) for candidate in roadmap.candidates],
        "warnings": warnings_json(roadmap.warnings),
    }


def warnings_json(warnings: tuple[Warning, ...]) -> list[dict[str, Any]]:
    """Return warnings with line, column (from 1), code and message."""
    return [asdict(warning) for warning in warnings]


def _task(task: Task) -> dict[str, Any]:
    fields = {name: getattr(task, name) for name in TASK_FIELDS}
    return fields | {"headings": [asdict(heading) for heading in task.headings]}
