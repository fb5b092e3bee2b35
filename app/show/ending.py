"""What a run did, for a terminal: its tasks, and what each node used, with a total of 100 %."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from app.show import words
from app.show.live import Look, shown
from app.texts import show_texts as texts
from runner.money import price_hint
from runner.people.run_view import RunView, TaskView, view_of
from runner.state.run_state import RunState, Status
from runner.state.status_words import Tone

_MOST_TASKS = 40
_WARNING = 500
_STYLES: Mapping[Tone, str] = {
    "done": "green",
    "failed": "red",
    "now": "cyan",
    "waiting": "yellow",
    "other": "",
}
_FRAMED = 60
"""Columns from which there is room for frames."""


def ending(state: RunState, look: Look) -> Iterator[RenderableType]:
    """Yield the summary of a run that stopped; ``look`` says what it may be made of."""
    view = view_of(state)
    yield Text(texts.ended(view, words.clock(view.seconds)), style="bold")
    if view.problem:
        yield Text(shown(view.problem, look), style="yellow")
    if any(task.touched for task in view.tasks):
        yield _tasks(view, look)
    yield from _warnings(view, look)
    yield _cost_panel(view, look)
    yield Text(texts.priced(view.used, price_hint(view.used)))
    yield Text(words.REPORT)


def _cost_panel(view: RunView, look: Look) -> Table:
    """Return the panel: the columns Node, Tokens, %, Duration, Calls, and a total of 100 %."""
    rows, whole = view.nodes, view.used
    table = _table(look, words.COLUMNS)
    for row in rows:
        table.add_row(
            row.node,
            f"{row.usage.tokens:,}",
            f"{row.percent:.1f}",
            f"{row.usage.seconds:.1f} s",
            str(row.usage.calls),
        )
    table.add_section()
    percent = f"{sum(row.percent for row in rows):.1f}"
    last = (words.TOTAL, f"{whole.tokens:,}", percent, f"{whole.seconds:.1f} s", str(whole.calls))
    table.add_row(*last, style="bold")
    return table


def _tasks(view: RunView, look: Look) -> Table:
    """The tasks this run took up or could not, and why one is not done."""
    table = _table(look, words.TASK_COLUMNS)
    tasks = [t for t in view.tasks if t.touched or t.status is Status.BLOCKED]
    for task in tasks[:_MOST_TASKS]:
        table.add_row(*_row(task, look))
    if len(tasks) > _MOST_TASKS:
        table.add_row(texts.more(len(tasks) - _MOST_TASKS, "task"))
    return table


def _warnings(view: RunView, look: Look) -> Iterator[RenderableType]:
    """What a reviewer should see of the tasks that were done."""
    found = [(task, text) for task in view.tasks for text in task.checks.warnings]
    if found:
        yield Text("Worth a look:", style="bold yellow")
    for task, text in found[:_MOST_TASKS]:
        yield Text(f"- {shown(task.name, look)}: {shown(text, look, _WARNING)}")


def _row(task: TaskView, look: Look) -> Iterator[Text | str]:
    yield Text(shown(f"{task.name} {task.title}", look))
    doubt, word = task.checks.doubt, task.word
    style = "yellow" if doubt else _STYLES[word.tone]
    yield Text(f"{task.stands}, {task.result}" if task.verified else task.stands, style=style)
    yield str(task.effort.answers) if task.touched else ""
    yield f"{task.effort.used.tokens:,}" if task.touched else ""
    yield Text(shown(f"{task.made} ({doubt})" if doubt else task.made or task.why, look, _WARNING))


def _table(look: Look, columns: tuple[str, ...]) -> Table:
    frame = box.ASCII if look.plain else box.ROUNDED
    table = Table(box=frame if look.width >= _FRAMED else None, header_style="bold")
    for number, name in enumerate(columns):
        right = name in ("Answers", *words.COLUMNS[1:])
        table.add_column(name, justify="right" if right else "left", no_wrap=number > 0 and right)
    return table
