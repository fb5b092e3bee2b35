"""Deliveries are stored once and stay until their work is done."""

from __future__ import annotations

import asyncio

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import ProgrammingError

from app.store.database import open_store
from app.store.deliveries import BATCH, Deliveries, Worked
from runner.errors import Outage
from tests.app.store.rows import delivered, unfinished
from tests.postgresql import ON_BOTH

pytestmark = ON_BOTH


def delivery(id, **changes):
    return {
        "id": id,
        "event": "issue_comment",
        "repository_id": 42,
        "headers": {"X-GitHub-Event": "issue_comment"},
        "payload": b'{"n": "\xc3\xa9"}',
        **changes,
    }


@pytest.fixture
def deliveries(store, clock):
    return Deliveries(store, clock)


class Gate:
    """A store whose write transactions wait at the door until it is opened; counts them."""

    def __init__(self, store):
        self.store, self.writes = store, 0
        self.reached, self.open = asyncio.Event(), asyncio.Event()

    @property
    def dialect(self):
        return self.store.dialect

    async def insert(self, work):
        self.writes += 1
        self.reached.set()
        await self.open.wait()
        return await self.store.insert(work)


async def test_a_delivery_comes_back_byte_for_byte(deliveries, clock):
    """What was stored is what is worked on, with the time it arrived."""
    assert await deliveries.store(**delivery("a"))

    stored = await delivered(deliveries, "a")

    assert (stored.event, stored.repository_id, stored.status) == ("issue_comment", 42, "stored")
    assert stored.payload == b'{"n": "\xc3\xa9"}'
    assert stored.headers == {"X-GitHub-Event": "issue_comment"}
    assert stored.received_at == clock.now()


async def test_a_known_delivery_is_not_new(deliveries):
    """A duplicate of a delivery is not new, finished or not."""
    await deliveries.store(**delivery("a"))

    assert not await deliveries.store(**delivery("a"))
    await deliveries.finish([Worked("a")])
    assert not await deliveries.store(**delivery("a"))
    assert await unfinished(deliveries._store) == []


async def test_a_redelivery_of_a_failed_one_is_worked_again(deliveries):
    """Asking GitHub to redeliver a delivery whose work failed makes it unfinished again."""
    await deliveries.store(**delivery("a"))
    await deliveries.finish([Worked("a", "KeyError: 'x'")])
    assert (await delivered(deliveries, "a")).error == "KeyError: 'x'"

    assert await deliveries.store(**delivery("a"))

    again = await delivered(deliveries, "a")
    assert (again.status, again.error, again.finished_at) == ("stored", "", None)


async def test_work_made_of_a_delivery_fails_with_it(deliveries):
    """A redelivery of the delivery itself then tries both again."""
    await deliveries.store(**delivery("a"))
    await deliveries.store(**delivery("a restack"))
    await deliveries.finish([Worked("a")])
    await deliveries.finish([Worked("a restack", "KeyError: 'x'")])
    assert (await delivered(deliveries, "a")).status == "failed"

    assert await deliveries.store(**delivery("a"))
    assert await deliveries.store(**delivery("a restack"))


async def test_unfinished_deliveries_survive_a_restart_in_order(url, store, deliveries, clock):
    """After a restart the unfinished deliveries are known in order of arrival, clock or not."""
    for id in ("z", "b", "y"):
        await deliveries.store(**delivery(id))
        clock.forward(-5)
    await deliveries.finish([Worked("b")])
    await store.close()

    again = await open_store(url)

    assert await unfinished(again) == ["z", "y"]
    await again.close()


async def test_deliveries_that_arrive_together_share_a_transaction(store, clock):
    """While one batch is written the next collects: 50 deliveries need two transactions."""
    gate = Gate(store)
    deliveries = Deliveries(gate, clock)
    first = asyncio.create_task(deliveries.store(**delivery("first")))
    await gate.reached.wait()
    rest = [asyncio.create_task(deliveries.store(**delivery(f"d{n}"))) for n in range(49)]
    gate.open.set()

    assert all(await asyncio.gather(first, *rest))
    assert gate.writes == 2
    assert len(await unfinished(store)) == 50


async def test_nobody_is_told_before_the_commit(store, clock):
    """A store call does not return while its transaction is not committed."""
    gate = Gate(store)
    waiting = asyncio.create_task(Deliveries(gate, clock).store(**delivery("a")))
    await gate.reached.wait()

    assert not waiting.done()
    gate.open.set()
    assert await waiting


async def test_a_batch_has_a_bounded_size(store, clock):
    """More deliveries at once than a batch holds take several transactions, and all are stored."""
    gate = Gate(store)
    gate.open.set()
    deliveries = Deliveries(gate, clock)

    new = await asyncio.gather(*(deliveries.store(**delivery(f"{n}")) for n in range(BATCH + 1)))

    assert all(new)
    assert gate.writes == 2


async def test_the_same_delivery_twice_at_once_is_new_once(deliveries):
    """Two copies that arrive in the same batch cause one piece of work."""
    new = await asyncio.gather(*(deliveries.store(**delivery("a")) for _ in range(3)))

    assert sorted(new) == [False, False, True]


async def test_a_sender_who_hangs_up_does_not_undo_the_others(store, clock):
    """Cancelling one of the callers of a batch leaves the batch as it is."""
    gate = Gate(store)
    deliveries = Deliveries(gate, clock)
    gone, stays = (asyncio.create_task(deliveries.store(**delivery(id))) for id in "ab")
    await gate.reached.wait()
    gone.cancel()
    gate.open.set()

    assert await stays
    assert await unfinished(store) == ["a", "b"]


async def test_a_failing_database_fails_every_caller_and_the_next_may_succeed(store, deliveries):
    """When a batch cannot be written each caller hears of it, and nothing is stored."""
    await store.change(sa.text("ALTER TABLE deliveries RENAME TO away"))

    results = await asyncio.gather(
        *(deliveries.store(**delivery(id)) for id in "ab"), return_exceptions=True
    )
    await store.change(sa.text("ALTER TABLE away RENAME TO deliveries"))

    assert [isinstance(result, Outage | ProgrammingError) for result in results] == [True, True]
    assert await unfinished(deliveries._store) == []
    assert await deliveries.store(**delivery("a"))


async def test_the_oldest_of_each_line_is_claimed_once(deliveries):
    """Processes get different deliveries; what is behind a claimed one waits for its end."""
    places = (("a", 1, " 5"), ("b", 1, " 5"), ("c", 2, " 5"), ("d", None, ""), ("e", None, ""))
    for id, repository, line in places:
        await deliveries.store(**delivery(id, repository_id=repository, line=line))

    mine = await deliveries.claim("one", 2)
    yours = await deliveries.claim("two", 8)
    await deliveries.finish([Worked("a")])

    assert sorted(each.id for each in mine) == ["a", "c"]
    assert [each.id for each in yours] == ["d"]
    assert [each.id for each in await deliveries.claim("two", 8)] == ["b"]
    assert await deliveries.claim("one", 8) == []
    await deliveries.store(**delivery("push", event="push", repository_id=1, line=" refs/x"))
    assert await deliveries.claim("one", 8, but={"push"}) == []
    assert [each.id for each in await deliveries.claim("one", 8)] == ["push"]


async def test_what_a_dead_process_claimed_is_claimed_again(deliveries):
    """Only what no living process has is let go."""
    for id, repository in (("a", 1), ("b", 2)):
        await deliveries.store(**delivery(id, repository_id=repository))
        await deliveries.claim(f"worker of {id}", 8)

    await deliveries.release_dead({"worker of b"})

    assert [each.id for each in await deliveries.claim("another", 8)] == ["a"]


async def test_a_claim_says_what_was_worked_already(deliveries):
    """Another of the same meaning counts once its work is done; one that failed does not."""
    meant = {"a": "x", "b": "x", "c": "x", "d": "y", "e": "y", "f": None, "g": None}
    for id, meaning in meant.items():
        await deliveries.store(**delivery(id, meaning=meaning, line=f" {meaning}"))
    over, said = [], {}

    while claimed := await deliveries.claim("one", 8, over=over):
        said |= {each.id: each.repeats for each in claimed}
        over = [Worked(each.id, "KeyError: 'x'" if each.id == "d" else "") for each in claimed]

    assert said == dict.fromkeys("adefg") | {"b": "a", "c": "a"}
    assert (await delivered(deliveries, "d")).status == "failed"
    assert (await delivered(deliveries, "g")).status == "done"
