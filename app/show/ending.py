"""What a run did, for a terminal: its tasks, and what each node used, with a total of 100 %."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from app.show import words
from app.show.live import Look, shown, standing
from runner.money import shares, total
from runner.people.report import node_usage
from runner.people.sentences import WORTH_A_LOOK, blocked_reason, doubt_of, warnings_of
from runner.roadmap.task import Task
from runner.state.run_state import RunState, Status
from runner.state.status_words import TASKS, Tone

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
    stands = standing(state)
    seconds = max(0.0, (state.ended or state.started) - state.started)
    doubts = sum(bool(doubt_of(attempt)) for attempt in state.attempts.values())
    first = words.ended(state, stands.done, stands.total, seconds, doubts)
    yield Text(first, style="bold")
    if state.problem:
        yield Text(shown(state.problem, look), style="yellow")
    if state.attempts:
        yield _tasks(state, look)
    yield from _warnings(state, look)
    yield cost_panel(state, look)
    yield Text(words.priced(total(node_usage(state).values())))
    yield Text(words.REPORT)


def cost_panel(state: RunState, look: Look) -> Table:
    """Return the panel: the columns Node, Tokens, %, Duration, Calls, and a total of 100 %."""
    used = node_usage(state)
    rows, whole = shares(used), total(used.values())
    table = _table(look, words.COLUMNS)
    for row in rows:
        table.add_row(
            row.node,
            f"{row.usage.tokens:,}",
            f"{row.percent:.1f}",
            _seconds(row.usage.seconds),
            _n(row.usage.calls),
        )
    table.add_section()
    percent = f"{sum(row.percent for row in rows):.1f}"
    last = (words.TOTAL, f"{whole.tokens:,}", percent, _seconds(whole.seconds), _n(whole.calls))
    table.add_row(*last, style="bold")
    return table


def _tasks(state: RunState, look: Look) -> Table:
    """The tasks this run took up or could not, and why one is not done."""
    table = _table(look, words.TASK_COLUMNS)
    tasks = [t for t in (*state.tasks, *state.replaced) if _is_told(t, state)]
    for task in tasks[:_MOST_TASKS]:
        table.add_row(*_row(task, state, look))
    if len(tasks) > _MOST_TASKS:
        table.add_row(words.more(len(tasks) - _MOST_TASKS, "task"))
    return table


def _warnings(state: RunState, look: Look) -> Iterator[RenderableType]:
    """What a reviewer should see of the tasks that were done."""
    tasks = (*state.tasks, *state.replaced)
    found = [(t, text) for t in tasks for text in warnings_of(state.attempts.get(t.key))]
    if found:
        yield Text(f"{WORTH_A_LOOK}:", style="bold yellow")
    for task, text in found[:_MOST_TASKS]:
        yield Text(f"- {shown(task.name, look)}: {shown(text, look, _WARNING)}")


def _is_told(task: Task, state: RunState) -> bool:
    return task.key in state.attempts or state.status(task) is Status.BLOCKED


def _row(task: Task, state: RunState, look: Look) -> Iterator[Text | str]:
    attempt, status = state.attempts.get(task.key), state.status(task)
    failure = attempt.failure if attempt else None
    made = (attempt.url or attempt.commit[:12]) if attempt else ""
    why = blocked_reason(state, task) or (failure.message if failure else "")
    yield Text(shown(f"{task.name} {task.title}", look))
    doubt, word = doubt_of(attempt), TASKS[status]
    style = "yellow" if doubt else _STYLES[word.tone]
    yield Text(f"{word.text}, not verified" if doubt else word.text, style=style)
    yield str(attempt.answers) if attempt else ""
    yield f"{attempt.spent.tokens:,}" if attempt else ""
    yield Text(shown(f"{made} ({doubt})" if doubt else made or why, look, _WARNING))


def _table(look: Look, columns: tuple[str, ...]) -> Table:
    frame = box.ASCII if look.plain else box.ROUNDED
    table = Table(box=frame if look.width >= _FRAMED else None, header_style="bold")
    for number, name in enumerate(columns):
        right = name in ("Answers", *words.COLUMNS[1:])
        table.add_column(name, justify="right" if right else "left", no_wrap=number > 0 and right)
    return table


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s"


def _n(count: int) -> str:
    return str(count)
