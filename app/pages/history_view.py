"""What the pages of the history show: the statistics of the command line, and plots of them.

Every number in words comes from where ``cairn history`` and the comments take it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.pages.plots import PlotBar, PlotPoint, bars, line
from runner.history.inquiry import Recalled
from runner.history.statistics import NamedTally, Statistics, Tallies
from runner.people.cost_sentences import run_cost
from runner.people.history_sentences import (
    ROUTES,
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
    drawn = _drawn(statistics)
    every = [HistorySection(t, *drawn.get(t.title, ())) for t in tables(statistics)]
    every.sort(key=lambda section: section.table.title != "By day")
    cost = run_cost(newest_run.executions)
    newest = recent_table(found.executions) if found.executions else None
    return [*every, *(HistorySection(table) for table in (cost, newest) if table)]


def sentences(statistics: Statistics, found: Recalled) -> list[str]:
    """Return what happened in a few sentences, with what could not be read."""
    return [*summary(statistics), *unreadable(found)]


_COMPLETED = {
    "By model": ("models", "Completed attempts by model"),
    "By route": ("routes", "Completed attempts by route"),
    "By complexity": ("complexities", "Completed attempts by complexity"),
    "By kind of task": ("kinds", "Completed attempts by kind of task"),
    "Repairs that worked": ("repairs", "Attempts with repairs that completed their task"),
}
"""Groups of attempts by the title of their table, which show how many completed their task."""


def _drawn(statistics: Statistics) -> dict[str, tuple[tuple[Figure, ...], tuple[str, ...]]]:
    """How tables are drawn, by their titles, with the words for the colours; others stand alone."""
    words = {str(status): word.text for status, word in TASKS.items()}
    by_time = sorted(statistics.nodes, key=lambda each: -each.tally.used.seconds)
    ends = [
        PlotBar(words.get(each.name, each.name), (each.tally.seen,), str(each.tally.seen))
        for each in statistics.statuses
    ]
    nodes = [
        PlotBar(each.name, (each.tally.used.seconds,), duration(each.tally.used.seconds))
        for each in by_time[:_MOST_BARS]
    ]
    errors = [
        PlotBar(
            each.name.replace("_", " "),
            (each.tally.good, each.tally.seen - each.tally.good),
            error_line(each).partition(": ")[2],
        )
        for each in statistics.errors[:_MOST_BARS]
    ]
    strategies = [
        PlotBar(each.name, _parts(each), strategy_line(each).partition(": ")[2])
        for each in statistics.strategies
    ]
    found = {
        "By day": (_course(statistics.days), ()),
        "Where attempts ended": (_bars("Where attempts ended", ends), ()),
        "Time by node": (_bars("Time by node", nodes), ()),
        "Errors": (_bars("Errors", errors), ("recovered", "not recovered")),
        "Recovery strategies": (
            _bars("Recovery strategies that were applied", strategies),
            ("finished", "not finished"),
        ),
    }
    for title, (name, caption) in _COMPLETED.items():
        rows = [
            PlotBar(ROUTES.get(each.name, each.name), _parts(each), share(each))
            for each in getattr(statistics, name)[:_MOST_BARS]
        ]
        found[title] = (_bars(caption, rows), ("completed", "not completed"))
    return found


def _parts(each: NamedTally) -> tuple[float, float]:
    return each.tally.good, each.tally.over - each.tally.good


def _bars(caption: str, rows: Sequence[PlotBar]) -> tuple[Figure, ...]:
    return (Figure(caption, bars(caption, rows)),)


def _course(days: Tallies) -> tuple[Figure, ...]:
    """What each day brought; tokens and cost of an attempt as the table has them."""
    costs = [day.tally.used.known_cost for day in days]
    curves: dict[str, tuple[list[PlotPoint], float | None]] = {
        "Completed attempts, of those that are over": (
            [PlotPoint(day.name, day.percent, share(day)) for day in days],
            100,
        ),
        "Tokens of an attempt": (
            [
                PlotPoint(day.name, day.tally.used.tokens / day.tally.seen, averages_of(day)[0])
                for day in days
            ],
            None,
        ),
    }
    if any(costs):
        money = [
            PlotPoint(
                day.name, None if cost is None else cost / day.tally.seen, averages_of(day)[1]
            )
            for day, cost in zip(days, costs, strict=True)
        ]
        curves["Cost of an attempt"] = (money, None)
    return tuple(
        Figure(caption, line(caption, points, highest=highest))
        for caption, (points, highest) in curves.items()
    )
