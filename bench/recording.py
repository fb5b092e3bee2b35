"""The history: one record, its size, and questions about 100,000 executions."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final

from app.store.database import open_store
from app.store.history import StoredHistory
from bench.finding import Finding, Line, Peer
from bench.synced import rows_a_second
from runner.files.history_file import FileHistory
from runner.history import sql
from runner.history.inquiry import HistoryQuery
from runner.history.records import Execution
from runner.ports import History
from tests.runner.history.made import NOW, execution

_RECORDS: Final = 200
_MANY: Final = 100_000
_MODELS: Final = ("gpt-5", "gpt-5-mini", "o3", "gpt-4.1")
_ERRORS: Final = ("", "", "", "test", "syntax", "import")


async def measure(folder: Path) -> AsyncIterator[Line]:
    """Record executions one by one, then ask about many of them."""
    file = FileHistory(folder / "history.db")
    store = await open_store(f"sqlite:///{folder}/cairn.db")
    yield _below("a record of the history in a file", await _recording(file), 5)
    bare = Peer(what="bare synced row", value=1e3 / rows_a_second(folder / "bare.db", b"x" * 3000))
    served = _below("the same in SQLite on a server", await _recording(StoredHistory(store)), 5)
    yield replace(served, peer=bare)
    await store.close()
    file.close()
    size = (folder / "history.db").stat().st_size / _RECORDS / 1000
    yield _below("its size, with its totals", size, 20, unit="kB")
    _fill(folder / "history.db")
    whole = HistoryQuery(until=NOW)
    for what, ask, goal in (("statistics", file.totals, 100), ("recent", file.recent, 20)):
        name = f"{what} of {_MANY:,} executions"
        yield _below(name, await _asking(ask, whole), goal)
    file.close()


def _below(what: str, value: float, goal: float, *, unit: str = "ms") -> Finding:
    return Finding(what=what, value=value, unit=unit, goal=f"< {goal} {unit}", ok=value < goal)


def _made(number: int) -> Execution:
    error = _ERRORS[number % len(_ERRORS)]
    return execution(
        f"r{number}",
        status="failed" if error else "completed",
        error=error,
        errors=("test",) * (number % 3),
        model=_MODELS[number % len(_MODELS)],
        ago=number % 90,
    )


async def _recording(history: History) -> float:
    seconds = []
    for number in range(_RECORDS):
        made = _made(number)
        began = perf_counter()
        await history.record(made)
        seconds.append(perf_counter() - began)
    return median(seconds) * 1e3


async def _asking(ask: Callable[[HistoryQuery], Awaitable[Any]], query: HistoryQuery) -> float:
    seconds = []
    for _ in range(5):
        began = perf_counter()
        await ask(query)
        seconds.append(perf_counter() - began)
    return median(seconds) * 1e3


def _fill(database: Path) -> None:
    """Record the rest in one transaction."""
    with closing(sqlite3.connect(database)) as db, db:
        for number in range(_RECORDS, _MANY):
            rows = sql.rows_of(_made(number), None, details=False)
            db.execute(sql.PUT, rows.execution)
            db.executemany(sql.ADD, rows.totals)
