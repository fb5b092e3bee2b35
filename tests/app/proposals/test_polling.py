"""The poller: who is asked about when, within a budget, and across failures and restarts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.proposals.service import AGES, EXPIRES, FIRST, OLD, RequestBudget, next_poll
from app.store.database import open_store
from bench.polling import Counted, HandClock, let_pass, poller_of, proposals
from tests.app.proposals.deciding_kit import REPOSITORY, Bench, deciding

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with deciding(tmp_path) as bench:
        yield bench


def asked(bench: Bench) -> int:
    """How many GraphQL requests reached GitHub."""
    return sum(request.path.endswith("/graphql") for request in bench.github.requests)


def test_polls_get_rarer_with_age() -> None:
    """Every 15 s in the first ten minutes, then ever more rarely, and never less than hourly."""
    ages = [timedelta(), *(until for until, _ in AGES), timedelta(days=29)]
    waits = [next_poll(NOON - age, NOON) - NOON for age in ages]

    assert waits[0] == FIRST == timedelta(seconds=15)
    assert AGES[0][0] == timedelta(minutes=10)
    assert waits == sorted(waits)
    assert waits[-1] == OLD


def test_an_hour_of_requests_is_less_than_a_tenth_of_what_github_allows() -> None:
    """Whatever is due, and however often it is tried."""
    budget, spent = RequestBudget(NOON), 0
    for second in range(3600):
        now = NOON + timedelta(seconds=second)
        left = budget.left(now)
        budget.spend(left, now)
        spent += left

    assert 300 < spent < 500


def test_a_limit_of_github_holds_everything() -> None:
    """Nothing is asked before the time it named."""
    budget = RequestBudget(NOON)
    budget.hold(NOON + timedelta(minutes=20))

    assert budget.left(NOON + timedelta(minutes=19, seconds=59)) <= 0
    assert budget.left(NOON + timedelta(minutes=20)) == RequestBudget.AN_HOUR
    assert budget.ready_at() == NOON + timedelta(minutes=20)


def test_what_was_spent_comes_back_after_an_hour() -> None:
    """In no hour, whenever it begins, more is asked than may be."""
    budget = RequestBudget(NOON)
    budget.spend(RequestBudget.AN_HOUR - 1, NOON)
    budget.spend(1, NOON + timedelta(minutes=30))

    assert budget.left(NOON + timedelta(minutes=59)) == 0
    assert budget.ready_at() == NOON + timedelta(hours=1)
    assert budget.left(NOON + timedelta(hours=1)) == RequestBudget.AN_HOUR - 1


@pytest.mark.parametrize(("many", "fresh", "later"), [(100, 15, 60), (1000, 15, 450)])
def test_a_crowd_is_asked_about_together(many: int, fresh: int, later: int) -> None:
    """All of an age at the same moments; a thousand fresh ones every 15 seconds all the same."""
    at = NOON + timedelta(seconds=7)
    times = {next_poll(at - timedelta(seconds=n), at, many) for n in range(600)}
    old = next_poll(at - timedelta(minutes=30), NOON, many) - NOON

    assert times == {NOON + timedelta(seconds=fresh)}
    assert old <= timedelta(seconds=later)


async def test_a_thousand_fresh_proposals(tmp_path: Path) -> None:
    """None waits longer than 15 seconds, and that leaves most of the hour's requests."""
    clock = HandClock()
    github = Counted(clock)
    store = await open_store(f"sqlite:///{tmp_path}/polled.db")
    await proposals(store, clock, 1000)

    spent = await let_pass(poller_of(store, clock, github), clock, github, timedelta(minutes=2))
    await store.close()

    assert len(github.seen) == 1000
    assert github.longest <= FIRST
    assert spent <= 90


async def test_many_are_one_request(bench: Bench) -> None:
    """Up to a hundred proposals are asked about at once."""
    shows = [await bench.proposal() for _ in range(12)]
    bench.github.react(shows[3].comment, "+1", by="keeper")

    await bench.poller.poll()

    assert asked(bench) == 1
    decided = [bool(await bench.verdicts(each)) for each in shows]
    assert decided == [number == 3 for number in range(12)]


async def test_what_is_not_due_is_not_asked_about(bench: Bench) -> None:
    """A second look within the time asks nothing; one after it does."""
    await bench.proposal()
    await bench.poller.poll()

    await bench.poller.poll()
    assert asked(bench) == 1
    bench.github.clock.advance(15)
    await bench.poller.poll()
    assert asked(bench) == 2


async def test_when_it_is_due_next_is_known(bench: Bench) -> None:
    """The timer is set for the next poll; without open proposals there is none."""
    assert await bench.poller.next_time() is None
    await bench.proposal()
    await bench.poller.poll()

    due = await bench.poller.next_time()
    assert due is not None
    assert timedelta() < due - bench.github.clock.now() <= FIRST


async def test_a_proposal_that_is_decided_is_asked_about_no_more(bench: Bench) -> None:
    """It costs a row and nothing else."""
    shows = await bench.proposal()
    bench.github.react(shows.comment, "+1", by="keeper")
    await bench.poller.poll()

    assert await bench.poller.next_time() is None


async def test_a_refusal_is_said_once_and_to_few(bench: Bench) -> None:
    """Anybody can react to anything: three sentences a proposal, and none of them twice."""
    shows = await bench.proposal()
    for number in range(6):
        bench.github.react(shows.comment, "+1", by=f"passer-by-{number}")

    for _ in range(3):
        await bench.poller.poll()
        bench.github.clock.advance(15)

    assert len(bench.said(shows)) == 3


async def test_a_reaction_older_than_the_comment_says_nothing(bench: Bench) -> None:
    """It cannot be about what was not there."""
    shows = await bench.proposal()
    bench.github.react(shows.comment, "+1", by="keeper")
    shows.comment.reactions[0].created -= timedelta(hours=1)

    await bench.poller.poll()

    assert await bench.verdicts(shows) == []


async def test_other_reactions_say_nothing(bench: Bench) -> None:
    """A heart is kind and no decision."""
    shows = await bench.proposal()
    for content in ("heart", "eyes", "laugh", "hooray", "confused"):
        bench.github.react(shows.comment, content, by="keeper")

    await bench.poller.poll()

    assert await bench.verdicts(shows) == []
    assert bench.said(shows) == []


async def test_a_rocket_approves(bench: Bench) -> None:
    """🚀 is as good as 👍."""
    shows = await bench.proposal()
    bench.github.react(shows.comment, "rocket", by="keeper")

    await bench.poller.poll()

    assert await bench.verdicts(shows) == [("approve", "keeper", "reaction")]


async def test_more_reactions_than_a_page(bench: Bench) -> None:
    """A crowd that cannot decide hides nobody who can."""
    shows = await bench.proposal()
    for number in range(130):
        bench.github.react(shows.comment, "heart", by=f"fan-{number}")
    bench.github.react(shows.comment, "+1", by="keeper")

    await bench.poller.poll()

    assert await bench.verdicts(shows) == [("approve", "keeper", "reaction")]


async def test_a_comment_that_is_gone_is_told_once(bench: Bench) -> None:
    """The others of the same request are weighed all the same."""
    lost, kept = await bench.proposal(), await bench.proposal()
    await bench.github.delete_comment(lost.comment)
    bench.github.react(kept.comment, "+1", by="keeper")

    await bench.poller.poll()
    bench.github.clock.advance(15)
    await bench.poller.poll()

    assert await bench.verdicts(kept) == [("approve", "keeper", "reaction")]
    (said,) = bench.said(lost)
    assert "was deleted" in said


async def test_a_failure_of_github_is_outlived(bench: Bench) -> None:
    """The poll after it sees what was said."""
    shows = await bench.proposal()
    bench.github.react(shows.comment, "+1", by="keeper")
    bench.github.fail("POST", "*/graphql", status=502, times=9)
    await bench.poller.poll()
    assert await bench.verdicts(shows) == []
    bench.github.world.faults.clear()

    bench.github.clock.advance(180)
    await bench.poller.poll()

    assert await bench.verdicts(shows) == [("approve", "keeper", "reaction")]


async def test_a_limit_is_waited_for(bench: Bench) -> None:
    """GitHub says when it answers again: until then it is not asked."""
    until_next_window = bench.github.world.window() - bench.github.clock.now()
    bench.github.clock.advance(until_next_window.total_seconds())
    await bench.proposal()
    bench.github.rate_limit("primary", "POST", "*/graphql", times=1)
    await bench.poller.poll()
    before = asked(bench)

    due = await bench.poller.next_time()
    assert due is not None
    assert due >= bench.github.world.window()
    bench.github.clock.advance(60)
    await bench.poller.poll()
    assert asked(bench) == before


async def test_a_suspended_installation_stops_nobody_else(bench: Bench) -> None:
    """It is tried again like any other failure."""
    shows = await bench.proposal()
    await bench.github.suspend(REPOSITORY)
    bench.github.react(shows.comment, "+1", by="keeper")
    await bench.poller.poll()
    await bench.github.suspend(REPOSITORY, suspended=False)

    bench.github.clock.advance(60)
    await bench.poller.poll()

    assert await bench.verdicts(shows) == [("approve", "keeper", "reaction")]


async def test_a_month_without_an_answer(bench: Bench) -> None:
    """The proposal expires with a decision of its own, once; the timer knows when."""
    shows = await bench.proposal()
    assert shows.row.made_at + EXPIRES > bench.github.clock.now()
    bench.github.clock.advance(EXPIRES.total_seconds())

    await bench.poller.poll()
    await bench.poller.poll()

    assert await bench.verdicts(shows) == [("defer", "Cairn", "time")]
    assert (await bench.stored.get(shows.row.seq)).state == "expired"
    assert await bench.poller.next_time() is None


async def test_what_happens_on_a_pull_request_makes_its_poll_due(bench: Bench) -> None:
    """A word there lets its reactions be read at once, and nobody else's."""
    here, other = await bench.proposal(), await bench.proposal()
    await bench.poller.poll()
    await bench.github.comment(REPOSITORY, here.pull.number, "Hm.", by="reader")

    await bench.work()

    due = await bench.stored.claim(
        here.row.repository.installation_id,
        due_by=bench.github.clock.now(),
        most=100,
        again=lambda made: made + EXPIRES,
    )
    assert [each.seq for each in due] == [here.row.seq]
    assert other.row.seq != here.row.seq
