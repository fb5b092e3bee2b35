"""Show a parsed roadmap, for people or as JSON: the order, what waits, and what never runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from app.terminal import one_line
from runner.roadmap.order import ordered
from runner.roadmap.task import Heading, Roadmap, Task, Warning

_PIPE_WIDTH = 120
_NAMED = 4
"""How many dependencies of a task are named."""


def print_roadmap(roadmap: Roadmap) -> None:
    """Print it; on a terminal in its width and with colours, else plain."""
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _PIPE_WIDTH
    console.print(view(roadmap))


def view(roadmap: Roadmap) -> RenderableType:
    """Everything ``show`` says, as one thing to print."""
    parts: list[RenderableType] = [Text(_summary(roadmap), style="bold")]
    if roadmap.asks:
        parts.append(Text(f"Cairn cannot run this: {one_line(roadmap.asks)}"))
    if roadmap.tasks:
        parts.append(_tasks(roadmap))
    if roadmap.warnings:
        parts.append(_warnings(roadmap.path, roadmap.warnings))
    if roadmap.candidates:
        parts.append(_candidates(roadmap))
    return Group(*parts)


def warning_line(path: str, warning: Warning) -> str:
    """A warning as compilers write it, so that editors can jump to it."""
    place = f"{one_line(path)}:{warning.line}:{warning.column}"
    return f"{place} {warning.code} {one_line(warning.message)}"


def _summary(roadmap: Roadmap) -> str:
    tasks = roadmap.tasks
    work = [task for task in tasks if task.kind == "work"]
    done = sum(task.checked for task in work)
    numbers = [
        f"{len(work)} to work on ({done} done)",
        f"{sum(task.kind == 'check' for task in tasks)} checks",
        f"{sum(task.kind == 'summary' for task in tasks)} summaries",
    ]
    bytes_ = f"line endings {roadmap.eol}{', byte order mark' if roadmap.bom else ''}"
    return f"{one_line(roadmap.path)}: {len(tasks)} checkboxes: {', '.join(numbers)}; {bytes_}"


def _tasks(roadmap: Roadmap) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("run", "line"):
        table.add_column(name, justify="right", style="dim")
    table.add_column("", no_wrap=True)
    table.add_column("task", ratio=1, overflow="fold")
    table.add_column("kind", no_wrap=True)
    table.add_column("waits for", overflow="fold")
    table.add_column("also", overflow="fold")
    for cells, style in _rows(roadmap):
        table.add_row(*(Text(cell) for cell in cells), style=style)
    return table


def _rows(roadmap: Roadmap) -> Iterator[tuple[tuple[str, ...], str]]:
    """Cells and style of each task, and of each heading before its first one."""
    by_key = {task.key: task for task in roadmap.tasks}
    runs = _numbers(roadmap)
    seen: set[Heading] = set()
    for task in roadmap.tasks:
        for heading in task.headings:
            if heading not in seen:
                seen.add(heading)
                yield ("", str(heading.line), "", one_line(heading.text), "", "", ""), "bold"
        yield (
            (
                runs.get(task.key, ""),
                str(task.line),
                "[x]" if task.checked else "[ ]",
                _name(task),
                task.kind,
                _waits(task, by_key),
                _also(task),
            ),
            "dim" if task.checked or not task.runnable else "",
        )


def _numbers(roadmap: Roadmap) -> dict[str, str]:
    """The place of each task in the order a run takes them."""
    order = (task for task in ordered(roadmap.tasks) if task.runnable and not task.checked)
    return {task.key: str(number) for number, task in enumerate(order, 1)}


def _name(task: Task) -> str:
    return "  " * task.depth + one_line(f"{task.id or ''} {task.title}")


def _waits(task: Task, by_key: Mapping[str, Task]) -> str:
    known = [by_key[key].name for key in task.depends_on[:_NAMED] if key in by_key]
    more = len(task.depends_on) - _NAMED
    unknown = [f"{text}?" for text in task.depends_text[:_NAMED]]
    names = [*known, *([f"{more} more"] if more > 0 else []), *unknown]
    return ", ".join(one_line(name) for name in names)


def _also(task: Task) -> str:
    flags = ("optional", "parallel", "struck", "template")
    said = [task.priority or "", task.effort or "", *(f for f in flags if getattr(task, f))]
    criteria = len(task.acceptance)
    said.append(f"{criteria} criteria" if criteria > 1 else "1 criterion" if criteria else "")
    return one_line(", ".join(text for text in said if text))


def _warnings(path: str, warnings: Iterable[Warning]) -> Text:
    lines = [warning_line(path, warning) for warning in warnings]
    return Text("\n".join(["", "Warnings", *lines]), style="yellow")


def _candidates(roadmap: Roadmap) -> Text:
    path = one_line(roadmap.path)
    lines = ["", "Candidates: they read like tasks but have no checkbox, so Cairn never runs them"]
    lines += [f"{path}:{c.line} {c.why}: {one_line(c.title)}" for c in roadmap.candidates]
    if not any(task.kind == "work" for task in roadmap.tasks):
        lines.append(f"Type `cairn roadmap normalize {path}` to see the file with checkboxes.")
    return Text("\n".join(lines))


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
"""What is shown of a task, in this order; other programs rely on it."""


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
