"""Wakeups: who may work, who goes first, each sent in the transaction that decides it."""

from __future__ import annotations

import random

import pytest
import sqlalchemy as sa

from app.store.line import WaitingLine
from app.store.queue import Queue
from app.store.schema import workers
from app.store.wakeups import Wakeups
from runner.errors import Outage
from tests.app.store.bench import Bench
from tests.postgresql import ON_BOTH

pytestmark = ON_BOTH


@pytest.fixture
def bench(store, clock):
    """One place."""
    return Bench(store, clock, at_once=1)


@pytest.fixture
def wide(store, clock):
    """Three places."""
    return Bench(store, clock, at_once=3)


async def test_as_many_as_there_are_places(wide):
    """No more wakeups are sent than may work at once; the others wait in their order."""
    await wide.start("a", "b", "c", "d", "e")

    assert wide.sent.wakeups == ["a-0", "b-0", "c-0"]
    assert [await wide.status(run) for run in "abcde"] == ["running"] * 3 + ["queued"] * 2
    assert [await wide.position(run) for run in "abcde"] == [0, 0, 0, 1, 2]


async def test_a_place_that_is_free_is_taken(bench):
    """The wakeup that is settled sends the next one."""
    await bench.start("a", "b")
    await bench.end("a")

    assert bench.sent.wakeups == ["a-0", "b-0"]
    assert [await bench.status(run) for run in "ab"] == ["ended", "running"]


async def test_one_run_of_a_stack(wide):
    """While a run of a roadmap works the next of it waits, and others go past it."""
    await wide.start("a", "b", repository_id=1)
    await wide.start("c", repository_id=1, roadmap="docs/ROADMAP.md")
    await wide.start("d", repository_id=2)

    assert wide.sent.wakeups == ["a-0", "c-0", "d-0"]
    await wide.end("a")
    assert wide.sent.wakeups[3:] == ["b-0"]


@pytest.mark.parametrize("status", ["paused", "cancelled", "ended"])
async def test_a_run_that_stopped_frees_its_stack(wide, status):
    """A run that rests, was cancelled or ended does not hold up its roadmap."""
    await wide.start("a", "b", repository_id=1)
    await wide.end("a", status)

    assert await wide.status("b") == "running"


async def test_priority_goes_first(bench):
    """A higher priority is before what came earlier."""
    await bench.start("a", "b")
    await bench.start("c", priority=5)
    assert [await bench.position(run) for run in "bc"] == [2, 1]
    await bench.end("a")

    assert bench.sent.wakeups == ["a-0", "c-0"]


async def test_the_repository_served_longest_ago(bench):
    """Among equals the repository goes first that was served longest ago or never."""
    await bench.start("a", repository_id=1)
    await bench.start("b", repository_id=1, roadmap="B.md")
    await bench.start("c", repository_id=1, roadmap="C.md")
    await bench.start("d", repository_id=2)
    for run in ("a", "d", "b"):
        await bench.end(run)

    assert bench.sent.wakeups == ["a-0", "d-0", "b-0", "c-0"]


async def test_a_place_only_falls(bench):
    """Whoever comes in between changes no number that was told; the order is theirs."""
    await bench.start("a", "b", "c")
    before = [await bench.position(run) for run in "abc"]
    await bench.start("d", priority=5)
    assert (before, [await bench.position(run) for run in "bcd"]) == ([0, 1, 2], [1, 2, 1])
    await bench.end("a")
    assert [await bench.position(run) for run in "bcd"] == [1, 2, 0]
    await bench.end("d")
    assert [await bench.position(run) for run in "bc"] == [0, 1]


async def test_one_repository_never_takes_the_last_place(wide):
    """Where there are several, its runs may hang and another one still works."""
    await wide.start("x", repository_id=2)
    await wide.end("x")
    for run in "abc":
        await wide.start(run, repository_id=1, roadmap=f"{run}.md")
    assert wide.sent.wakeups == ["x-0", "a-0", "b-0"]

    await wide.start("y", repository_id=2)
    assert wide.sent.wakeups[3:] == ["y-0"]
    assert not await wide.queue.give_way("y-0", "y")
    assert await wide.queue.give_way("a-0", "a")
    assert wide.sent.wakeups[4:] == ["c-0"]


@pytest.mark.parametrize("seed", range(5))
async def test_the_numbers_are_the_order(bench, seed):
    """Whatever waits goes in the order of the numbers."""
    chance = random.Random(seed)  # noqa: S311
    await bench.start("first")
    for n in range(12):
        at = {"repository_id": chance.randrange(4), "priority": chance.choice([0, 0, 0, 7])}
        await bench.start(f"r{n}", roadmap=f"{n}.md", **at)
    places = await WaitingLine(bench.store).places()
    await bench.end("first")
    for _ in range(11):
        await bench.end(bench.sent.wakeups[-1].removesuffix("-0"))

    order = sorted(places, key=lambda run: places[run][0])
    assert bench.sent.wakeups[1:] == [f"{run}-0" for run in order]


async def test_the_oldest_of_a_repository(bench):
    """Among wakeups of one repository the oldest goes first."""
    for run in "abc":
        await bench.start(run, repository_id=1, roadmap=f"{run}.md")
    await bench.end("a")
    await bench.end("b")

    assert bench.sent.wakeups == ["a-0", "b-0", "c-0"]


@pytest.mark.parametrize("run", ["a", "b"], ids=["sent", "waiting"])
async def test_a_second_wake(bench, run):
    """A run that has a wakeup already gets no second wakeup."""
    await bench.start("a", "b")
    await bench.wake(run)
    await bench.end("a")
    await bench.end("b")

    assert bench.sent.wakeups == ["a-0", "b-0"]
    assert await bench.queue.is_quiet()


async def test_wakeups_of_a_run_have_names_of_their_own(bench):
    """Each wake-up has an id that no earlier one had: the engine works an id once."""
    await bench.start("a")
    for _ in range(2):
        await bench.end("a", "paused")
        await bench.wake("a")

    assert bench.sent.wakeups == ["a-0", "a-1", "a-2"]


async def test_an_engine_that_fails(bench):
    """When the next wakeup cannot be handed on, nothing of the settling remains."""
    await bench.start("a", "b")
    bench.sent.fails = True
    with pytest.raises(Outage):
        await bench.end("a", result={"tasks": []})
    assert [await bench.status(run) for run in "ab"] == ["running", "queued"]
    assert await bench.queue.open_run("a-0") == "a"
    assert (await bench.runs.get("a")).result is None

    bench.sent.fails = False
    await bench.end("a")
    assert bench.sent.wakeups == ["a-0", "b-0"]


async def test_a_start_that_fails(bench):
    """A run whose wakeup cannot be handed on is not known: its delivery is tried again."""
    bench.sent.fails = True
    with pytest.raises(Outage):
        await bench.start("a")

    assert await bench.runs.get("a") is None


async def test_an_order_has_its_run_until_it_is_settled(bench):
    """Only a wakeup that was sent and is not settled has work."""
    await bench.start("a", "b")
    found = [await bench.queue.open_run(wakeup) for wakeup in ("a-0", "b-0", "never")]
    await bench.end("a")

    assert found == ["a", None, None]
    assert await bench.queue.open_run("a-0") is None
    assert await bench.queue.sent() == ["b-0"]


async def test_a_wakeup_that_another_process_took_over(bench, store, clock):
    """Whoever worked on it before settles nothing any more, and is told that it is not his."""
    await bench.start("a", "b")
    assert await bench.queue.take("a-0") == "a"
    sent = Wakeups(clock, bench.sent.enqueue, at_once=1, worker="another")
    another = Queue(store, clock, sent)
    assert await another.take("a-0") == "a"

    await bench.end("a")
    assert await bench.queue.open_run("a-0") is None
    assert await bench.queue.give_way("a-0", "a")
    assert [await bench.status(run) for run in "ab"] == ["running", "queued"]

    await another.settle("a-0", "a", "ended")
    assert [await bench.status(run) for run in "ab"] == ["ended", "running"]


async def test_there_are_as_many_places_as_living_processes_have(bench, store, clock):
    """Where processes come and go, the slots of those that were not declared dead count."""
    for id, slots, dead in (("one", 2, False), ("two", 1, False), ("three", 8, True)):
        row = {"id": id, "slots": slots, "version": "", "beat": clock.now(), "dead": dead}
        await store.change(sa.insert(workers).values(row))
    many = Queue(store, clock, Wakeups(clock, bench.sent.enqueue, at_once=None))
    bench.queue = many
    await bench.start("a", "b", "c", "d")

    assert bench.sent.wakeups == ["a-0", "b-0", "c-0"]


async def test_the_position_of_who_does_not_wait(bench):
    """A run that works, ended or is unknown has no place in the line."""
    await bench.start("a")

    assert [await bench.position(run) for run in ("a", "unknown")] == [0, 0]


@pytest.mark.parametrize("status", ["cancelling", "pausing"])
async def test_who_is_to_stop_needs_no_place(bench, status):
    """A run that waits and is to stop is told at once: neither a place nor its stack holds it."""
    await bench.start("a", "b", repository_id=1)
    await bench.queue.set_status("b", status, allowed=["queued"])

    assert bench.sent.wakeups == ["a-0", "b-0"]
    assert await bench.status("b") == status


async def test_a_pause_blocks_nobody(bench):
    """A run that gave way goes on although another one of its stack was to be paused meanwhile."""
    await bench.start("a", "b", repository_id=1)
    await bench.start("c", repository_id=2)
    assert await bench.queue.give_way("a-0", "a")
    await bench.queue.set_status("b", "pausing", allowed=["queued"])
    await bench.end("c")
    assert "b-0" in bench.sent.wakeups
    await bench.end("b", "paused")

    assert bench.sent.wakeups[-1] == "a-1"
