"""Show a parsed roadmap, for people or as JSON: the order, what waits, and what never runs."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Collection, Iterator
from dataclasses import asdict
from typing import Any

from app.roadmap.table import Style, TableColumn, styled, table_lines
from app.terminal import one_line, say
from runner.roadmap.order import ordered
from runner.roadmap.plans import form_of
from runner.roadmap.task import Heading, Roadmap, Warning
from runner.text.counting import counted

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
    lines = [styled(_summary(roadmap, reviewing), "bold", colours=colours)]
    if roadmap.asks:
        lines.append(f"Cairn cannot run this: {one_line(roadmap.asks)}")
    if roadmap.tasks:
        rows = list(_rows(roadmap, reviewing))
        lines += table_lines(_COLUMNS, rows, width=width, colours=colours)
    if roadmap.warnings:
        warnings = [warning_line(roadmap.path, warning) for warning in roadmap.warnings]
        lines.append(styled("\n".join(["", "Warnings", *warnings]), "yellow", colours=colours))
    if roadmap.candidates:
        path = one_line(roadmap.path)
        lines += [
            "",
            "Candidates: they read like tasks but have no checkbox, so Cairn never runs them",
            *(f"{path}:{c.line} {c.why}: {one_line(c.title)}" for c in roadmap.candidates),
        ]
        if not any(task.kind == "work" for task in roadmap.tasks):
            lines.append(f"Type `cairn roadmap normalize {path}` to see the file with checkboxes.")
    say("\n".join(lines))


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
        counted(sum(task.kind == "check" for task in tasks), "check"),
        counted(sum(task.kind == "summary" for task in tasks), "summary", "summaries"),
    ]
    bytes_ = f"line endings {roadmap.eol}{', byte order mark' if roadmap.bom else ''}"
    # a plan that is no Markdown has states instead
    boxes = ("task",) if form_of(roadmap.path).read else ("checkbox", "checkboxes")
    return (
        f"{one_line(roadmap.path)}: {counted(len(tasks), *boxes)}, {', '.join(numbers)}; {bytes_}"
    )


def _rows(roadmap: Roadmap, reviewing: Collection[str]) -> Iterator[tuple[tuple[str, ...], Style]]:
    """Cells and style of each task, and of each heading before its first one.

    The first cell is the place of a task in the order in which a run takes them.
    """
    names = {task.key: task.name for task in roadmap.tasks}
    left = (task for task in ordered(roadmap.tasks) if task.runnable and not task.checked)
    order = [task.key for task in left if task.key not in reviewing]
    runs = {key: str(number) for number, key in enumerate(order, 1)}
    seen: set[Heading] = set()
    flags = {flag: flag for flag in ("optional", "parallel", "struck", "template")}
    if form_of(roadmap.path).read:
        flags["struck"] = "left alone"
    for task in roadmap.tasks:
        for heading in task.place.headings:
            if heading not in seen:
                seen.add(heading)
                yield ("", str(heading.line), "", one_line(heading.text), "", "", ""), "bold"
        waits = [names[key] for key in task.depends_on[:_NAMED] if key in names]
        more = len(task.depends_on) - _NAMED
        waits += [f"{more} more"] if more > 0 else []
        waits += [f"{text}?" for text in task.depends_text[:_NAMED]]
        marks = task.marks
        also = [marks.priority, marks.effort]
        also += [word for flag, word in flags.items() if getattr(marks, flag)]
        criteria = len(task.acceptance)
        also += ["in review"] if task.key in reviewing and not task.checked else []
        also += [counted(criteria, "criterion", "criteria")] if criteria else []
        yield (
            (
                runs.get(task.key, ""),
                str(task.place.line),
                "[x]" if task.checked else "[ ]",
                "  " * task.place.depth + one_line(f"{task.id or ''} {task.title}"),
                task.kind,
                ", ".join(map(one_line, waits)),
                one_line(", ".join(filter(None, also))),
            ),
            "" if task.key in runs else "dim",
        )


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
    tasks = [asdict(task.place) | asdict(task.marks) | asdict(task) for task in roadmap.tasks]
    return {
        "file": roadmap.path,
        "eol": roadmap.eol,
        "bom": roadmap.bom,
        "tasks": [{name: known[name] for name in TASK_FIELDS} for known in tasks],
        "candidates": [asdict(candidate) for candidate in roadmap.candidates],
        "warnings": warnings_json(roadmap.warnings),
        **({"in_review": waiting} if waiting else {}),
    }


def warnings_json(warnings: tuple[Warning, ...]) -> list[dict[str, Any]]:
    """Return warnings with line, column (from 1), code and message."""
    return [asdict(warning) for warning in warnings]
