"""The history: one record, its size, and questions about 100,000 executions.

In a file as ``cairn run`` keeps it, and in both databases of a server.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final

import sqlalchemy as sa
from aiohttp.test_utils import TestClient, TestServer
from sqlalchemy.engine import Connection

from app.store.database import Store, open_store
from app.store.history import StoredHistory
from bench.finding import Finding, Line, Peer, Unmeasured
from bench.synced import rows_a_second
from runner.files.history_file import FileHistory
from runner.history import sql
from runner.history.inquiry import HistoryQuery
from runner.history.records import Execution
from runner.ports import History
from tests.app.pages.pages_bench import PAGE, Bench
from tests.postgresql import is_installed, postgresql
from tests.runner.history.made import NOW, execution

_RECORDS: Final = 200
_MANY: Final = 100_000
_AGAIN: Final = 3
"""How often an attempt is recorded in its life: it waits, is decided, is replaced."""

_MODELS: Final = ("gpt-6.2-sol", "gpt-6.1-terra", "gpt-6-luna", "qwen3-coder")
_ERRORS: Final = ("", "", "", "test", "syntax", "import")


async def measure(folder: Path) -> AsyncIterator[Line]:
    """Record executions one by one, then ask about many of them."""
    file = FileHistory(folder / "history.db")
    for found in await _recorded("in a file", file):
        yield found
    file.close()
    size = (folder / "history.db").stat().st_size / _RECORDS / 1000
    yield _below("the size of a record, with its totals", size, 20, unit="kB")
    bare = Peer(what="bare synced row", value=1e3 / rows_a_second(folder / "bare.db", b"x" * 3000))
    async for line in _server(f"sqlite:///{folder}/cairn.db", "in SQLite", bare):
        yield line
    if not is_installed():
        yield Unmeasured("the history in PostgreSQL", "PostgreSQL is not installed")
        return
    with _cluster() as address:
        async for line in _server(address, "in PostgreSQL", None):
            yield line


@contextmanager
def _cluster() -> Iterator[str]:
    with postgresql(settings="") as cluster:  # as people run it: what is committed is on the disk
        yield cluster.database()


async def _server(url: str, where: str, bare: Peer | None) -> AsyncIterator[Line]:
    store = await open_store(url)
    try:
        history = StoredHistory(store)
        first, *others = await _recorded(where, history)
        yield replace(first, peer=bare)
        for found in others:
            yield found
        await store.write(_fill)
        whole = HistoryQuery(until=NOW)
        many = f"of {_MANY:,} executions {where}"
        yield _below(f"statistics {many}", await _asking(history.totals, whole), 100)
        yield _below(f"the newest {many}", await _asking(history.recent, whole), 20)
        first_page, next_page = await _page(store)
        yield _below(f"the first page {many}", first_page, 300)
        yield _below(f"each further page {many}", next_page, 300)
    finally:
        await store.close()


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


async def _recorded(where: str, history: History) -> list[Finding]:
    """Store records one by one, then some of them again and again."""
    one = await _took(history, [[_made(number)] for number in range(_RECORDS)])
    lives = [[_made(number)] * _AGAIN for number in range(_RECORDS // 4)]
    return [
        _below(f"a record of the history {where}", one, 5),
        _below(f"the {_AGAIN} records of an execution {where}", await _took(history, lives), 50),
    ]


async def _took(history: History, groups: Sequence[Sequence[Execution]]) -> float:
    seconds = []
    for group in groups:
        began = perf_counter()
        for each in group:
            await history.record(each)
        seconds.append(perf_counter() - began)
    return median(seconds) * 1e3


async def _asking(ask: Callable[[HistoryQuery], Awaitable[Any]], query: HistoryQuery) -> float:
    seconds = []
    for _ in range(5):
        began = perf_counter()
        await ask(query)
        seconds.append(perf_counter() - began)
    return median(seconds) * 1e3


async def _page(store: Store) -> tuple[float, float]:
    """The milliseconds that a server needs for its first page of the history, and for others."""
    app = Bench(store).app()  # type: ignore[no-untyped-call]
    async with TestClient(TestServer(app)) as client:
        seconds = []
        for _ in range(6):
            began = perf_counter()
            async with client.get("/history?days=0", headers=PAGE) as answer:
                assert answer.status == 200
                await answer.read()
            seconds.append(perf_counter() - began)
    return seconds[0] * 1e3, median(seconds[1:]) * 1e3


def _fill(connection: Connection) -> None:
    """Store the rest, with what they add up to."""
    totals: dict[tuple[Any, ...], dict[str, Any]] = {}
    rows: list[dict[str, Any]] = []
    for number in range(_RECORDS, _MANY):
        made = sql.rows_of(_made(number), None, details=False)
        rows += map(dict, made[sql.PUT])
        for row in made[sql.ADD]:
            _add(totals, row)
    connection.execute(sa.text(sql.PUT.row), rows)
    connection.execute(sa.text(sql.ADD.row), list(totals.values()))


def _add(totals: dict[tuple[Any, ...], dict[str, Any]], row: Mapping[str, Any]) -> None:
    place = tuple(row[name] for name in ("scope", "day", "dimension", "value"))
    if place not in totals:
        totals[place] = dict(row)
        return
    for name, amount in row.items():
        if name != "day" and not isinstance(amount, str):
            totals[place][name] += amount
