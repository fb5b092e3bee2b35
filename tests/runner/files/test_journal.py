"""The contract of the journal port: every adapter passes these.

A second implementation joins by one entry in ``IMPLEMENTATIONS``: a function from a folder to a
context that opens a journal on what the folder (or a database named after it) holds.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.store.database import open_store
from app.store.runs import StoredJournal
from runner.errors import Outage
from runner.files.journal import FileJournal, newest
from runner.ports import Journal, JournalRow, SystemClock
from runner.state.changes import blob_sha

Opener = Callable[[], AbstractAsyncContextManager[Journal]]


@asynccontextmanager
async def file_journal(folder: Path) -> AsyncIterator[Journal]:
    """Open the plain-file journal."""
    journal = FileJournal(folder)
    try:
        yield journal
    finally:
        await journal.close()


@asynccontextmanager
async def stored_journal(folder: Path) -> AsyncIterator[Journal]:
    """Open the journal of a database file."""
    store = await open_store(f"sqlite:///{folder}.db")
    try:
        yield StoredJournal(store, SystemClock())
    finally:
        await store.close()


IMPLEMENTATIONS = {"file": file_journal, "database": stored_journal}


@pytest.fixture(params=IMPLEMENTATIONS.values(), ids=IMPLEMENTATIONS.keys())
def opened(request, tmp_path) -> Opener:
    """Open the same journal again and again, as processes would that follow each other."""
    return lambda: request.param(tmp_path / "journal")


def row(
    seq: int, *, run: str = "r1", task: str = "t1", node: str = "plan_task", **data
) -> JournalRow:
    """Make a row."""
    return JournalRow(run, task, seq, node, data)


async def save(journal: Journal, *rows: JournalRow) -> list[JournalRow]:
    """Save rows without contents."""
    return [await journal.save(each, {}) for each in rows]


async def test_unknown_run(opened):
    """A run that never saved a row has none."""
    async with opened() as journal:
        assert await journal.recall("r1") == []


async def test_newest_of_every_cursor(opened):
    """The newest row of each cursor comes back, after the process ended too."""
    rows = [row(1, task=""), row(1), row(2, task=""), row(1, task="t2"), row(2), row(10), row(9)]
    async with opened() as journal:
        await save(journal, *rows)
        here = await journal.recall("r1")
    async with opened() as journal:
        after = await journal.recall("r1")

    assert {each.task: each.seq for each in after} == {"": 2, "t1": 10, "t2": 1}
    assert here == after


async def test_first_writer_wins(opened):
    """A second row of the same key is not stored, and its writer is handed the first."""
    async with opened() as journal:
        [first, second] = await save(journal, row(1, answer="one"), row(1, answer="two"))
    async with opened() as journal:
        [third] = await save(journal, row(1, answer="three"))
        [recalled] = await journal.recall("r1")

    assert first == second == third == recalled == row(1, answer="one")


async def test_first_writer_wins_at_the_same_time(opened):
    """Of rows saved at the same moment one is stored, and everyone goes on with that one."""
    async with opened() as journal:
        saves = (journal.save(row(1, answer=n), {}) for n in range(20))
        stored = await asyncio.gather(*saves)
        [recalled] = await journal.recall("r1")

    assert all(each == recalled for each in stored)


async def test_runs_are_apart(opened):
    """A run's rows are its own, even of tasks with the same key."""
    async with opened() as journal:
        await save(journal, row(1, run="r1"), row(2, run="r2"))
        [only] = await journal.recall("r1")

    assert only == row(1, run="r1")


async def test_what_is_stored_is_handed_back(opened):
    """Saving hands back the row as it will be recalled: JSON has no tuples."""
    async with opened() as journal:
        stored = await journal.save(row(1, pair=(1, 2)), {})
        [recalled] = await journal.recall("r1")

    assert stored == recalled
    assert recalled.data == {"pair": [1, 2]}


@pytest.mark.parametrize(
    "value", ["caf\udce9", "\u2028\n\0", "🐌", {"": None}, [[]], 1.5, -(2**70), True]
)
async def test_values(opened, value):
    """Every JSON value comes back as it went in, also names of files that are no UTF-8."""
    async with opened() as journal:
        await save(journal, row(1, value=value))
    async with opened() as journal:
        [recalled] = await journal.recall("r1")

    assert recalled.data == {"value": value}


async def test_contents(opened):
    """A content comes back byte for byte, whoever saved it and however often."""
    content = bytes(range(256)) * 300
    held = {blob_sha(content): content, blob_sha(b""): b""}
    async with opened() as journal:
        await journal.save(row(1), held)
        await journal.save(row(1, run="r2"), held)
    async with opened() as journal:
        back = {sha: await journal.content(sha) for sha in held}

    assert back == held


async def test_contents_of_the_loser(opened):
    """The stored row's contents are there although another row of its key came later."""
    async with opened() as journal:
        await journal.save(row(1), {blob_sha(b"first"): b"first"})
        await journal.save(row(1), {blob_sha(b"second"): b"second"})

        assert await journal.content(blob_sha(b"first")) == b"first"


async def test_content_that_is_missing(opened):
    """A content that was never saved is told by its name."""
    async with opened() as journal:
        with pytest.raises(Outage, match=blob_sha(b"never")):
            await journal.content(blob_sha(b"never"))


async def test_content_under_a_wrong_name(opened):
    """A content under a name that is not its own is a bug, and nothing is stored."""
    async with opened() as journal:
        with pytest.raises(ValueError, match="not the blob sha"):
            await journal.save(row(1), {blob_sha(b"a"): b"b"})

        assert await journal.recall("r1") == []


@given(st.dictionaries(st.tuples(st.sampled_from(["", "a", "b"]), st.integers(0, 99)), st.none()))
def test_newest(keys):
    """The newest row of a cursor is that with the highest number, in whatever order they came."""
    rows = {(task, seq): row(seq, task=task) for task, seq in keys}

    expected = {task: max(s for t, s in keys if t == task) for task, _ in keys}
    assert {each.task: each.seq for each in newest(rows)} == expected
