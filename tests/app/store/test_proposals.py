"""Rows of proposals: made once from any state of a run, decided once, never lost."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from app.store.proposals import ProposalOfRun, StoredDecisions, StoredProposals
from app.store.runs import StoredSkips
from runner.ports import Decision
from runner.state.proposal import Proposal, ProposalPlace
from tests.app.store.bench import Bench
from tests.postgresql import ON_BOTH

pytestmark = ON_BOTH

PROPOSAL = Proposal(
    task="t1",
    kind="recovery",
    strategy="rewrite",
    reason="task_too_vague",
    explanation="",
    original="",
    fingerprint="aa" * 32,
    place=ProposalPlace(
        number=5, url="https://github.test/5", comment_id=50, comment_node_id="IC_50"
    ),
)
SHOWN = ProposalOfRun(proposal=PROPOSAL, name="1.1", open=True)
LATER = replace(
    PROPOSAL,
    fingerprint="bb" * 32,
    place=replace(PROPOSAL.place, comment_id=51, comment_node_id="IC_51"),
)
FRESH = replace(SHOWN, proposal=LATER)
YES = Decision("t1", "approve", by="ada", channel="reply", fingerprint=PROPOSAL.fingerprint)


@pytest.fixture
async def bench(store, clock):
    bench = Bench(store, clock, at_once=1)
    await bench.start("a", repository_id=1)
    return bench


@pytest.fixture
def stored(store, clock):
    return StoredProposals(store, clock)


@pytest.fixture
def sync(bench, stored, clock):
    async def sync(*shown):
        run = await bench.runs.get("a")
        return await stored.sync(run, shown, poll_at=clock.now() + timedelta(seconds=15))

    return sync


async def states(stored):
    return {each.fingerprint[:2]: each.state for each in await stored.on_pull(1, 5)}


async def test_a_row_is_made_once(stored, sync):
    """The same state again, after a crash or not, changes nothing."""
    assert await sync(SHOWN)
    assert not await sync(SHOWN)

    (row,) = await stored.on_pull(1, 5)
    assert (row.state, row.place.comment_node_id, row.name) == ("open", "IC_50", "1.1")


async def test_a_proposal_nobody_waits_for_has_no_row(stored, sync):
    """One that was only published, or is settled already."""
    await sync(replace(SHOWN, open=False))

    assert await stored.on_pull(1, 5) == []


async def test_a_fresh_proposal_supersedes_the_old_one(bench, stored, sync):
    """Also one that was approved, and found stale."""
    await sync(SHOWN)
    await bench.queue.answer("a", "d1", YES)

    await sync(FRESH)

    assert await states(stored) == {"aa": "superseded", "bb": "open"}


async def test_a_task_that_goes_on_undecided_closes_its_row(stored, sync):
    """What nobody waits for any more cannot be decided."""
    await sync(SHOWN)
    await sync(replace(SHOWN, open=False))

    assert await states(stored) == {"aa": "closed"}


async def test_an_ended_run_closes_what_is_open(stored, sync):
    """And leaves alone what was decided."""
    await sync(SHOWN)
    await stored.close("a")

    assert await states(stored) == {"aa": "closed"}


async def test_the_first_decision_wins(bench, stored, sync, store):
    """Of many at the same time exactly one is stored, and it is the one the row tells of."""
    await sync(SHOWN)
    people = [replace(YES, by=f"p{n}", verdict="reject" if n % 2 else "approve") for n in range(8)]

    won = await asyncio.gather(
        *(bench.queue.answer("a", f"d{n}", each) for n, each in enumerate(people))
    )

    assert sum(won) == 1
    first = people[won.index(True)]
    (row,) = await stored.on_pull(1, 5)
    assert (row.decision.by, row.decision.delivery) == (first.by, f"d{won.index(True)}")
    assert row.state == ("approved" if first.verdict == "approve" else "rejected")
    assert await StoredDecisions(store).take("a", "t1", "1.5") == first
    assert await StoredDecisions(store).take("a", "t1", "1.9") is None


async def test_a_decision_about_a_closed_proposal_is_not_stored(bench, stored, sync, store):
    """It would be applied by nobody."""
    await sync(SHOWN)
    await stored.close("a")

    assert not await bench.queue.answer("a", "d1", YES)
    assert await StoredDecisions(store).waiting("a") == ()


@pytest.mark.parametrize(
    ("decision", "state"),
    [
        (YES, "approved"),
        (replace(YES, verdict="edit"), "approved"),
        (replace(YES, verdict="reject"), "rejected"),
        (replace(YES, verdict="skip"), "rejected"),
        (replace(YES, verdict="defer"), "expired"),
        (replace(YES, verdict="reject", channel="retry"), "superseded"),
    ],
    ids=["approve", "edit", "reject", "skip", "defer", "retry"],
)
async def test_what_becomes_of_it(bench, stored, sync, decision, state):
    """Each decision has its state."""
    await sync(SHOWN)

    await bench.queue.answer("a", "d1", decision)

    assert await states(stored) == {"aa": state}


async def test_a_claim_is_for_one(stored, sync, clock):
    """Two processes that poll at the same time do not ask about the same proposal."""
    await sync(SHOWN)
    clock.forward(15)
    (row,) = await stored.on_pull(1, 5)

    def later(made_at):
        return clock.now() + timedelta(minutes=1)

    first = await stored.claim(
        row.repository.installation_id, due_by=clock.now(), most=10, again=later
    )
    second = await stored.claim(
        row.repository.installation_id, due_by=clock.now(), most=10, again=later
    )

    assert (len(first), second) == (1, [])
    assert await stored.polls() == {
        row.repository.installation_id: clock.now() + timedelta(minutes=1)
    }


async def test_a_place_that_is_known_later(stored, sync):
    """A comment that was made after the row is polled from then on."""
    place = replace(PROPOSAL.place, comment_id=None, comment_node_id="")
    await sync(replace(SHOWN, proposal=replace(PROPOSAL, place=place)))
    assert await stored.polls() == {}

    await sync(SHOWN)

    (row,) = await stored.on_pull(1, 5)
    assert row.place.comment_node_id == "IC_50"
    assert len(await stored.polls()) == 1


async def test_an_id_finds_its_proposal_only_in_its_repository(stored, sync):
    """And no pattern of SQL is one."""
    await sync(SHOWN)

    assert len(await stored.named(1, "aaaa")) == 1
    assert await stored.named(2, "aaaa") == []
    assert await stored.named(1, "%") == []


async def test_tasks_are_skipped_until_they_are_not(store, clock):
    """By repository and roadmap; twice is once."""
    skips = StoredSkips(store, clock)

    assert await skips.add(1, "ROADMAP.md", "k1", by="ada")
    assert not await skips.add(1, "ROADMAP.md", "k1", by="bob")
    assert await skips.of(1, "ROADMAP.md") == {"k1"}
    assert await skips.of(1, "OTHER.md") == await skips.of(2, "ROADMAP.md") == frozenset()
    await skips.remove(1, "ROADMAP.md", "k1")
    assert await skips.of(1, "ROADMAP.md") == frozenset()
