"""Events wait in order for each run, are told once, and not for ever."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from app.store.outbox import AGE, Outbox
from runner.state.outward import OutwardEvent
from tests.app.store.rows import put_run
from tests.app.store.test_runs import REQUEST
from tests.postgresql import ON_BOTH

pytestmark = ON_BOTH


def event(id, run="r1"):
    return OutwardEvent(id, run, "run_changed", {"id": id})


@pytest.fixture
def outbox(store, clock):
    return Outbox(store, clock)


async def due(outbox, most=9):
    return [each.id for each in await outbox.due(most)]


async def test_only_the_oldest_event_of_each_run_is_due(outbox, clock):
    await outbox.put([event("a"), event("b"), event("c", "r2")])
    first, other = await outbox.due(9)
    assert (first.id, other.id, json.loads(first.body)) == ("a", "c", {"id": "a"})

    later = clock.now() + timedelta(seconds=5)
    await outbox.settle([other.seq], [(first.seq, later)])

    assert await due(outbox) == []  # b does not overtake a
    assert await outbox.next_at() == later
    clock.forward(5)
    (again,) = await outbox.due(9)
    assert (again.id, again.tries) == ("a", 1)
    await outbox.settle([again.seq], [])
    assert await due(outbox) == ["b"]


async def test_channels_do_not_wait_for_each_other(store, clock, outbox):
    other = Outbox(store, clock, channel="other")
    for each in (outbox, other):
        await each.put([event("a"), event("b")])
    (first,) = await outbox.due(9)
    await outbox.settle([], [(first.seq, clock.now() + timedelta(hours=1))])

    assert await due(outbox) == []
    assert await due(other) == ["aother"]
    (theirs,) = await other.due(9)
    await other.settle([theirs.seq], [])
    assert await due(other) == ["bother"]


async def test_an_event_is_kept_once(outbox):
    await outbox.put([event("a")])
    (first,) = await outbox.due(9)
    await outbox.settle([first.seq], [])

    await outbox.put([event("a"), event("b"), event("b")])

    assert await due(outbox) == ["b"]


async def test_what_nobody_takes_is_dropped_in_the_end(outbox, clock):
    await outbox.put([event("old")])
    clock.forward(AGE.total_seconds() + 1)
    await outbox.put([event("new")])

    assert await outbox.tidy() == 1
    assert await due(outbox) == ["new"]


async def test_too_many_are_dropped_from_the_oldest(store, clock):
    outbox = Outbox(store, clock, most=2)
    await outbox.put([event(id, id) for id in "abcde"])

    assert await outbox.tidy() == 3
    assert await due(outbox) == ["d", "e"]
    assert await outbox.tidy() == 0


async def test_an_event_stays_known_while_its_run_may_tell_it_again(outbox, store, clock):
    await put_run(store, clock, REQUEST)
    await outbox.put([event("a", REQUEST.id), event("b", "gone")])
    await outbox.settle([each.seq for each in await outbox.due(9)], [])
    clock.forward(timedelta(days=30).total_seconds())
    await outbox.tidy()

    await outbox.put([event("a", REQUEST.id)])

    assert await due(outbox) == []
