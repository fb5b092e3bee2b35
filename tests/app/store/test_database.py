"""Opening, migrating and lending the database."""

from __future__ import annotations

import asyncio
import os
import threading
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from app.store.database import StoreError, keep_private, open_current, open_store
from app.store.outbox import Outbox
from app.store.schema import metadata
from runner.errors import Outage


def damage(path):
    path.write_bytes(b"damaged" * 1000)


async def pragma(store, name):
    return await store.value(sa.text(f"PRAGMA {name}"))


@pytest.mark.parametrize(
    ("name", "value"),
    [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1), ("busy_timeout", 30000)],
)
async def test_every_connection_is_durable_and_patient(store, name, value):
    """Each connection has WAL, full synchronisation, foreign keys and a long busy time-out."""
    assert await pragma(store, name) == value


def differences(connection):
    return compare_metadata(MigrationContext.configure(connection), metadata)


async def test_the_migrations_make_the_tables_of_the_schema(store):
    """A new file, after all migrations, has exactly the tables the code expects."""
    assert await store.read(differences) == []


async def test_a_second_start_keeps_everything(url, store):
    """Opening a migrated database again changes no schema and loses no row."""
    await store.change(sa.text("CREATE TABLE keep AS SELECT 7 AS n"))
    await store.close()

    again = await open_store(url)

    assert (await pragma(again, "user_version")) == 0
    assert await again.value(sa.text("SELECT n FROM keep")) == 7
    await again.close()


async def test_a_database_of_a_newer_version_is_refused(url, store):
    """A file that a newer Cairn has migrated is not touched, and the message says why."""
    await store.change(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    await store.close()

    with pytest.raises(StoreError, match=r"newer Cairn.*9999"):
        await open_store(url)


async def test_a_file_that_is_no_database_is_refused(tmp_path):
    """Pointing at another file names it and leaves it alone."""
    other = tmp_path / "notes.txt"
    other.write_text("not a database, but somebody's notes\n" * 50)

    with pytest.raises(StoreError, match=r"notes\.txt.*not a database"):
        await open_store(f"sqlite:///{other}")

    assert other.read_text().startswith("not a database")


async def test_a_data_folder_that_cannot_be_made_is_told(tmp_path):
    """A data folder below a file is refused with the setting to change."""
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreError, match="CAIRN_DATA_DIR"):
        await open_store(f"sqlite:///{tmp_path}/file/data/cairn.db")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write into a read-only folder")
async def test_a_read_only_folder_is_told(tmp_path):
    """A folder without write permission is refused with what to look at."""
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="permissions"):
        await open_store(f"sqlite:///{tmp_path}/cairn.db")
    tmp_path.chmod(0o700)


async def test_a_read_only_file_is_told(url, store):
    """A database that may only be read is refused with what to look at."""
    await store.close()
    path = url.removeprefix("sqlite:///")

    with pytest.raises(StoreError, match=r"readonly database.*permissions"):
        await open_store(f"sqlite:///file:{path}?mode=ro&uri=true")


def modes(folder):
    """The permissions of a folder and of what is in it."""
    return {each.name: oct(each.stat().st_mode & 0o777) for each in (folder, *folder.iterdir())}


async def test_only_its_owner_can_read_the_database(tmp_path):
    """Folder, file and what SQLite puts beside it are private, also those that were not."""
    url, folder = f"sqlite:///{tmp_path}/data/cairn.db", tmp_path / "data"
    store = await open_store(url)
    made = modes(folder)
    for each in folder.iterdir():
        each.chmod(0o644)
    again = await open_store(url)
    mended = modes(folder)
    await store.close()
    await again.close()

    files = ("cairn.db", "cairn.db-wal", "cairn.db-shm")
    assert made == {"data": "0o700", **dict.fromkeys(files, "0o600")}
    assert mended == made


def test_what_cannot_be_made_private_is_told(caplog):
    """A folder that everybody uses is left alone."""
    keep_private(Path("/tmp"))

    assert "Other users of this machine can look into /tmp" in caplog.text


async def test_a_database_that_cannot_hold_every_text_is_refused(cluster):
    """PostgreSQL's SQL_ASCII is told once, at the start, with what to type."""
    url = cluster.database("--encoding=SQL_ASCII", "--template=template0", "--locale=C")

    with pytest.raises(StoreError, match=r"SQL_ASCII, and Cairn needs UTF8.*CREATE DATABASE"):
        await open_store(url)


async def test_the_check_writes(store):
    """What can be read and not be written, as on a full disk, is not ready."""
    await store.change(sa.text("ALTER TABLE alembic_version RENAME TO away"))

    with pytest.raises(Outage, match="free space"):
        await store.check()


async def test_a_failed_write_leaves_nothing_half_done(store):
    """An error inside a write transaction undoes all of it."""

    def half(connection):
        connection.execute(sa.text("CREATE TABLE half (n)"))
        connection.execute(sa.text("INSERT INTO nowhere VALUES (1)"))

    with pytest.raises(Outage):
        await store.write(half)

    tables = await store.rows(sa.text("SELECT name FROM sqlite_master"))
    assert ("half",) not in tables


async def test_a_read_and_a_write_are_one_transaction(store):
    """Many writers that read, then write what they read, lose no update."""
    await store.change(sa.text("CREATE TABLE counter AS SELECT 0 AS n"))

    def count(connection):
        n = connection.execute(sa.text("SELECT n FROM counter")).scalar_one()
        connection.execute(sa.text("UPDATE counter SET n = :n"), {"n": n + 1})

    await asyncio.gather(*(store.write(count) for _ in range(20)))

    assert await store.value(sa.text("SELECT n FROM counter")) == 20


async def test_readers_do_not_wait_for_the_writer(store):
    """While a write transaction is open, others read the state before it."""
    loop = asyncio.get_running_loop()

    def write(connection):
        connection.execute(sa.text("CREATE TABLE hidden (n)"))
        read = asyncio.run_coroutine_threadsafe(pragma(store, "journal_mode"), loop)
        return read.result(timeout=30)

    assert await store.write(write) == "wal"


async def test_the_migrations_work_from_any_folder(tmp_path, monkeypatch):
    """The migrations come from the package, not from the current folder (% in the path too)."""
    monkeypatch.chdir(tmp_path)

    store = await open_store("sqlite:///100%/cairn.db")
    await store.close()

    assert [path.name for path in (tmp_path / "100%").iterdir()] == ["cairn.db"]


async def test_check_tells_a_database_that_went_away(url, store):
    """The readiness check raises an outage when the tables' file is damaged."""
    store._engine.dispose()
    damage(Path(url.removeprefix("sqlite:///")))

    with pytest.raises(Outage, match="database failed"):
        await store.check()


_BEFORE_0020 = """
    DROP INDEX ix_orders_repository_id_sent_at;
    DROP INDEX ix_outbox_status_channel_run_seq;
    ALTER TABLE outbox DROP COLUMN channel;
    CREATE INDEX ix_outbox_status_run_seq ON outbox (status, run, seq);
    INSERT INTO outbox (id, run, event, body, made_at, status, tries, next_at)
        VALUES ('1', 'r', 'node_started', '{}', 0, 'waiting', 0, 0);
    ALTER TABLE spending DROP COLUMN held;
    UPDATE alembic_version SET version_num = '0019'
"""


async def test_a_database_of_the_version_before_gets_what_is_new(url, store, clock):
    """It is like a new one then, and what waited in it waits for the webhook."""
    for statement in _BEFORE_0020.split(";"):
        await store.change(sa.text(statement))
    assert await store.read(differences) != []
    await store.close()

    again = await open_store(url)

    assert await again.read(differences) == []
    assert [each.id for each in await Outbox(again, clock).due(1)] == ["1"]
    await again.close()


_SLOW = """
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 50000)
    SELECT n FROM numbers
"""


async def test_a_write_that_was_cut_off_holds_nobody_up(url):
    """Cancelled in the middle of a statement, and whoever keeps its task afterwards."""

    loop, store, kept = asyncio.get_running_loop(), await open_store(url), []

    def slow(reached, connection):
        loop.call_soon_threadsafe(reached.set)
        connection.execute(sa.text(_SLOW)).all()

    try:
        for steps in range(8):
            reached = asyncio.Event()
            kept.append(asyncio.create_task(store.write(partial(slow, reached))))
            await reached.wait()
            for _ in range(steps):
                await asyncio.sleep(0)
            kept[-1].cancel()
            await asyncio.wait([kept[-1]])

            await store.check()
    finally:
        await store.close()


async def test_closing_waits_for_what_was_cut_off(url):
    """However far each statement is when its task is cancelled: nothing of it is left behind."""

    def threads() -> list[str]:
        return [each.name for each in threading.enumerate() if each.name.startswith("store")]

    others, ours = threads(), asyncio.current_task()
    await (await open_store(url)).close()
    for steps in range(30):
        store = await open_current(url)
        tasks = [asyncio.create_task(store.value(sa.text("SELECT 1"))) for _ in range(3)]
        for _ in range(steps):
            await asyncio.sleep(0)
        for task in tasks:
            task.cancel()

        await store.close()

        assert threads() == others, steps
        await asyncio.wait(tasks, timeout=5)
        assert asyncio.all_tasks() == {ours}, steps
