"""Every sentence and number about the history of runs.

The terminal, the comment and the pages show the same lines and tables; only their form differs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from runner.history.inquiry import Recalled
from runner.history.records import Execution
from runner.history.statistics import NamedTally, Statistics, Tallies, named
from runner.money import Usage, cost_cell, cost_text
from runner.state.run_state import Status
from runner.state.status_words import TASKS, task_word
from runner.text.counting import counted
from runner.text.sanitize import plain_line

NOTHING = "Nothing is recorded yet. Each attempt at a task is recorded when it ends."

_LONGEST_TITLE, _LONGEST_MESSAGE, _MOST_ROWS = 60, 120, 15
_PIPE = "\\|"


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
    """What happened, and what the statistics do not know, in a few sentences."""
    whole, left = statistics.attempts, statistics.left_out
    tally, used = whole.tally, whole.tally.used
    lines = [] if tally.seen else [NOTHING]
    if tally.seen:
        attempts = counted(tally.seen, "attempt at a task", "attempts at tasks")
        lines.append(
            f"{statistics.since} to {statistics.until}: {attempts}, {share(whole)} completed."
        )
        if waiting := statistics.in_review:
            lines.append(
                f"{waiting:,} in review; each counts as completed once a person accepts it."
            )
        if still := tally.seen - tally.over:
            lines.append(f"{still:,} not over yet.")
        tokens, cost, time = averages_of(whole)
        known = "" if cost == "unknown" else f", {cost}"
        lines.append(
            f"Tokens: {used.tokens:,}. Cost: {cost_text(used)}. Time: {duration(used.seconds)}."
            f" Each attempt took {tokens} tokens{known} and {time} on average."
        )
    if left.other_versions:
        lines.append(
            f"{counted(left.other_versions, 'record')} written by another version of Cairn."
        )
    if left.future:
        lines.append(f"{counted(left.future, 'record')} left out because of a time in the future.")
    return lines


def unreadable(found: Recalled) -> list[str]:
    """How many records could not be read."""
    if not found.left_out:
        return []
    which = "It is damaged or" if found.left_out == 1 else "They are damaged or"
    return [f"{counted(found.left_out, 'record')} left out. {which} of another version of Cairn."]


ROUTES: Final = {"single_phase": "single phase"}


def tables(statistics: Statistics) -> tuple[HistoryTable, ...]:
    """Return the tables of ``stats``; those without rows are left out."""
    words = {str(status): word.text for status, word in TASKS.items()}
    by_time = sorted(statistics.nodes, key=lambda each: -each.tally.used.seconds)
    every = (
        _by("By model", "Model", statistics.models[:_MOST_ROWS]),
        HistoryTable(
            "Where attempts ended",
            ("Status", "Attempts"),
            tuple((words.get(e.name, e.name), str(e.tally.seen)) for e in statistics.statuses),
            (1,),
        ),
        HistoryTable(
            "Time by node",
            ("Node", "Visits", "Time", "Tokens", "Cost"),
            tuple(
                (
                    each.name,
                    str(each.tally.seen),
                    duration(each.tally.used.seconds),
                    f"{each.tally.used.tokens:,}",
                    cost_cell(each.tally.used),
                )
                for each in by_time
            ),
            (1, 2, 3, 4),
        ),
        HistoryTable(
            "Repairs that worked",
            ("Repair", "Attempts", "Completed"),
            tuple((each.name, str(each.tally.seen), share(each)) for each in statistics.repairs),
            (1, 2),
        ),
        _by("Fixes", "Fix", statistics.fixes),
        *error_tables(statistics),
        _by("By route", "Route", statistics.routes[:_MOST_ROWS]),
        _by("By complexity", "Complexity", statistics.complexities[:_MOST_ROWS]),
        _by("By kind of task", "Kind", statistics.kinds[:_MOST_ROWS]),
        _by("By day", "Day", statistics.days[-_MOST_ROWS:]),
    )
    return tuple(table for table in every if table.rows)


def error_tables(statistics: Statistics) -> tuple[HistoryTable, ...]:
    """Return the tables of ``errors``."""
    errors = HistoryTable(
        "Errors",
        ("Error", "Seen", "Recovered", "Share"),
        tuple(
            (
                each.name.replace("_", " "),
                str(each.tally.seen),
                str(each.tally.good),
                f"{each.percent_of_seen} %",
            )
            for each in statistics.errors
        ),
        (1, 2, 3),
    )
    strategies = HistoryTable(
        "Recovery strategies",
        ("Strategy", "Proposed", "Applied", "Finished"),
        tuple(
            (e.name, str(e.tally.seen), str(e.tally.over), str(e.tally.good))
            for e in statistics.strategies
        ),
        (1, 2, 3),
    )
    return tuple(table for table in (errors, strategies) if table.rows)


def _by(title: str, head: str, tallies: Tallies) -> HistoryTable:
    columns = (head, "Attempts", "Completed", "Tokens each", "Cost each", "Time each")
    rows = tuple(
        (ROUTES.get(e.name, e.name), str(e.tally.seen), share(e), *averages_of(e)) for e in tallies
    )
    return HistoryTable(title, columns, rows, (1, 2, 3, 4, 5))


def averages_of(each: NamedTally) -> tuple[str, str, str]:
    """Tokens, cost and time of one of what was counted, on average."""
    used, number = each.tally.used, each.tally.seen
    one = Usage(used.seconds / number, 0, used.cost / number, used.calls, used.unpriced)
    return f"{round(used.tokens / number):,}", cost_cell(one), duration(one.seconds)


def recent_table(executions: Collection[Execution]) -> HistoryTable:
    """Return the newest attempts, one a row."""
    several = len({each.place.roadmap for each in executions}) > 1
    rows = tuple(
        (
            _when(each.at),
            each.key.run,
            task_name(each, of_plan=several),
            ending(each),
            each.models.writing or "-",
            str(each.calls.answers),
            f"{each.used.tokens:,}",
            cost_cell(each.used),
            duration(each.used.seconds),
        )
        for each in executions
    )
    head = ("When (UTC)", "Run", "Task", "Result", "Model", "Answers", "Tokens", "Cost", "Time")
    return HistoryTable("Newest attempts", head, rows, (5, 6, 7, 8))


def errors_table(executions: Collection[Execution]) -> HistoryTable:
    """Return the newest attempts that failed, with what went wrong."""
    several = len({each.place.roadmap for each in executions}) > 1
    rows = tuple(
        (
            _when(each.at),
            each.key.run,
            task_name(each, of_plan=several),
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


def task_name(each: Execution, *, of_plan: bool = False) -> str:
    """The name and title of the task, and which attempt at it this is if there were more.

    ``of_plan``: with the path of its plan, where tasks of several are listed.
    """
    place, nth = each.place, f" (attempt {each.key.attempt})" if each.key.attempt > 1 else ""
    plan = f"{place.roadmap} " * of_plan
    return f"{plan}{place.name}: {cut(place.title, _LONGEST_TITLE)}{nth}"


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
    rule = "|".join("--:" if n in table.numbers else "---" for n in range(len(table.head)))
    lines = [f"**{table.title}**", "", _markdown_row(table.head), f"|{rule}|"]
    return "\n".join([*lines, *map(_markdown_row, table.rows)])


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(plain_line(cell).replace('|', _PIPE) for cell in cells)} |"


def as_lines(table: HistoryTable) -> Iterator[str]:
    """A table for a terminal; the caller makes its lines printable."""
    rows = [table.head, *(tuple(" ".join(cell.split()) for cell in row) for row in table.rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    yield table.title
    for row in rows:
        cells = (
            cell.rjust(width) if n in table.numbers else cell.ljust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield ("  " + "  ".join(cells)).rstrip()
