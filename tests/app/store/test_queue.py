"""The queue: what happens to a run and its wakeup when it stops, rests, or its process died."""

from __future__ import annotations

from datetime import timedelta

import pytest
import sqlalchemy as sa

from app.store.queue import Affected
from app.store.runs import PERSON
from app.store.schema import runs
from runner.errors import REVIEWS
from tests.app.store.bench import Bench
from tests.postgresql import ON_BOTH

pytestmark = ON_BOTH

HOUR = timedelta(hours=1)


@pytest.fixture
def bench(store, clock):
    """One place."""
    return Bench(store, clock, at_once=1)


async def test_a_run_is_started_once(bench):
    """A delivery that comes twice starts one run with one wakeup; its comment is kept."""
    await bench.start("a")
    again = await bench.queue.start(await bench.runs.get("a"), 5)

    assert not again
    assert bench.sent.wakeups == ["a-0"]
    assert (await bench.runs.get("a")).progress_comment_id is None


async def test_an_order_for_a_run_in_another_state(bench):
    """What may not be asked now changes nothing and wakes nobody."""
    await bench.start("a")
    await bench.end("a")

    assert not await bench.queue.set_status("a", "queued", allowed=["paused"])
    assert not await bench.queue.set_status("unknown", "queued", allowed=["paused"])
    assert bench.sent.wakeups == ["a-0"]
    assert await bench.status("a") == "ended"


async def test_how_a_run_stopped_is_stored(bench, clock):
    """Status, reason, time and result of a run are what its segment ended with."""
    await bench.start("a")
    until = clock.now() + HOUR
    await bench.end("a", "paused", reason="rate limit", until=until, result={"tasks": [1]})
    run = await bench.runs.get("a")

    assert (run.status, run.reason, run.until) == ("paused", "rate limit", until)
    assert run.result == {"tasks": [1]}


HERE = Affected(7, 1)
REVIEW = {"status": "waiting", "cause": REVIEWS, "reason": "5 pull requests are open"}


async def test_what_rests_for_reviews_continues_when_one_ends(bench):
    """Only the runs of that repository, and only those that rest for this."""
    await bench.start("a", repository_id=1)
    await bench.end("a", **REVIEW)
    await bench.start("b", repository_id=1)
    await bench.end("b", "waiting")

    assert await bench.queue.pull_ended(Affected(7, 2)) == 0
    assert await bench.queue.pull_ended(HERE) == 1
    assert (await bench.status("a"), await bench.status("b")) == ("running", "waiting")


async def test_a_pull_request_that_ends_while_they_are_counted(bench):
    """The run does not rest: it counts again, once."""
    await bench.start("a", repository_id=1)
    await bench.queue.pull_ended(HERE)
    await bench.end("a", **REVIEW)
    assert bench.sent.wakeups == ["a-0", "a-1"]

    await bench.queue.open_run("a-1")
    await bench.end("a", **REVIEW)
    assert bench.sent.wakeups == ["a-0", "a-1"]
    assert await bench.status("a") == "waiting"


async def test_at_a_start_they_are_counted_again(bench):
    """What ended while no server listened counts, too."""
    await bench.start("a", repository_id=1)
    await bench.end("a", **REVIEW)
    await bench.queue.take_up([])
    assert bench.sent.wakeups == ["a-0", "a-1"]


async def test_give_way_to_nobody(bench):
    """While nobody else could work the run keeps its wakeup."""
    await bench.start("a", "b", repository_id=1)

    assert not await bench.queue.give_way("a-0", "a")
    assert await bench.queue.open_run("a-0") == "a"


async def test_give_way(bench):
    """A run gives its place to one that could work, and goes on with its stack held when free."""
    await bench.start("a", "b", repository_id=1)
    await bench.start("c", repository_id=2)

    assert await bench.queue.give_way("a-0", "a")
    assert await bench.status("a") == "running"
    await bench.end("c")
    assert bench.sent.wakeups == ["a-0", "c-0", "a-1"]


@pytest.mark.parametrize(
    ("outcome", "cancel_in", "expected"),
    [
        ("cancelled", None, "cancelled"),
        ("ended", None, "ended"),
        ("paused", HOUR, "cancelling"),
        ("paused", None, "cancelled"),
    ],
)
async def test_an_order_to_cancel(bench, clock, outcome, cancel_in, expected):
    """A request to cancel outlives a pause; a run that came to its end before is what it became."""
    await bench.start("a")
    await bench.queue.set_status("a", "cancelling", allowed=["running"], reason="cancelled by bob")
    at = clock.now() + cancel_in if cancel_in else None
    await bench.end("a", outcome, reason="as told", cancel_at=at)
    run = await bench.runs.get("a")

    assert (run.status, run.until) == (expected, at)
    assert run.reason == ("cancelled by bob" if outcome == "paused" else "as told")


async def test_a_cancel_that_could_not_be_told_is_tried_again(bench, clock):
    """A run that is still to be cancelled is woken at its time, as one that is to be cancelled."""
    await bench.start("a")
    await bench.queue.set_status("a", "cancelling", allowed=["running"])
    await bench.end("a", "paused", cancel_at=clock.now() + HOUR)
    clock.forward(3600)

    assert await bench.queue.due() is None
    assert bench.sent.wakeups == ["a-0", "a-1"]
    assert await bench.status("a") == "cancelling"


async def test_a_cancel_that_could_not_be_told_holds_nobody_up(bench, clock):
    """While a run rests that is still to be cancelled, the next one of its stack works."""
    await bench.start("a", "b", repository_id=1)
    await bench.queue.set_status("a", "cancelling", allowed=["running"])
    await bench.end("a", "paused", cancel_at=clock.now() + HOUR)

    assert bench.sent.wakeups == ["a-0", "b-0"]


async def test_an_order_to_pause_outlives_an_outage(bench, clock):
    """A run that a person pauses stays so, though an outage paused it first and has an end."""
    await bench.start("a")
    by = "paused by bob"
    await bench.queue.set_status("a", "pausing", allowed=["running"], reason=by, cause=PERSON)
    until = clock.now() + HOUR
    await bench.end("a", "paused", reason="rate limit", until=until, result={"tasks": []})
    run = await bench.runs.get("a")

    assert (run.status, run.reason, run.until, run.result) == ("paused", by, None, {"tasks": []})
    clock.forward(7200)
    await bench.queue.due()
    await bench.queue.take_up([])
    assert bench.sent.wakeups == ["a-0"]


async def test_due(bench, clock):
    """A run that rests goes on when its time has come; the next one's time is told."""
    await bench.start("a")
    await bench.end("a", "paused", until=clock.now() + HOUR)
    await bench.start("b")
    await bench.end("b", "paused", until=clock.now() + 2 * HOUR)
    first = await bench.queue.due()
    clock.time = first
    then = await bench.queue.due()

    assert bench.sent.wakeups == ["a-0", "b-0", "a-1"]
    assert then - first > HOUR - timedelta(minutes=1)
    assert [await bench.status(run) for run in "ab"] == ["running", "paused"]


async def test_quiet(bench, clock):
    """All is quiet when nothing works or waits; what rests does not count."""
    assert await bench.queue.is_quiet()
    await bench.start("a", "b")
    await bench.end("a", "paused", until=clock.now() + HOUR)
    assert not await bench.queue.is_quiet()
    await bench.end("b")

    assert await bench.queue.is_quiet()


async def settled(bench, status, **values):
    """A run in a status, whose wakeup is settled: as a crash between two versions leaves it."""
    await bench.start("a")
    await bench.end("a")
    await bench.store.change(sa.update(runs).values(status=status, **values))


@pytest.mark.parametrize(
    ("status", "after", "woken"),
    [
        ("queued", "running", True),
        ("running", "running", True),
        ("cancelling", "cancelling", True),
        ("pausing", "pausing", True),
        ("paused", "running", True),
        ("cancelled", "cancelled", False),
        ("ended", "ended", False),
    ],
)
async def test_take_up(bench, status, after, woken):
    """At start what should work has a wakeup again, each as it was asked; what ended has none."""
    await settled(bench, status)
    await bench.queue.take_up([])

    assert await bench.status("a") == after
    assert bench.sent.wakeups == ["a-0"] + ["a-1"] * woken


@pytest.mark.parametrize("values", [{"cause": PERSON}, {"until": True}])
async def test_what_start_lets_rest(bench, clock, values):
    """At start what a person paused, and what rests until a time, stays paused."""
    until = {"until": clock.now() + 24 * HOUR} if "until" in values else {}
    await settled(bench, "paused", **(values | until))
    await bench.queue.take_up([])

    assert await bench.status("a") == "paused"
    assert bench.sent.wakeups == ["a-0"]


async def test_take_up_of_lost_orders(bench):
    """A run whose wakeup the engine does not know gets a new one; one it knows is let be."""
    await bench.start("a", "b")
    await bench.queue.take_up([])
    assert bench.sent.wakeups == ["a-0"]
    await bench.queue.take_up(["a-0"])

    assert bench.sent.wakeups[1:] in (["a-1"], ["b-0"])
    assert await bench.status("a") == "running"
    assert await bench.queue.sent() == bench.sent.wakeups[1:]


async def test_take_up_with_more_places(bench, store, clock):
    """A server that is started again with more places fills them at once."""
    await bench.start("a", "b", "c")
    wider = Bench(store, clock, at_once=2)
    await wider.queue.take_up([])

    assert wider.sent.wakeups == ["b-0"]
