"""One save of a node's row: an attempt of usual size, in a file and in SQLite."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from statistics import median
from time import perf_counter

from app.store.database import open_store
from app.store.runs import StoredJournal
from bench.finding import Finding, Line, Peer
from bench.synced import appends_a_second, rows_a_second
from bench.validation import PYTHON
from runner.files.journal import FileJournal
from runner.loop.journal import Cursors, encode_attempt
from runner.ports import Journal, SystemClock
from runner.state.changes import ChangeSet, Write
from runner.state.run_state import RunState
from tests.runner.states import at

_SAVES = 100


async def measure(folder: Path) -> AsyncIterator[Line]:
    """Save a task's row again and again, as its counters change; contents only once."""
    size = len(json.dumps(encode_attempt(_state(0).attempt)[0]))
    store = await open_store(f"sqlite:///{folder}/cairn.db")
    file = FileJournal(folder / "journal")
    sqlite = await _milliseconds(StoredJournal(store, SystemClock()))
    plain = await _milliseconds(file)
    await store.close()
    await file.close()
    row = b"x" * size
    yield _finding(
        f"save of a node in SQLite ({size} bytes)",
        sqlite,
        Peer(what="bare synced row", value=1e3 / rows_a_second(folder / "bare.db", row)),
    )
    yield _finding(
        "the same in a file",
        plain,
        Peer(what="bare append + fsync", value=1e3 / appends_a_second(folder / "bare", row)),
    )


def _finding(what: str, value: float, peer: Peer) -> Finding:
    return Finding(what=what, value=value, unit="ms", peer=peer, goal="< 10 ms", ok=value < 10)


async def _milliseconds(journal: Journal) -> float:
    cursors = Cursors(journal)
    seconds = [await _timed(cursors.save, _state(n)) for n in range(_SAVES)]
    return median(seconds) * 1e3


async def _timed(save: Callable[..., Awaitable[RunState]], state: RunState) -> float:
    began = perf_counter()
    await save(state, node="validate_code", task=state.current)
    return perf_counter() - began


def _state(answers: int) -> RunState:
    changes = ChangeSet({"src/area.py": Write(PYTHON), "tests/test_area.py": Write(PYTHON[:2000])})
    return at("write_files", changes=changes, context=PYTHON, answers=answers)
