"""Show a parsed roadmap, for people or as JSON: the order, what waits, and what never runs."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from app.roadmap.table import Style, TableColumn, styled, table_lines
from app.terminal import one_line, say
from runner.roadmap.order import ordered
from runner.roadmap.task import Heading, Roadmap, Task, Warning

_PIPE_WIDTH = 120
_NAMED = 4
"""How many dependencies of a task are named."""
_COLUMNS = (
    TableColumn("run", 8, right=True),
    TableColumn("line", 8, right=True),
    TableColumn("", 3),
    TableColumn("task", 0),
    TableColumn("kind", 8),
    TableColumn("waits for", 24),
    TableColumn("also", 24),
)


def print_roadmap(roadmap: Roadmap, reviewing: Collection[str] = ()) -> None:
    """Print it; on a terminal in its width and with colours, else plain.

    ``reviewing`` are the keys of the tasks in review: no run takes them up.
    """
    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if terminal else _PIPE_WIDTH
    colours = terminal and not os.environ.get("NO_COLOR")
    say("\n".join(_view(roadmap, reviewing, width=width, colours=colours)))


def _view(
    roadmap: Roadmap, reviewing: Collection[str], *, width: int, colours: bool
) -> Iterator[str]:
    """Everything ``show`` says, as lines."""
    yield styled(_summary(roadmap, reviewing), "bold", colours=colours)
    if roadmap.asks:
        yield f"Cairn cannot run this: {one_line(roadmap.asks)}"
    if roadmap.tasks:
        yield from table_lines(
            _COLUMNS, list(_rows(roadmap, reviewing)), width=width, colours=colours
        )
    if roadmap.warnings:
        yield styled(_warnings(roadmap.path, roadmap.warnings), "yellow", colours=colours)
    if roadmap.candidates:
        yield _candidates(roadmap)


def warning_line(path: str, warning: Warning) -> str:
    """A warning as compilers write it, so that editors can jump to it."""
    place = f"{one_line(path)}:{warning.line}:{warning.column}"
    return f"{place} {warning.code} {one_line(warning.message)}"


def _summary(roadmap: Roadmap, reviewing: Collection[str]) -> str:
    tasks = roadmap.tasks
    work = [task for task in tasks if task.kind == "work"]
    done = sum(task.checked for task in work)
    waiting = sum(task.key in reviewing and not task.checked for task in work)
    numbers = [
        f"{len(work)} to work on ({done} done{f', {waiting} in review' if waiting else ''})",
        f"{sum(task.kind == 'check' for task in tasks)} checks",
        f"{sum(task.kind == 'summary' for task in tasks)} summaries",
    ]
    bytes_ = f"line endings {roadmap.eol}{', byte order mark' if roadmap.bom else ''}"
    return f"{one_line(roadmap.path)}: {len(tasks)} checkboxes, {', '.join(numbers)}; {bytes_}"


def _rows(roadmap: Roadmap, reviewing: Collection[str]) -> Iterator[tuple[tuple[str, ...], Style]]:
    """Cells and style of each task, and of each heading before its first one."""
    by_key = {task.key: task for task in roadmap.tasks}
    runs = _numbers(roadmap, reviewing)
    seen: set[Heading] = set()
    for task in roadmap.tasks:
        for heading in task.place.headings:
            if heading not in seen:
                seen.add(heading)
                yield ("", str(heading.line), "", one_line(heading.text), "", "", ""), "bold"
        yield (
            (
                runs.get(task.key, ""),
                str(task.place.line),
                "[x]" if task.checked else "[ ]",
                _name(task),
                task.kind,
                _waits(task, by_key),
                _also(task, in_review=task.key in reviewing and not task.checked),
            ),
            "" if task.key in runs else "dim",
        )


def _numbers(roadmap: Roadmap, reviewing: Collection[str]) -> dict[str, str]:
    """The place of each task in the order a run takes them."""
    left = (task for task in ordered(roadmap.tasks) if task.runnable and not task.checked)
    order = (task for task in left if task.key not in reviewing)
    return {task.key: str(number) for number, task in enumerate(order, 1)}


def _name(task: Task) -> str:
    return "  " * task.place.depth + one_line(f"{task.id or ''} {task.title}")


def _waits(task: Task, by_key: Mapping[str, Task]) -> str:
    known = [by_key[key].name for key in task.depends_on[:_NAMED] if key in by_key]
    more = len(task.depends_on) - _NAMED
    unknown = [f"{text}?" for text in task.depends_text[:_NAMED]]
    names = [*known, *([f"{more} more"] if more > 0 else []), *unknown]
    return ", ".join(one_line(name) for name in names)


def _also(task: Task, *, in_review: bool) -> str:
    flags = ("optional", "parallel", "struck", "template")
    marks = task.marks
    notes = [marks.priority or "", marks.effort or "", *(f for f in flags if getattr(marks, f))]
    criteria = len(task.acceptance)
    notes.append("in review" if in_review else "")
    notes.append(f"{criteria} criteria" if criteria > 1 else "1 criterion" if criteria else "")
    return one_line(", ".join(text for text in notes if text))


def _warnings(path: str, warnings: Iterable[Warning]) -> str:
    lines = [warning_line(path, warning) for warning in warnings]
    return "\n".join(["", "Warnings", *lines])


def _candidates(roadmap: Roadmap) -> str:
    path = one_line(roadmap.path)
    lines = ["", "Candidates: they read like tasks but have no checkbox, so Cairn never runs them"]
    lines += [f"{path}:{c.line} {c.why}: {one_line(c.title)}" for c in roadmap.candidates]
    if not any(task.kind == "work" for task in roadmap.tasks):
        lines.append(f"Type `cairn roadmap normalize {path}` to see the file with checkboxes.")
    return "\n".join(lines)


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
    "struck",
    "template",
    "priority",
    "effort",
)
"""What is shown of a task, in this order; other programs rely on it."""


def roadmap_json(roadmap: Roadmap, reviewing: Collection[str] = ()) -> dict[str, Any]:
    """Return the one object of ``show``: every task item GitHub shows, in file order."""
    waiting = [task.key for task in roadmap.tasks if task.key in reviewing and not task.checked]
    return {
        "file": roadmap.path,
        "eol": roadmap.eol,
        "bom": roadmap.bom,
        "tasks": [_task(task) for task in roadmap.tasks],
        "candidates": [asdict(candidate) for candidate in roadmap.candidates],
        "warnings": warnings_json(roadmap.warnings),
        **({"in_review": waiting} if waiting else {}),
    }


def warnings_json(warnings: tuple[Warning, ...]) -> list[dict[str, Any]]:
    """Return warnings with line, column (from 1), code and message."""
    return [asdict(warning) for warning in warnings]


def _task(task: Task) -> dict[str, Any]:
    known = asdict(task.place) | asdict(task.marks) | asdict(task)
    return {name: known[name] for name in TASK_FIELDS}
