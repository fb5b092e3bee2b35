"""``cairn history``: what the runs of this folder did."""

from __future__ import annotations

import asyncio
import json as jsonlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from app.local.options import FOLDER
from app.terminal import any_encoding, printable, say
from runner.errors import PortError
from runner.files.history_file import NAME, FileHistory
from runner.history.inquiry import HistoryQuery, Recalled, asked, at_most
from runner.history.statistics import Statistics, as_json, statistics_of
from runner.people.history_sentences import (
    HistoryTable,
    as_lines,
    error_line,
    error_tables,
    errors_table,
    recent_table,
    summary,
    tables,
    unreadable,
)
from runner.ports import History

Asked = Literal["recent", "errors", "stats"]
MOST = 30
"""Attempts that are listed."""

_HINT = "`cairn show RUN` shows a run, `cairn history stats` what all of them add up to."


@dataclass(frozen=True, slots=True)
class HistoryAnswer:
    """What is known: the statistics, and the records that were asked for."""

    statistics: Statistics
    found: Recalled


def command(folder: Path, what: Asked, *, days: int = 0, json: bool = False) -> int:
    """Print what is asked for; 2 if the history cannot be read."""
    any_encoding()
    history = FileHistory(folder / FOLDER / NAME)
    query = asked(now=datetime.now(UTC).timestamp(), days=days, failed=what == "errors")
    try:
        answer = asyncio.run(answered(history, query))
    except PortError as error:
        print(error.message, file=sys.stderr)
        return 2
    finally:
        history.close()
    if json:
        say(jsonlib.dumps(_object(what, answer), ensure_ascii=False))
        return 0
    for line in _lines(what, answer):
        say(printable(line))
    return 0


async def answered(history: History, query: HistoryQuery) -> HistoryAnswer:
    """Ask a history."""
    statistics = statistics_of(await history.totals(query), query)
    return HistoryAnswer(statistics, await history.recent(at_most(query, MOST)))


def _object(what: Asked, answer: HistoryAnswer) -> dict[str, object]:
    data: dict[str, object] = {"asked": what, "statistics": as_json(answer.statistics)}
    if what != "stats":
        listed = [asdict(replace(e, nodes=(), tools=())) for e in answer.found.executions]
        data |= {"executions": listed, "left_out": answer.found.left_out}
    return data


def _lines(what: Asked, answer: HistoryAnswer) -> Iterator[str]:
    statistics, found = answer.statistics, answer.found
    yield from summary(statistics)
    if not statistics.attempts.tally.seen:
        return
    if what == "stats":
        yield from _shown(tables(statistics))
    elif what == "errors":
        yield from map(error_line, statistics.errors)
        yield from _shown((*error_tables(statistics)[1:], errors_table(found.executions)))
    else:
        yield from _shown((recent_table(found.executions),))
    yield from unreadable(found)
    yield ""
    yield _HINT


def _shown(shown: Sequence[HistoryTable]) -> Iterator[str]:
    for table in shown:
        if table.rows:
            yield ""
            yield from as_lines(table)
