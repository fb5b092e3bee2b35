"""Every sentence and number about the history of runs.

The terminal, the comment and the pages show the same lines and tables; only their form differs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from runner.history.inquiry import Recalled
from runner.history.records import Execution
from runner.history.statistics import NamedTally, Statistics, Tallies, named
from runner.money import Usage, cost_brief, cost_text
from runner.state.run_state import Status
from runner.state.status_words import TASKS, task_word
from runner.text.sanitize import sanitize

NOTHING = "Nothing is recorded yet. Each attempt at a task is recorded when it ends."

_LONGEST_TITLE, _LONGEST_MESSAGE, _MOST_ROWS = 60, 120, 15


@dataclass(frozen=True, slots=True)
class HistoryTable:
    """A table: its title, the names of its columns, and its rows. Cells are plain text.

    Cells may hold text of others: titles, names, messages. ``numbers`` are the columns that are
    aligned to the right.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...] = ()


def duration(seconds: float) -> str:
    """A time in the two largest units that it has."""
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def share(each: NamedTally) -> str:
    """How many of those that are over completed their task: ``7 of 9 (78 %)``."""
    percent = f" ({each.percent} %)" if each.percent is not None else ""
    return f"{each.tally.good:,} of {each.tally.over:,}{percent}"


def error_line(each: NamedTally) -> str:
    """How often a type of error was seen, and recovered without a person."""
    name = each.name.replace("_", " ")
    return (
        f"{name} errors: {each.tally.seen:,} seen, {each.tally.good:,} recovered"
        f" ({each.percent_of_seen} %)"
    )


def strategy_line(each: NamedTally) -> str:
    """What a recovery strategy led to, of the proposals that were applied."""
    return f"{each.name}: {each.tally.good:,} of {each.tally.over:,} finished"


def strategy_here(statistics: Statistics, strategy: str) -> str:
    """What a strategy led to in this repository, as a sentence; '' where it was never applied."""
    found = named(statistics.strategies, strategy)
    return f"In this repository so far, {strategy_line(found)}." if found.tally.over else ""


def summary(statistics: Statistics) -> list[str]:
    """What happened, in a few sentences."""
    whole = statistics.attempts
    if not whole.tally.seen:
        return [NOTHING, *left_out(statistics)]
    tally, used = whole.tally, whole.tally.used
    attempts = f"{tally.seen:,} attempt{'s' if tally.seen != 1 else ''} at tasks"
    lines = [f"{statistics.since} to {statistics.until}: {attempts}, {share(whole)} completed."]
    if waiting := statistics.in_review:
        lines.append(f"{waiting:,} in review, not counted as completed until a person accepts.")
    if still := tally.seen - tally.over:
        lines.append(f"{still:,} not over yet.")
    lines.append(
        f"Tokens: {used.tokens:,}. Cost: {cost_text(used)}. Time: {duration(used.seconds)}."
        f" Each attempt took {_each(used, tally.seen)} on average."
    )
    return [*lines, *left_out(statistics)]


def _each(used: Usage, number: int) -> str:
    tokens, cost, time = _averages(used, number)
    return f"{tokens} and {time}" if cost == "unknown" else f"{tokens}, {cost} and {time}"


def _averages(used: Usage, number: int) -> tuple[str, str, str]:
    """Tokens, cost and time of one, on average."""
    one = Usage(used.seconds / number, 0, used.cost / number, used.calls, used.unpriced)
    tokens = f"{round(used.tokens / number):,} tokens"
    return tokens, cost_brief(one), duration(one.seconds)


def left_out(statistics: Statistics) -> list[str]:
    """What the statistics do not know."""
    left = statistics.left_out
    lines = []
    if left.other_versions:
        lines.append(f"{_records(left.other_versions)} written by another version of Cairn.")
    if left.future:
        lines.append(f"{_records(left.future)} left out: the time of each lies in the future.")
    return lines


def _records(number: int) -> str:
    return f"{number:,} record{'s' if number != 1 else ''}"


def unreadable(found: Recalled) -> list[str]:
    """How many records could not be read."""
    if not found.left_out:
        return []
    which = "It is damaged or" if found.left_out == 1 else "They are damaged or"
    return [f"{_records(found.left_out)} left out. {which} of another version of Cairn."]


_BY: Final = (
    ("By model", "models", "Model"),
    ("By route", "routes", "Route"),
    ("By complexity", "complexities", "Complexity"),
    ("By kind of task", "kinds", "Kind"),
    ("By day", "days", "Day"),
)
_ROUTES: Final = {"single_phase": "single phase"}


def tables(statistics: Statistics) -> tuple[HistoryTable, ...]:
    """Return the tables of ``stats``; those without rows are left out."""
    groups = [_by(title, getattr(statistics, name), head) for title, name, head in _BY]
    every = (
        groups[0],
        _ends(statistics.statuses),
        _nodes(statistics),
        _repairs(statistics.repairs),
        _errors(statistics.errors),
        _strategies(statistics),
        *groups[1:],
    )
    return tuple(table for table in every if table.rows)


def error_tables(statistics: Statistics) -> tuple[HistoryTable, ...]:
    """Return the tables of ``errors``."""
    both = (_errors(statistics.errors), _strategies(statistics))
    return tuple(table for table in both if table.rows)


def _by(title: str, tallies: Tallies, head: str) -> HistoryTable:
    shown = tallies[-_MOST_ROWS:] if head == "Day" else tallies[:_MOST_ROWS]
    rows = tuple(
        (_ROUTES.get(e.name, e.name), str(e.tally.seen), share(e), *averages_of(e)) for e in shown
    )
    columns = (head, "Attempts", "Completed", "Tokens each", "Cost each", "Time each")
    return HistoryTable(title, columns, rows, (1, 2, 3, 4, 5))


def averages_of(each: NamedTally) -> tuple[str, str, str]:
    """Tokens, cost and time of one of what was counted, on average."""
    tokens, cost, time = _averages(each.tally.used, each.tally.seen)
    return tokens.removesuffix(" tokens"), cost, time


def _ends(statuses: Tallies) -> HistoryTable:
    words = {str(status): word.text for status, word in TASKS.items()}
    rows = tuple((words.get(each.name, each.name), str(each.tally.seen)) for each in statuses)
    return HistoryTable("Where attempts ended", ("Status", "Attempts"), rows, (1,))


def _nodes(statistics: Statistics) -> HistoryTable:
    by_time = sorted(statistics.nodes, key=lambda each: -each.tally.used.seconds)
    rows = tuple(
        (
            each.name,
            str(each.tally.seen),
            duration(each.tally.used.seconds),
            f"{each.tally.used.tokens:,}",
            cost_brief(each.tally.used),
        )
        for each in by_time
    )
    head = ("Node", "Visits", "Time", "Tokens", "Cost")
    return HistoryTable("Time by node", head, rows, (1, 2, 3, 4))


def _repairs(repairs: Tallies) -> HistoryTable:
    rows = tuple((each.name, str(each.tally.seen), share(each)) for each in repairs)
    return HistoryTable("Repairs that worked", ("Repair", "Attempts", "Completed"), rows, (1, 2))


def _errors(errors: Tallies) -> HistoryTable:
    rows = tuple(
        (
            each.name.replace("_", " "),
            str(each.tally.seen),
            str(each.tally.good),
            f"{each.percent_of_seen} %",
        )
        for each in errors
    )
    return HistoryTable("Errors", ("Error", "Seen", "Recovered", "Share"), rows, (1, 2, 3))


def _strategies(statistics: Statistics) -> HistoryTable:
    rows = tuple(
        (e.name, str(e.tally.seen), str(e.tally.over), str(e.tally.good))
        for e in statistics.strategies
    )
    head = ("Strategy", "Proposed", "Applied", "Finished")
    return HistoryTable("Recovery strategies", head, rows, (1, 2, 3))


def recent_table(executions: Iterable[Execution]) -> HistoryTable:
    """Return the newest attempts, one a row."""
    rows = tuple(
        (
            _when(each.at),
            each.key.run,
            task_name(each),
            ending(each),
            each.models.writing or "-",
            str(each.calls.answers),
            f"{each.used.tokens:,}",
            cost_brief(each.used),
            duration(each.used.seconds),
        )
        for each in executions
    )
    head = ("When (UTC)", "Run", "Task", "Result", "Model", "Answers", "Tokens", "Cost", "Time")
    return HistoryTable("Newest attempts", head, rows, (5, 6, 7, 8))


def errors_table(executions: Iterable[Execution]) -> HistoryTable:
    """Return the newest attempts that failed, with what went wrong."""
    rows = tuple(
        (
            _when(each.at),
            each.key.run,
            task_name(each),
            each.end.error.replace("_", " "),
            cut(each.end.message, _LONGEST_MESSAGE),
            each.recovery.strategy or "-",
        )
        for each in executions
    )
    head = ("When (UTC)", "Run", "Task", "Error", "What happened", "Recovery")
    return HistoryTable("Newest failures", head, rows)


def _when(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")


def task_name(each: Execution) -> str:
    """The name and title of the task, and which attempt at it this is if there were more."""
    place, nth = each.place, f" (attempt {each.key.attempt})" if each.key.attempt > 1 else ""
    return f"{place.name}: {cut(place.title, _LONGEST_TITLE)}{nth}"


def cut(text: str, most: int = _LONGEST_MESSAGE) -> str:
    """A text as one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def ending(each: Execution) -> str:
    """How an attempt ended, in words."""
    status = each.end.status
    return task_word(status, shown=each.checks.verified) if status in set(Status) else status


def as_markdown(table: HistoryTable) -> str:
    """A table for a comment; text of others in it is made harmless."""
    lines = [f"**{table.title}**", "", _markdown_row(table.head)]
    lines.append("|" + "|".join("--:" if n in table.numbers else "---" for n in _columns(table)))
    lines[-1] += "|"
    return "\n".join([*lines, *(_markdown_row(row) for row in table.rows)])


def _columns(table: HistoryTable) -> range:
    return range(len(table.head))


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(text: str) -> str:
    return sanitize(" ".join(text.split()), plain=True).replace("|", "\\|")


def as_lines(table: HistoryTable) -> Iterator[str]:
    """A table for a terminal; the caller makes its lines printable."""
    rows = [table.head, *(tuple(" ".join(cell.split()) for cell in row) for row in table.rows)]
    widths = [max(len(row[n]) for row in rows) for n in _columns(table)]
    yield table.title
    for row in rows:
        cells = (
            cell.rjust(width) if n in table.numbers else cell.ljust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield ("  " + "  ".join(cells)).rstrip()
