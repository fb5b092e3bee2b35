"""Runs: queued once, moved on by compare-and-set, one at work for a roadmap."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from app.store.runs import RunRequest, Runs

REQUEST = RunRequest(
    id="r1",
    delivery="d1",
    repository_id=42,
    repository="octocat/hello",
    installation_id=7,
    issue=3,
    roadmap="ROADMAP.md",
    base_branch="main",
    request={"max_tasks": 10},
)


@pytest.fixture
def runs(store, clock):
    return Runs(store, clock)


async def queue(runs, *ids, **changes):
    for id in ids:
        assert await runs.insert(replace(REQUEST, id=id, **changes))


async def test_a_run_is_stored_as_it_was_asked_for(runs, clock):
    """A queued run has all its request, its times, and no result yet."""
    await runs.insert(REQUEST)

    run = await runs.get("r1")

    assert {name: getattr(run, name) for name in vars(REQUEST)} == vars(REQUEST)
    assert (run.status, run.reason, run.until, run.result) == ("queued", "", None, None)
    assert (run.created_at, run.updated_at) == (clock.now(), clock.now())


async def test_a_run_is_queued_once(runs):
    """Inserting a known id changes nothing."""
    await runs.insert(REQUEST)

    assert not await runs.insert(replace(REQUEST, roadmap="OTHER.md"))
    assert (await runs.get("r1")).roadmap == "ROADMAP.md"


async def test_an_unknown_run_is_none(runs):
    """Asking for an id nobody queued is answered with None."""
    assert await runs.get("nope") is None


async def test_a_status_moves_only_from_an_allowed_one(runs, clock):
    """Of two that move the same run on, the second finds it moved and changes nothing."""
    await runs.insert(REQUEST)
    clock.forward(1)
    until = clock.now() + timedelta(hours=1)

    moved = await runs.set_status(
        "r1", "paused", allowed={"queued", "running"}, reason="rate limit", until=until
    )
    again = await runs.set_status("r1", "running", allowed={"queued"})

    run = await runs.get("r1")
    assert (moved, again) == (True, False)
    assert (run.status, run.reason, run.until) == ("paused", "rate limit", until)
    assert run.updated_at == clock.now()


async def test_a_result_stays_when_the_status_moves_again(runs):
    """A result that was stored is not lost by a later change of status."""
    await runs.insert(REQUEST)
    await runs.set_status("r1", "paused", allowed={"queued"}, result={"done": 3})
    await runs.set_status("r1", "ended", allowed={"paused"})

    assert (await runs.get("r1")).result == {"done": 3}


async def test_the_progress_comment_is_remembered(runs):
    """The comment's id is stored with the run (it does not fit 32 bits)."""
    await runs.insert(REQUEST)

    assert await runs.set_progress_comment("r1", 5_000_000_001)
    assert (await runs.get("r1")).progress_comment_id == 5_000_000_001


async def test_the_runs_of_an_issue_come_newest_first(runs):
    """The runs of an issue are those of this repository and number only."""
    await queue(runs, "a", "b")
    await queue(runs, "c", issue=4)
    await queue(runs, "d", repository_id=43)

    assert [run.id for run in await runs.by_issue(42, 3)] == ["b", "a"]


async def test_runs_are_listed_by_status(runs):
    """Only runs in one of the asked states are listed, oldest first."""
    await queue(runs, "a", "b", "c")
    await runs.set_status("b", "cancelled", allowed={"queued"})

    assert [run.id for run in await runs.by_status("queued")] == ["a", "c"]
    assert [run.id for run in await runs.by_status("queued", "cancelled")] == ["a", "b", "c"]


async def test_one_run_works_for_a_repository_and_roadmap(runs):
    """While a run of a roadmap works, the next of that roadmap waits and others go past it."""
    await queue(runs, "a", "b")
    await queue(runs, "c", roadmap="docs/ROADMAP.md")
    await queue(runs, "d", repository_id=43)

    claimed = [await runs.claim_next() for _ in range(4)]

    assert [run and run.id for run in claimed] == ["a", "c", "d", None]
    assert claimed[0].status == "running"


@pytest.mark.parametrize("status", ["paused", "cancelled", "ended"])
async def test_a_run_that_does_not_work_makes_room(runs, status):
    """A run that is paused, cancelled or ended does not hold the next one up."""
    await queue(runs, "a", "b")
    await runs.claim_next()
    await runs.set_status("a", status, allowed={"running"})

    assert (await runs.claim_next()).id == "b"


async def test_a_run_being_cancelled_still_works(runs):
    """Until a cancelled run has really stopped the next one waits."""
    await queue(runs, "a", "b")
    await runs.claim_next()
    await runs.set_status("a", "cancelling", allowed={"running"})

    assert await runs.claim_next() is None


async def test_a_higher_priority_goes_first(runs):
    """Among queued runs the higher priority starts first, then the older."""
    await queue(runs, "a", "b")
    await queue(runs, "c", priority=5)

    assert (await runs.claim_next()).id == "c"


async def test_two_workers_never_claim_the_same_run(runs):
    """Claims at the same moment hand each run to one of them."""
    for n in range(5):
        await queue(runs, f"r{n}", repository_id=n)

    claimed = await asyncio.gather(*(runs.claim_next() for _ in range(8)))

    assert sorted(run.id for run in claimed if run) == [f"r{n}" for n in range(5)]
