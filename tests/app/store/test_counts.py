"""What pages and metrics read besides runs: the steps of a journal, and how much there is."""

from __future__ import annotations

import pytest

from app.store.counts import Counting
from app.store.history import StoredHistory
from app.store.runs import StoredJournal
from runner.history.inquiry import asked, at_most
from runner.ports import JournalRow
from tests.app.pages.histories import executions
from tests.app.store.rows import put_run, put_wakeup
from tests.app.store.test_runs import REQUEST
from tests.postgresql import ON_BOTH

pytestmark = ON_BOTH


async def test_the_steps_of_a_run_say_when_and_how_long(store, clock):
    """The newest so many, oldest first, without the run's own cursor and other runs."""
    journal = StoredJournal(store, clock)
    for task, number, node, seconds in (
        ("a", 1, "execute_task", {}),
        ("a", 2, "validate_code", {"execute_task": {"seconds": 2.5, "tokens": 7}}),
        ("", 1, "decide_next", {}),
        ("b", 1, "build_context", {}),
    ):
        row = JournalRow("r1", task, number, node, {"spent": {"usage": seconds}})
        await journal.save(row, {})
        clock.forward(1)
    await journal.save(JournalRow("r2", "a", 1, "checkpoint", {}), {})

    found = await journal.steps("r1", 2)
    assert [(step.task, step.node) for step in found] == [
        ("a", "validate_code"),
        ("b", "build_context"),
    ]
    assert found[0].seconds == {"execute_task": 2.5}
    assert (found[1].at - found[0].at).total_seconds() == 2
    assert [step.seconds for step in await journal.steps("r2", 5)] == [{}]


async def test_a_step_of_an_older_version(store, clock):
    """Its row has what its nodes used beside what all of it took."""
    journal = StoredJournal(store, clock)
    used = {"usage": {"plan_task": {"seconds": 1.5}}, "spent": {"seconds": 9.0, "tokens": 3}}
    await journal.save(JournalRow("r1", "a", 1, "plan_task", used), {})

    assert [step.seconds for step in await journal.steps("r1", 5)] == [{"plan_task": 1.5}]


async def test_everything_is_counted_by_its_status(store, clock):
    """Runs and wakeups, and since when the oldest waits."""
    await put_run(store, clock, REQUEST)
    await put_wakeup(store, "w-0", REQUEST.id, "done", clock.now())
    begin = clock.now()
    await put_wakeup(store, "w-1", REQUEST.id, "waiting", begin)
    clock.forward(5)

    counts = await Counting(store).now()
    assert (counts.runs, counts.wakeups) == ({"queued": 1}, {"done": 1, "waiting": 1})
    assert (counts.deliveries, counts.open_proposals, counts.waits_since) == ({}, 0, begin)


@pytest.mark.parametrize(("id", "position"), [("w-0", 0), ("w-1", 1)])
async def test_a_wakeup_knows_its_place(store, clock, id, position):
    """Of those that wait; one that is done has none."""
    await put_wakeup(store, "w-0", "r0", "done", clock.now())
    await put_wakeup(store, "w-1", "r1", "waiting", clock.now())
    counting = Counting(store)

    found = await counting.wakeup(id)
    assert (found.position, await counting.wakeup("nothing")) == (position, None)


async def test_the_history_is_read_as_it_was_written(store, clock):
    """Totals and newest attempts, for the pages."""
    history, now = StoredHistory(store), clock.now().timestamp()
    for each in executions(now):
        await history.record(each)
    query = asked(now=now, days=30, repository_id=5)

    whole = [day.tally.seen for day in (await history.totals(query)).days if day.dimension == "all"]
    assert whole == [2] * 6
    assert len((await history.recent(at_most(query, 5))).executions) == 5
