"""1,000 open proposals: what asking for their reactions costs, and how soon a 👍 has effect."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from time import monotonic, process_time

import sqlalchemy as sa

from app.proposals.polling import Poller
from app.store.database import Store, open_store
from app.store.proposals import ProposalOfRun, StoredProposals
from app.store.queue import Queue
from app.store.runs import StoredRuns
from app.store.schema import journal
from app.store.wakeups import Wakeups
from bench.finding import Finding, Line, Peer
from bench.run_requests import run_request
from handlers.decisions import Reacted
from handlers.ports import ProposalView
from runner.state.proposal import Proposal, ProposalPlace
from tests.scenarios.bot import Bot, conversation
from tests.scenarios.proposing import STUCK, decomposed, proposal_comment, script_new_tasks

_MANY = 1_000
_ALLOWED = 5_000
"""Requests an hour that GitHub allows an installation (https://docs.github.com/en/graphql)."""
_ROUNDS = 3


class HandClock:
    """A clock that the measure turns."""

    def __init__(self) -> None:
        self.time = datetime(2026, 1, 2, tzinfo=UTC)

    def now(self) -> datetime:
        """The time."""
        return self.time

    def monotonic(self) -> float:
        """Seconds."""
        return self.time.timestamp()


class Counted:
    """A GitHub that says there are no reactions, and counts how it was asked."""

    def __init__(self, clock: HandClock) -> None:
        self._clock = clock
        self.requests = 0
        self.seen: dict[str, datetime] = {}
        self.longest = timedelta()

    async def ask(
        self, installation: int, nodes: Sequence[str]
    ) -> tuple[Mapping[str, Reacted | None], int]:
        """One request for up to a hundred comments."""
        now = self._clock.now()
        self.requests += 1
        for node in nodes:
            self.longest = max(self.longest, now - self.seen.get(node, now))
            self.seen[node] = now
        return {}, 1


async def measure(folder: Path) -> AsyncIterator[Line]:
    """All proposals in one installation, all made at once: the worst there is."""
    clock = HandClock()
    store = await open_store(f"sqlite:///{folder}/polled.db")
    github = Counted(clock)
    await proposals(store, clock, _MANY)
    poller = poller_of(store, clock, github)
    tracemalloc.start()
    began = process_time()
    first = await let_pass(poller, clock, github, timedelta(minutes=10))
    fresh = github.longest.total_seconds()
    first += await let_pass(poller, clock, github, timedelta(minutes=50))
    spent = process_time() - began
    held = tracemalloc.get_traced_memory()[0] / 1e6
    tracemalloc.stop()
    day = await let_pass(poller, clock, github, timedelta(hours=23))
    await store.close()
    limit = Peer(what="a tenth of GitHub's limit", value=_ALLOWED / 10)
    yield Finding(
        what=f"requests in the first hour of {_MANY} proposals",
        value=first,
        unit="",
        peer=limit,
        goal="< 10 % of 5,000",
        ok=first < _ALLOWED / 10,
    )
    yield Finding(
        what="requests an hour, the rest of the first day",
        value=day / 23,
        unit="",
        peer=limit,
        goal="< 10 % of 5,000",
        ok=day / 23 < _ALLOWED / 10,
    )
    yield Finding(
        what=f"longest time between two polls of one of {_MANY} fresh proposals",
        value=fresh,
        unit="s",
        peer=Peer(what="goal", value=15.0),
        goal="<= 15 s",
        ok=fresh <= 15,
    )
    yield Finding(what="processor time of that hour", value=spent, unit="s")
    yield Finding(what="memory held after it", value=held, unit="MB")
    soon = [await _to_first_node(folder / f"soon-{n}") for n in range(_ROUNDS)]
    yield Finding(
        what="poll that sees a 👍 to the first saved node of the waiting task",
        value=median(soon),
        unit="s",
        peer=Peer(what="goal", value=1.0),
        goal="< 1 s",
        ok=median(soon) < 1,
    )


async def let_pass(poller: Poller, clock: HandClock, github: Counted, time: timedelta) -> int:
    """Poll whenever something is due; return how many requests that took."""
    before, end = github.requests, clock.time + time
    while (due := await poller.next_time()) and due < end:
        clock.time = max(clock.time + timedelta(seconds=1), due)
        await poller.poll()
    clock.time = end
    return github.requests - before


def poller_of(store: Store, clock: HandClock, github: Counted) -> Poller:
    """A poller on a database and this GitHub."""

    async def judge(stored: ProposalView, comment: Reacted | None) -> None:
        return None

    async def expire(stored: ProposalView, now: datetime) -> None:
        raise AssertionError("nothing is so old")

    async def unread(stored: ProposalView) -> None:
        raise AssertionError("everything can be read")

    stored = StoredProposals(store, clock)
    return Poller(stored, ask=github.ask, judge=judge, expire=expire, unread=unread, clock=clock)


async def proposals(store: Store, clock: HandClock, many: int) -> None:
    """Open proposals of one run, all made now."""
    runs, stored = StoredRuns(store, clock), StoredProposals(store, clock)
    queue = Queue(store, clock, Wakeups(clock, lambda connection, wakeup: None, at_once=1))
    await queue.start(replace(run_request("r"), roadmap="ROADMAP.md"))
    run = await runs.get("r")
    assert run is not None
    shown = [
        ProposalOfRun(
            proposal=Proposal(
                task=f"k{n}",
                kind="recovery",
                strategy="decompose",
                reason="task_too_complex",
                explanation="",
                original="",
                fingerprint=f"{n:08x}" * 8,
                place=ProposalPlace(number=n, comment_id=n, comment_node_id=f"IC_{n}"),
            ),
            name=f"{n}",
            open=True,
        )
        for n in range(many)
    ]
    await stored.sync(run, shown, poll_at=clock.now())


async def _to_first_node(folder: Path) -> float:
    """Seconds from the poll to the next row of the journal."""
    async with conversation(folder, STUCK) as bot, bot.started() as server:
        pull = await decomposed(bot)
        script_new_tasks(bot)
        bot.github.react(proposal_comment(bot, pull), "+1", by="writer")
        bot.github.clock.advance(15)
        store = await open_store(bot.settings.database_url.get_secret_value())
        before = await _rows(store)
        began = monotonic()
        await server.poller.poll()
        while await _rows(store) == before:  # noqa: ASYNC110 - nobody tells of a row
            await asyncio.sleep(0.005)
        seconds = monotonic() - began
        await bot.idle()
        _read(bot)
        await store.close()
        return seconds


async def _rows(store: Store) -> int:
    return int(await store.value(sa.select(sa.func.count()).select_from(journal)) or 0)


def _read(bot: Bot) -> None:
    bot.says()
    bot.proposes()
