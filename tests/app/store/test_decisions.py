"""The inbox of decisions in the database: first stored wins, each applied by one step."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from app.store.database import Store
from app.store.proposals import StoredDecisions
from app.store.queue import Queue
from app.store.runs import RunRequest, StoredRuns
from app.store.wakeups import Wakeups
from handlers.events import InstalledRepository
from runner.ports import Decision, SystemClock
from tests.postgresql import ON_BOTH

pytestmark = ON_BOTH

YES = Decision("t1", "approve", by="ada")
NO = Decision("t1", "reject", by="bob", why="not now")


@pytest.fixture
def sent() -> list[str]:
    """Wakeups handed to the engine."""
    return []


@pytest.fixture
async def queue(store: Store, sent: list[str]) -> Queue:
    """A queue with one run, r1, that was started."""
    clock = SystemClock()
    wakeups = Wakeups(clock, lambda connection, wakeup: sent.append(wakeup), at_once=2)
    queue = Queue(store, clock, wakeups)
    await queue.start(
        RunRequest(
            id="r1",
            delivery="d0",
            repository=InstalledRepository(1, "o/r", 1, "main"),
            issue=1,
            roadmap="ROADMAP.md",
            request={},
        )
    )
    return queue


async def test_the_first_stored_decision_counts(store: Store, queue: Queue) -> None:
    """The order of storing decides, whatever the deliveries are called."""
    await queue.answer("r1", "z-first", YES)
    await queue.answer("r1", "a-second", NO)

    assert await StoredDecisions(store).take("r1", "t1", "1.5") == YES


async def test_a_step_always_gets_its_own_decision(store: Store, queue: Queue) -> None:
    """A step that is repeated after a crash gets the same, another step the next."""
    inbox = StoredDecisions(store)
    await queue.answer("r1", "d1", YES)
    await queue.answer("r1", "d2", NO)

    taken = [await inbox.take("r1", "t1", step) for step in ("1.5", "1.5", "1.9", "2.1")]

    assert taken == [YES, YES, NO, None]


async def test_a_redelivered_decision_is_one(store: Store, queue: Queue) -> None:
    """The same delivery says the same thing once."""
    new = [await queue.answer("r1", "d1", YES) for _ in range(2)]

    inbox = StoredDecisions(store)
    await inbox.take("r1", "t1", "1.5")
    assert new == [True, False]
    assert await inbox.waiting("r1") == ()


async def test_what_waits_is_told_with_the_oldest_first(store: Store, queue: Queue) -> None:
    """Each task once."""
    for number, task in enumerate(["t2", "t1", "t2"]):
        await queue.answer("r1", f"d{number}", Decision(task, "approve", by="ada"))

    assert await StoredDecisions(store).waiting("r1") == ("t2", "t1")
    assert await StoredDecisions(store).waiting("r2") == ()


async def test_a_decision_wakes_a_resting_run(store: Store, queue: Queue, sent: list[str]) -> None:
    """Row and wake-up come in one transaction."""
    await queue.settle(sent[0], "r1", "waiting")

    await queue.answer("r1", "d1", YES)

    run = await StoredRuns(store, SystemClock()).get("r1")
    assert run is not None
    assert run.status == "running"
    assert len(sent) == 2


async def test_a_decision_that_cannot_be_enqueued_is_not_stored(
    store: Store, queue: Queue, sent: list[str]
) -> None:
    """An engine that fails leaves neither row nor wake-up, so that the delivery is worked again."""
    await queue.settle(sent[0], "r1", "waiting")

    def refuse(connection: sa.Connection, wakeup: str) -> None:
        raise ValueError("no engine")

    failing = Queue(store, SystemClock(), Wakeups(SystemClock(), refuse, at_once=2))
    with pytest.raises(ValueError, match="no engine"):
        await failing.answer("r1", "d1", YES)

    assert await StoredDecisions(store).waiting("r1") == ()


async def test_a_decision_about_an_ended_run_wakes_nobody(
    store: Store, queue: Queue, sent: list[str]
) -> None:
    """It is kept and changes nothing."""
    await queue.settle(sent[0], "r1", "ended")

    assert await queue.answer("r1", "d1", YES)

    assert len(sent) == 1
