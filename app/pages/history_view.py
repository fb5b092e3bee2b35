"""What the pages of the history show: the statistics of the command line, and plots of them.

Every number in words comes from where ``cairn history`` and the comments take it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app.pages.plots import PlotBar, PlotPoint, bars, line
from runner.history.inquiry import Recalled
from runner.history.statistics import NamedTally, Statistics, Tallies
from runner.people.cost_sentences import run_commands, run_cost
from runner.people.history_sentences import (
    HistoryTable,
    averages_of,
    duration,
    error_line,
    recent_table,
    share,
    strategy_line,
    summary,
    tables,
    unreadable,
)
from runner.state.status_words import TASKS

PERIODS = (7, 30, 90, 0)
"""Days that can be chosen; 0 is all."""

_MOST_BARS = 20


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture (SVG) and what it shows."""

    caption: str
    picture: str


@dataclass(frozen=True, slots=True)
class HistorySection:
    """A table with the figures above it, and the words for their colours."""

    table: HistoryTable
    figures: tuple[Figure, ...] = ()
    legend: tuple[str, ...] = ()


def sections(statistics: Statistics, found: Recalled, newest_run: Recalled) -> list[HistorySection]:
    """Return what the page shows, in its order: the course of time first, single attempts last."""
    drawn = {table.title: _section(table, statistics) for table in tables(statistics)}
    first = [drawn.pop(_BY_DAY)] if _BY_DAY in drawn else []
    newest = [HistorySection(recent_table(found.executions))] if found.executions else []
    of_run = (run_cost(newest_run.executions), run_commands(newest_run.executions))
    dearest = [HistorySection(table) for table in of_run if table]
    return [*first, *drawn.values(), *dearest, *newest]


def sentences(statistics: Statistics, found: Recalled) -> list[str]:
    """Return what happened in a few sentences, with what could not be read."""
    return [*summary(statistics), *unreadable(found)]


def _section(table: HistoryTable, statistics: Statistics) -> HistorySection:
    draw = _PLOTS.get(table.title)
    return draw(table, statistics) if draw else HistorySection(table)


_BY_DAY = "By day"


def _days(table: HistoryTable, statistics: Statistics) -> HistorySection:
    days = statistics.days
    success = [PlotPoint(day.name, day.percent, share(day)) for day in days]
    tokens = [PlotPoint(day.name, _each(day, day.tally.used.tokens), _text(day, 0)) for day in days]
    costs = [day.tally.used.known_cost for day in days]
    money = [
        PlotPoint(day.name, None if cost is None else _each(day, cost), _text(day, 1))
        for day, cost in zip(days, costs, strict=True)
    ]
    priced = any(costs)
    figures = [
        _line("Completed attempts, of those that are over", success, highest=100),
        _line("Tokens of an attempt", tokens),
        *([_line("Cost of an attempt", money)] if priced else []),
    ]
    return HistorySection(table, tuple(figures))


def _line(caption: str, points: Sequence[PlotPoint], highest: float | None = None) -> Figure:
    return Figure(caption, line(caption, points, highest=highest))


def _bars(caption: str, rows: Sequence[PlotBar]) -> tuple[Figure, ...]:
    return (Figure(caption, bars(caption, rows)),)


def _each(day: NamedTally, amount: float) -> float | None:
    return amount / day.tally.seen if day.tally.seen else None


def _text(day: NamedTally, which: int) -> str:
    """Tokens (0), cost (1) or time (2) of an attempt, as the table has it."""
    return averages_of(day)[which]


def _completed(name: str, title: str) -> Callable[[HistoryTable, Statistics], HistorySection]:
    """Of each group how many attempts completed their task, and how many did not."""

    def draw(table: HistoryTable, statistics: Statistics) -> HistorySection:
        tallies: Tallies = getattr(statistics, name)
        rows = [
            PlotBar(
                _ROUTES.get(each.name, each.name),
                (each.tally.good, each.tally.over - each.tally.good),
                share(each),
            )
            for each in tallies[:_MOST_BARS]
        ]
        return HistorySection(table, _bars(title, rows), ("completed", "not completed"))

    return draw


_ROUTES: Mapping[str, str] = {"single_phase": "single phase"}


def _ends(table: HistoryTable, statistics: Statistics) -> HistorySection:
    words = {str(status): word.text for status, word in TASKS.items()}
    rows = [
        PlotBar(words.get(each.name, each.name), (each.tally.seen,), str(each.tally.seen))
        for each in statistics.statuses
    ]
    return HistorySection(table, _bars("Where attempts ended", rows))


def _nodes(table: HistoryTable, statistics: Statistics) -> HistorySection:
    by_time = sorted(statistics.nodes, key=lambda each: -each.tally.used.seconds)
    rows = [
        PlotBar(each.name, (each.tally.used.seconds,), duration(each.tally.used.seconds))
        for each in by_time[:_MOST_BARS]
    ]
    return HistorySection(table, _bars("Time by node", rows))


def _errors(table: HistoryTable, statistics: Statistics) -> HistorySection:
    rows = [
        PlotBar(
            each.name.replace("_", " "),
            (each.tally.good, each.tally.seen - each.tally.good),
            error_line(each).partition(": ")[2],
        )
        for each in statistics.errors[:_MOST_BARS]
    ]
    return HistorySection(table, _bars("Errors", rows), ("recovered", "not recovered"))


def _strategies(table: HistoryTable, statistics: Statistics) -> HistorySection:
    rows = [
        PlotBar(
            each.name,
            (each.tally.good, each.tally.over - each.tally.good),
            strategy_line(each).partition(": ")[2],
        )
        for each in statistics.strategies
    ]
    figures = _bars("Recovery strategies that were applied", rows)
    return HistorySection(table, figures, ("finished", "not finished"))


_PLOTS: Mapping[str, Callable[[HistoryTable, Statistics], HistorySection]] = {
    _BY_DAY: _days,
    "By model": _completed("models", "Completed attempts by model"),
    "By route": _completed("routes", "Completed attempts by route"),
    "By complexity": _completed("complexities", "Completed attempts by complexity"),
    "By kind of task": _completed("kinds", "Completed attempts by kind of task"),
    "Repairs that worked": _completed("repairs", "Attempts with repairs that completed their task"),
    "Where attempts ended": _ends,
    "Time by node": _nodes,
    "Errors": _errors,
    "Recovery strategies": _strategies,
}
"""How a table is drawn, by its title; tables without a picture stand alone."""
