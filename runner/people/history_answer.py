"""What people are answered who ask about the history: the same at a terminal and in a comment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from runner.history.inquiry import HistoryQuery, Recalled, at_most
from runner.history.statistics import Statistics, statistics_of
from runner.people.cost_sentences import run_cost
from runner.people.history_sentences import (
    HistoryTable,
    as_lines,
    as_markdown,
    error_line,
    error_tables,
    errors_table,
    recent_table,
    summary,
    tables,
    unreadable,
)
from runner.ports import History

HistoryTopic = Literal["recent", "errors", "stats"]

MOST_LISTED = 20
"""Attempts that are listed."""


@dataclass(frozen=True, slots=True)
class HistoryAnswer:
    """What is known: the statistics, and the records that were asked for.

    ``page`` is the address of a page that shows it with plots; '' where there is none.
    """

    topic: HistoryTopic
    statistics: Statistics
    found: Recalled
    newest: Recalled = field(default_factory=Recalled)
    """All records of the newest run, with their nodes."""
    page: str = ""


async def answered(history: History, topic: HistoryTopic, query: HistoryQuery) -> HistoryAnswer:
    """Ask a history. Raises ``Outage``."""
    statistics = statistics_of(await history.totals(query), query)
    found = await history.recent(at_most(query, MOST_LISTED))
    newest = await newest_run(history, found) if topic == "recent" else Recalled()
    return HistoryAnswer(topic, statistics, found, newest)


async def newest_run(history: History, found: Recalled) -> Recalled:
    """Return everything recorded about the run of the newest record. Raises ``Outage``."""
    if not found.executions:
        return Recalled()
    return await history.of_run(found.executions[0].key.run)


def sentences(answer: HistoryAnswer) -> list[str]:
    """What is said before the tables; no text of others."""
    said = summary(answer.statistics)
    if answer.topic == "errors":
        said += [f"{error_line(each)}." for each in answer.statistics.errors]
    return said + unreadable(answer.found)


def shown(answer: HistoryAnswer) -> tuple[HistoryTable, ...]:
    """The tables that have rows."""
    statistics, executions = answer.statistics, answer.found.executions
    if answer.topic == "stats":
        return tables(statistics)
    found: tuple[HistoryTable | None, ...]
    if answer.topic == "errors":
        found = (*error_tables(statistics), errors_table(executions))
    else:
        newest = answer.newest.executions
        found = (run_cost(newest), recent_table(executions))
    return tuple(table for table in found if table and table.rows)


def plain(answer: HistoryAnswer) -> Iterator[str]:
    """The lines for a terminal; the caller makes them printable."""
    yield from sentences(answer)
    for table in shown(answer):
        yield ""
        yield from as_lines(table)


def markdown(answer: HistoryAnswer) -> str:
    """The text of a comment."""
    link = [f"[A page with plots]({answer.page})"] if answer.page else []
    return "\n\n".join([" ".join(sentences(answer)), *map(as_markdown, shown(answer)), *link])
