"""The contract of the history port: a checkout's file and both databases pass it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
import sqlalchemy as sa

from app.store.database import open_store
from app.store.history import StoredHistory
from runner.files.history_file import FileHistory
from runner.history.inquiry import HistoryQuery, asked, at_most
from runner.history.records import ExecutionRecovery
from runner.history.totals import summed
from tests.postgresql import emptied
from tests.runner.history.made import DAY, NOW, execution


class OpenHistory:
    """A history, and a way to run SQL behind its back."""

    def __init__(self, history, run_sql):
        self.history = history
        self.run_sql = run_sql


@pytest.fixture(params=["file", "sqlite", "postgresql"])
def place(request, tmp_path):
    """Where it is kept: the address of a database, '' for a file."""
    if request.param == "postgresql":
        return emptied(request.getfixturevalue("migrated"))
    return "" if request.param == "file" else f"sqlite:///{tmp_path}/cairn.db"


@pytest.fixture
async def opened(place, tmp_path):
    """Open each of them."""
    if not place:
        history = FileHistory(tmp_path / "history.db")

        async def damage(statement):
            with history._using(write=True) as db:
                db.execute(statement)

        yield OpenHistory(history, damage)
        history.close()
        return
    store = await open_store(place)

    async def damage(statement):
        await store.change(sa.text(statement))

    yield OpenHistory(StoredHistory(store), damage)
    await store.close()


@pytest.fixture
def history(opened):
    """The history alone."""
    return opened.history


EVERYTHING = HistoryQuery(until=NOW)


def without_rows(execution):
    """A record as it is listed."""
    return replace(execution, nodes=())


async def sums(history, query=EVERYTHING):
    """What it all adds up to."""
    return summed((await history.totals(query)).days)


async def test_an_empty_history_says_nothing(history):
    """Nothing was recorded, nothing is found."""
    assert (await history.recent(EVERYTHING)).executions == ()
    assert (await history.totals(EVERYTHING)).days == ()
    assert (await history.of_run("r1")).executions == ()
    await history.forget(0, 99_999)


async def test_a_record_is_returned_as_it_was_kept(history):
    """All its fields, with nodes and commands where a run is asked for."""
    kept = execution(error="import", status="failed", errors=("import", "test"))

    await history.record(kept)

    assert (await history.of_run("r1")).executions == (kept,)
    assert (await history.recent(EVERYTHING)).executions == (without_rows(kept),)


async def test_recording_twice_leaves_one(history):
    """The newer record of an attempt replaces the older one, in the totals too."""
    old = execution(status="failed", error="test", cost=0.5)
    new = execution(
        status="replaced",
        error="test",
        cost=0.75,
        recovery=ExecutionRecovery("rewrite", "approve", outcome="applied", finished=True),
    )
    await history.record(old)
    await history.record(replace(new, at=NOW + 3 * DAY))
    await history.record(new)

    assert (await history.of_run("r1")).executions == (new,)
    found = await sums(history)
    assert found["all", ""].seen == 1
    assert found["all", ""].used.cost == pytest.approx(0.75)
    assert ("status", "failed") not in found
    assert (found["error", "test"].seen, found["error", "test"].good) == (1, 1)
    assert (found["strategy", "rewrite"].seen, found["strategy", "rewrite"].good) == (1, 1)
    assert found["node", "execute_task"].seen == 1


async def test_totals_are_those_of_a_repository_or_of_all(history):
    """Each repository has its own; all of them together are asked for with None."""
    await history.record(execution("r1", repository_id=1))
    await history.record(execution("r2", repository_id=2, status="failed", error="syntax"))

    one = await sums(history, replace(EVERYTHING, repository_id=1))
    every = await sums(history, replace(EVERYTHING, repository_id=None))

    assert (one["all", ""].seen, one["all", ""].good) == (1, 1)
    assert (every["all", ""].seen, every["all", ""].good) == (2, 1)
    listed = await history.recent(replace(EVERYTHING, repository_id=None))
    assert {each.key.run for each in listed.executions} == {"r1", "r2"}


async def test_the_newest_come_first_and_failures_can_be_asked_for(history):
    """A question has a time, a number, and whether only failures count."""
    for number in range(5):
        error = "timeout" if number % 2 else ""
        status = "failed" if error else "completed"
        await history.record(execution(f"r{number}", error=error, status=status, ago=number))

    newest = await history.recent(at_most(EVERYTHING, 2))
    failed = await history.recent(replace(EVERYTHING, failed=True))
    recent = await history.recent(asked(now=NOW, days=2))

    assert [each.key.run for each in newest.executions] == ["r0", "r1"]
    assert [each.key.run for each in failed.executions] == ["r1", "r3"]
    assert [each.key.run for each in recent.executions] == ["r0", "r1"]


async def test_what_is_forgotten_is_gone(opened):
    """Rows and totals from before a day are deleted, those of other repositories stay."""
    history = opened.history
    for number in range(1, 4):
        await history.record(execution(f"old{number}", repository_id=1, ago=10))
    await history.record(execution("new", repository_id=1))
    await history.record(execution("other", repository_id=2, ago=10))

    await history.forget(1, int(NOW // DAY) - 5)

    every = replace(EVERYTHING, repository_id=None)
    left = await history.recent(every)
    assert [each.key.run for each in left.executions] == ["new", "other"]
    assert (await sums(history, every))["all", ""].seen == 2
    assert (await sums(history, replace(EVERYTHING, repository_id=1)))["all", ""].seen == 1
    assert (await history.of_run("old1")).executions == ()
    assert (await history.of_run("other")).executions[0].nodes


async def test_without_details_there_is_one_row(history):
    """Nodes get no rows; the time by node is still added up."""
    await history.record(execution(), details=False)

    (found,) = (await history.of_run("r1")).executions

    assert found.nodes == ()
    assert (await sums(history))["node", "execute_task"].used.tokens == 3000


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE executions SET version = 7 WHERE run = 'r1'",
        "UPDATE executions SET data = '{\"key\": 3' WHERE run = 'r1'",
        "UPDATE executions SET data = '{}' WHERE run = 'r1'",
    ],
)
async def test_a_record_that_cannot_be_read_is_left_out_and_counted(opened, damage):
    """A damaged row and one of another version stop nothing, and the answer says so."""
    history = opened.history
    await history.record(execution("r1"))
    await history.record(execution("r2", ago=1))
    await opened.run_sql(damage)

    found = await history.recent(EVERYTHING)

    assert [each.key.run for each in found.executions] == ["r2"]
    assert found.left_out == 1
    assert (await history.totals(EVERYTHING)).other_versions == int("version" in damage)
    await history.record(execution("r1", status="failed", error="test"))
    assert (await sums(history))["all", ""].good == 1


async def test_a_record_from_the_future_is_left_out_and_counted(history):
    """A clock that jumped does not spoil the statistics."""
    await history.record(execution("r1"))
    await history.record(execution("r2", ago=-400))

    found = await history.totals(EVERYTHING)

    assert found.future == 1
    assert summed(found.days)["all", ""].seen == 1
    assert [e.key.run for e in (await history.recent(EVERYTHING)).executions] == ["r1"]


@pytest.mark.parametrize("many", [100, pytest.param(1000, marks=pytest.mark.long("1,000 runs"))])
async def test_many_runs_at_the_same_time_lose_nothing(history, many):
    """They all record at once; the totals are right."""
    runs = [execution(f"r{n}", status="failed" if n % 4 == 0 else "completed") for n in range(many)]

    await asyncio.gather(*(history.record(each) for each in runs))

    found = (await sums(history))["all", ""]
    assert (found.seen, found.good) == (many, 3 * many // 4)
    assert found.used.cost == pytest.approx(many / 4)


async def test_the_file_has_the_tables_of_the_server(tmp_path, store):
    """A checkout's history and a server's have the same tables, columns and indexes."""
    history = FileHistory(tmp_path / "history.db")
    await history.record(execution())
    told = "SELECT tbl_name, name FROM sqlite_master WHERE tbl_name LIKE 'execution%' ORDER BY 1, 2"
    columns = 'SELECT m.name, c.name, c.pk, c."notnull" FROM sqlite_master m JOIN '
    columns += "pragma_table_info(m.name) c WHERE m.name LIKE 'execution%' ORDER BY 1, 2"
    with history._using() as db:
        here = [[tuple(row) for row in db.execute(each)] for each in (told, columns)]
    there = [[tuple(row) for row in await store.rows(sa.text(each))] for each in (told, columns)]
    assert here == there
    history.close()
