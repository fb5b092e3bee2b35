"""Exactly the right people decide, by every channel, and only while there is something to decide.

Channel by person by state of the proposal, over real HTTP with the strict fake.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from handlers.ports import Rules
from tests.app.proposals.deciding_kit import REPOSITORY, Bench, Shows, deciding

PEOPLE = ("admin", "keeper", "writer", "starter", "triager", "reader", "outsider", "robot[bot]")
MAY = {"admin", "keeper", "starter"}
"""Permission maintain, or to have started the run and still be able to."""
STATES = ("open", "approved", "rejected", "superseded", "closed", "expired", "ended", "cancelled")

Say = Callable[[Bench, Shows, str], Awaitable[None]]


async def react(bench: Bench, shows: Shows, by: str, content: str = "+1") -> None:
    bench.github.react(shows.comment, content, by=by)
    await bench.poller.poll()


async def thumb_down(bench: Bench, shows: Shows, by: str) -> None:
    await react(bench, shows, by, "-1")


async def approve(bench: Bench, shows: Shows, by: str, body: str = "/approve") -> None:
    await bench.github.comment(REPOSITORY, shows.pull.number, body, by=by)
    await bench.work()


async def reject(bench: Bench, shows: Shows, by: str) -> None:
    await approve(bench, shows, by, f"/reject {shows.row.fingerprint[:8]} not now")


async def edit(bench: Bench, shows: Shows, by: str) -> None:
    await approve(bench, shows, by, "/edit\n- Write `three.md` with a greeting")


async def praise(bench: Bench, shows: Shows, by: str) -> None:
    await bench.github.review(REPOSITORY, shows.pull.number, "APPROVED", by=by)
    await bench.work()


async def object_to(bench: Bench, shows: Shows, by: str) -> None:
    await bench.github.review(REPOSITORY, shows.pull.number, "CHANGES_REQUESTED", "No", by=by)
    await bench.work()


async def click(bench: Bench, shows: Shows, by: str, button: str = "approve") -> None:
    await bench.github.click(REPOSITORY, shows.check, button, by=by)
    await bench.work()


async def click_reject(bench: Bench, shows: Shows, by: str) -> None:
    await click(bench, shows, by, "reject")


async def click_skip(bench: Bench, shows: Shows, by: str) -> None:
    await click(bench, shows, by, "skip")


async def merge(bench: Bench, shows: Shows, by: str) -> None:
    shows.pull.pull.draft = False  # type: ignore[union-attr]
    await bench.github.merge_pull(REPOSITORY, shows.pull.number, by=by)
    await bench.again(-2 if bench.github.deliveries[-1].event == "push" else -1)


async def close(bench: Bench, shows: Shows, by: str) -> None:
    await bench.github.close(REPOSITORY, shows.pull.number, by=by)
    await bench.work()


CHANNELS: dict[str, tuple[Say, str, str, set[str]]] = {
    "👍": (react, "approve", "reaction", MAY),
    "👎": (thumb_down, "reject", "reaction", MAY),
    "/approve": (approve, "approve", "reply", MAY),
    "/reject": (reject, "reject", "reply", MAY),
    "/edit": (edit, "edit", "reply", MAY),
    "review": (praise, "approve", "review", MAY),
    "changes requested": (object_to, "reject", "review", MAY),
    "button": (click, "approve", "check", MAY),
    "button reject": (click_reject, "reject", "check", MAY),
    "button skip": (click_skip, "skip", "check", MAY),
    "merge": (merge, "approve", "merge", MAY | {"writer"}),
    "close": (close, "reject", "close", MAY),
}
"""(what a person does, verdict, channel, who counts)."""


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with deciding(tmp_path) as bench:
        yield bench


@pytest.mark.sample(4, "each channel, person and state")
@pytest.mark.parametrize("channel", CHANNELS)
async def test_exactly_the_right_people_decide(bench: Bench, channel: str) -> None:
    """While a proposal is open, who may decides with it, and nobody else."""
    say, verdict, by, may = CHANNELS[channel]
    for person in PEOPLE:
        shows = await bench.proposal()
        await say(bench, shows, person)

        expected = [(verdict, person, by)] if person in may else []
        assert await bench.verdicts(shows) == expected, (channel, person)
        # who counts is answered by what the run does, and a command in words, too
        answered = person not in may or by == "reply"
        assert bool(bench.said(shows)) == answered, (channel, person)


@pytest.mark.sample(4, "each channel, person and state")
@pytest.mark.parametrize("channel", CHANNELS)
async def test_only_what_is_open_is_decided(bench: Bench, channel: str) -> None:
    """In every other state nothing is stored; whoever asked in words or by a click is told why."""
    say, verdict, by, _ = CHANNELS[channel]
    for state in STATES:
        over = state in ("ended", "cancelled")
        made = bench.proposal(run=state) if over else bench.proposal(state)  # type: ignore[arg-type]
        shows = await made
        await say(bench, shows, "keeper")

        expected = [(verdict, "keeper", by)] if state == "open" else []
        assert await bench.verdicts(shows) == expected, (channel, state)
        if by in ("reply", "check", "review"):
            told = state != "open" or by == "reply"
            assert bool(bench.said(shows)) == told, (channel, state)


@pytest.mark.parametrize("channel", CHANNELS)
async def test_the_same_delivery_twice_decides_once(bench: Bench, channel: str) -> None:
    """A redelivery, or the same reaction at the next poll, changes and says nothing more."""
    say, verdict, by, _ = CHANNELS[channel]
    shows = await bench.proposal()
    await say(bench, shows, "keeper")
    before = bench.said(shows)

    if by == "reaction":
        await bench.poller.poll()
    else:
        await bench.again(-2 if bench.github.deliveries[-1].event == "push" else -1)

    assert await bench.verdicts(shows) == [(verdict, "keeper", by)]
    assert bench.said(shows) == before


@pytest.mark.parametrize(
    ("rules", "may"),
    [
        (Rules(need="write"), {"admin", "keeper", "writer", "starter"}),
        (Rules(need="admin"), {"admin", "starter"}),
        (Rules(own_runs=False), {"admin", "keeper"}),
    ],
    ids=["write", "admin", "no own runs"],
)
async def test_the_repository_says_who_decides(bench: Bench, rules: Rules, may: set[str]) -> None:
    """The configured permission, and whether who started a run may decide in it."""
    bench.rules = rules
    found = set()
    for person in PEOPLE:
        shows = await bench.proposal()
        await approve(bench, shows, person)
        found |= {person} if await bench.verdicts(shows) else set()

    assert found == may


async def test_an_approval_of_what_the_branch_shows_no_more(bench: Bench) -> None:
    """A review is of the commit that was looked at; refusing needs no newer look."""
    shows, other = await bench.proposal(), await bench.proposal()
    seen = {"by": "keeper", "of": "0" * 40}

    await bench.github.review(REPOSITORY, shows.pull.number, "APPROVED", **seen)
    await bench.work()
    await bench.github.review(REPOSITORY, other.pull.number, "CHANGES_REQUESTED", "No", **seen)
    await bench.work()

    assert await bench.verdicts(shows) == []
    assert "about an older commit" in "".join(bench.said(shows))
    assert [verdict for verdict, *_ in await bench.verdicts(other)] == ["reject"]


async def test_a_starter_who_may_write_no_more(bench: Bench) -> None:
    """To have started a run is not enough when one could not start it any more."""
    shows = await bench.proposal()
    bench.github.set_role(REPOSITORY, "starter", "read")

    await approve(bench, shows, "starter")

    assert await bench.verdicts(shows) == []


async def test_the_app_itself_never_decides(bench: Bench) -> None:
    """Our own comments and reactions are not ours to be counted."""
    bench.github.set_role(REPOSITORY, "cairn[bot]", "admin")
    shows = await bench.proposal()

    await approve(bench, shows, "cairn[bot]")
    await react(bench, shows, "cairn[bot]")

    assert await bench.verdicts(shows) == []


async def test_a_login_that_changed_hands(bench: Bench) -> None:
    """The permission is that of the account by its id, not of whoever has the name now."""
    shows = await bench.proposal()
    await bench.github.comment(REPOSITORY, shows.pull.number, "/approve", by="keeper")
    bench.github.deliveries[-1].payload["comment"]["user"]["id"] = 999_999

    await bench.work()

    assert await bench.verdicts(shows) == []
