"""The inbox works what is stored, in order, whatever happens in between."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from datetime import timedelta

import pytest

from app.jobs.inbox import Inbox
from app.store.database import open_store
from app.store.deliveries import Deliveries, Worked
from runner.errors import Outage
from tests.app.server.webhooks import FixedClock
from tests.app.store.rows import delivered, unfinished

CLOCK = FixedClock()


@pytest.fixture
async def store(tmp_path):
    store = await open_store(f"sqlite:///{tmp_path}/cairn.db")
    yield store
    await store.close()


@pytest.fixture
def deliveries(store):
    return Deliveries(store, CLOCK)


class Work:
    """A handler that does what a test tells it and remembers what it was given."""

    def __init__(self):
        self.seen, self.errors = [], defaultdict(list)
        self.reached, self.gate = asyncio.Event(), asyncio.Event()
        self.gate.set()
        self.now = self.most = 0

    async def until(self, condition):
        while not condition():
            self.reached.clear()
            await self.reached.wait()

    async def __call__(self, delivery):
        self.seen.append(delivery.id)
        self.now += 1
        self.most = max(self.most, self.now)
        self.reached.set()
        try:
            await self.gate.wait()
        finally:
            self.now -= 1
        if self.errors[delivery.id]:
            raise self.errors[delivery.id].pop(0)


class Naps:
    """A sleep that only notes how long it was to be."""

    def __init__(self):
        self.seconds = []

    async def __call__(self, seconds):
        self.seconds.append(seconds)


@pytest.fixture
def work():
    return Work()


@pytest.fixture
def naps():
    return Naps()


@pytest.fixture
async def inbox(deliveries, work, naps):
    inbox = Inbox(deliveries, work, clock=CLOCK, sleep=naps, at_once=2)
    yield inbox
    await inbox.stop()


async def arrive(deliveries, inbox, *ids, repository=42, event="issue_comment"):
    for id in ids:
        await deliveries.store(
            id=id, event=event, repository_id=repository, headers={}, payload=b"{}"
        )
        if inbox:
            inbox.look()


async def test_a_delivery_is_worked_once_and_done(deliveries, inbox, work):
    """A delivery put in is handled and recorded as done; it is told of twice."""
    await inbox.start()
    await arrive(deliveries, inbox, "a")
    inbox.look()
    await inbox.idle()

    assert work.seen == ["a"]
    assert (await delivered(deliveries, "a")).status == "done"


async def test_what_an_earlier_process_left_is_worked_at_the_start(deliveries, inbox, work):
    """Unfinished deliveries are worked in order of arrival, before newer ones; finished are not."""
    await arrive(deliveries, None, "z", "done", "a")
    await deliveries.finish([Worked("done")])
    await arrive(deliveries, inbox, "early")

    await inbox.start()
    await arrive(deliveries, inbox, "new")
    await inbox.idle()

    assert work.seen == ["z", "a", "early", "new"]


async def test_one_repository_is_worked_one_at_a_time(deliveries, inbox, work):
    """Two deliveries of a repository never overlap."""
    await inbox.start()
    await arrive(deliveries, inbox, "a", "b", "c")
    await inbox.idle()

    assert (work.seen, work.most) == (["a", "b", "c"], 1)


async def test_repositories_are_worked_side_by_side_up_to_the_limit(deliveries, inbox, work):
    """With two slots at most two repositories are worked at once."""
    work.gate.clear()
    for repository in range(5):
        await arrive(deliveries, inbox, f"d{repository}", repository=repository)
    await inbox.start()
    await work.until(lambda: work.now == 2)
    work.gate.set()
    await inbox.idle()

    assert sorted(work.seen) == [f"d{n}" for n in range(5)]
    assert work.most == 2


async def test_slow_events_leave_a_place_for_commands(deliveries, inbox, work):
    """However many branches are pushed to, a command is worked beside them."""
    work.gate.clear()
    for repository in range(5):
        await arrive(deliveries, inbox, f"d{repository}", repository=repository, event="push")
    await arrive(deliveries, inbox, "command", repository=9)
    await inbox.start()
    await work.until(lambda: work.now == 2)
    work.gate.set()
    await inbox.idle()

    assert sorted(work.seen[:2]) == ["command", "d0"]
    assert sorted(work.seen[2:]) == ["d1", "d2", "d3", "d4"]


async def test_an_outage_keeps_the_delivery_and_tries_again(deliveries, inbox, work, naps):
    """After outages the delivery is tried again, later each time, and the order stays."""
    work.errors["a"] = [Outage("github", "GitHub is down.") for _ in range(3)]
    await inbox.start()
    await arrive(deliveries, inbox, "a", "b")
    await inbox.idle()

    assert work.seen == ["a", "a", "a", "a", "b"]
    assert naps.seconds == sorted(naps.seconds)
    assert naps.seconds[0] >= 1
    assert (await delivered(deliveries, "a")).status == "done"


@pytest.mark.parametrize(("heals", "waits"), [(90, 90), (-5, 1), (3600, 300)])
async def test_the_wait_is_until_the_outage_heals(deliveries, inbox, work, naps, heals, waits):
    """An outage that says when it heals is waited for, within bounds."""
    until = CLOCK.now() + timedelta(seconds=heals)
    work.errors["a"] = [Outage("rate_limit", "Too many calls.", until=until)]
    await inbox.start()
    await arrive(deliveries, inbox, "a")
    await inbox.idle()

    assert naps.seconds == [waits]


async def test_long_outages_wait_no_longer_than_five_minutes(deliveries, inbox, work, naps):
    """The waits grow, but not without end."""
    work.errors["a"] = [Outage("github", "GitHub is down.") for _ in range(40)]
    await inbox.start()
    await arrive(deliveries, inbox, "a")
    await inbox.idle()

    assert max(naps.seconds) == 300


async def test_a_database_that_is_away_is_tried_every_few_seconds(deliveries, inbox, work, naps):
    """Its restart takes seconds, and what waits behind it is every delivery."""
    work.errors["a"] = [Outage("database", "It restarts.") for _ in range(10)]
    await inbox.start()
    await arrive(deliveries, inbox, "a")
    await inbox.idle()

    assert max(naps.seconds) == 5


async def test_a_waiting_repository_does_not_hold_up_others(deliveries, work):
    """While one repository waits out an outage, others are worked."""
    healed = asyncio.Event()

    async def sleep(seconds):
        await healed.wait()

    inbox = Inbox(deliveries, work, clock=CLOCK, sleep=sleep, at_once=1)
    work.errors["a"] = [Outage("github", "GitHub is down.")]
    await inbox.start()
    await arrive(deliveries, inbox, "a", repository=1)
    await arrive(deliveries, inbox, "b", repository=2)
    await work.until(lambda: "b" in work.seen)
    healed.set()
    await inbox.idle()

    assert work.seen == ["a", "b", "a"]
    await inbox.stop()


async def test_a_bug_fails_its_delivery_and_no_other(deliveries, work, caplog):
    """A bug is logged with the delivery's id and told; the row says why; the next is worked."""
    bugs = []
    inbox = Inbox(deliveries, work, clock=CLOCK, on_bug=bugs.append)
    bug = KeyError("sender")
    work.errors["a"] = [bug]
    await inbox.start()
    await arrive(deliveries, inbox, "a", "b")
    await inbox.idle()

    failed = await delivered(deliveries, "a")
    assert (failed.status, failed.error) == ("failed", "KeyError: 'sender'")
    assert (await delivered(deliveries, "b")).status == "done"
    assert bugs == [bug]
    assert "Delivery a failed" in caplog.text
    assert "Traceback" in caplog.text
    await inbox.stop()


async def test_stopping_leaves_unfinished_work_for_the_next_start(store, deliveries, inbox, work):
    """A delivery whose work was cut off is still unfinished, and the next start works it."""
    work.gate.clear()
    await inbox.start()
    await arrive(deliveries, inbox, "a", "b")
    await work.until(lambda: work.now == 1)
    await inbox.stop()
    assert await unfinished(store) == ["a", "b"]

    work.gate.set()
    await inbox.start()
    await inbox.idle()

    assert work.seen == ["a", "a", "b"]
    assert await unfinished(store) == []


async def test_an_empty_inbox_is_idle(inbox):
    """With nothing stored there is nothing to wait for."""
    await inbox.start()

    assert await asyncio.wait_for(inbox.idle(), timeout=60) is None
