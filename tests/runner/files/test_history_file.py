"""The history of a checkout's file: what only a file can meet. Its contract: tests/app/store."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing

import pytest

from runner.files.history_file import FileHistory
from runner.history.inquiry import HistoryQuery
from runner.history.totals import summed
from tests.runner.history.made import DAY, NOW, execution

EVERYTHING = HistoryQuery(until=NOW)


async def test_the_next_process_finds_what_was_kept(tmp_path):
    """A record is whole in the file, with its rows; what is forgotten is not found again."""
    kept = execution(error="import", status="failed", errors=("import",))
    first = FileHistory(tmp_path / "history.db")
    await first.record(kept)
    await first.record(execution("old", ago=10))
    first.close()

    second = FileHistory(tmp_path / "history.db")
    assert (await second.of_run("r1")).executions == (kept,)
    await second.forget(0, int(NOW // DAY) - 5)
    second.close()

    third = FileHistory(tmp_path / "history.db")
    assert (await third.of_run("old")).executions == ()
    assert [each.key.run for each in (await third.recent(EVERYTHING)).executions] == ["r1"]
    third.close()


async def test_secrets_are_masked_in_the_file(tmp_path):
    """What is recorded of a failure may quote a test that printed a key."""
    history = FileHistory(tmp_path / "history.db", mask=lambda text: text.replace("s3cr3t", "***"))

    await history.record(execution(model="s3cr3t"))

    history.close()
    assert all(b"s3cr3t" not in file.read_bytes() for file in tmp_path.iterdir())


async def test_a_foreign_file_is_moved_aside(tmp_path):
    """A history that is no database is kept for people, and a new one begins."""
    file = tmp_path / "history.db"
    file.write_bytes(b"no database at all" * 500)
    history = FileHistory(file)

    await history.record(execution())

    assert (tmp_path / "history.db.broken").exists()
    assert len((await history.recent(EVERYTHING)).executions) == 1
    history.close()


async def test_a_history_of_a_newer_version_is_left_alone(tmp_path):
    """It says to update, and changes nothing."""
    file = tmp_path / "history.db"
    history = FileHistory(file)
    await history.record(execution())
    with history._using(write=True) as db:
        db.execute("PRAGMA user_version = 99")
    history.close()

    with pytest.raises(Exception, match="newer Cairn"):
        await history.recent(EVERYTHING)
    with pytest.raises(Exception, match="newer Cairn"):
        await history.record(execution("r2"))


async def test_it_waits_while_another_process_makes_the_file(tmp_path):
    """The other holds the file when this one opens it for the first time."""
    history = FileHistory(tmp_path / "history.db")
    with closing(sqlite3.connect(tmp_path / "history.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        asyncio.get_running_loop().call_later(0.2, other.rollback)
        await history.record(execution())

    assert len((await history.recent(EVERYTHING)).executions) == 1
    history.close()


async def test_hundreds_of_runs_at_the_same_time_lose_nothing(tmp_path):
    """With two histories open on the file, as two processes would."""
    first, second = FileHistory(tmp_path / "history.db"), FileHistory(tmp_path / "history.db")
    runs = [execution(f"r{n}", status="failed" if n % 4 == 0 else "completed") for n in range(200)]

    both = zip(runs, [first, second] * 100, strict=True)
    await asyncio.gather(*(history.record(each) for each, history in both))

    found = summed((await first.totals(EVERYTHING)).days)["all", ""]
    assert (found.seen, found.good) == (200, 150)
    first.close()
    second.close()
