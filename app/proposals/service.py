"""The proposals of this server as handlers and runs see them, and when to ask for reactions."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta

from app.store.proposals import ProposalOfRun, StoredProposals
from app.store.queue import Queue
from app.store.runs import Run
from handlers.events import InstalledRepository, User
from handlers.ports import ProposalView, Rules, Vote
from runner.ports import Clock, Decision
from runner.state.run_state import Attempt, RunState, Status
from runner.text.sanitize import sanitize

FIRST = timedelta(seconds=15)
"""From a proposal to the first look at its reactions."""

AGES: tuple[tuple[timedelta, timedelta], ...] = (
    (timedelta(minutes=10), FIRST),
    (timedelta(hours=1), timedelta(minutes=1)),
    (timedelta(hours=6), timedelta(minutes=5)),
    (timedelta(days=1), timedelta(minutes=15)),
    (timedelta(days=7), timedelta(minutes=30)),
)
"""(until this age, every so often); what is older still is asked for once an ``OLD``."""

OLD = timedelta(hours=1)


MOST = 100
"""Proposals one request asks about."""

SPREAD_FRESH, SPREAD = timedelta(seconds=1.5), timedelta(seconds=45)
"""The time one request of a round takes up: so many of them are asked about more rarely.

A thousand fresh proposals are ten requests every 15 s for ten minutes (400), and as old ones ten
every 450 s: less than 490 in the hour.
"""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def next_poll(made_at: datetime, now: datetime, open_there: int = 1) -> datetime:
    """Return when a proposal's reactions are asked for again.

    ``open_there`` is how many are open in its installation. All of one age come due together, at
    whole multiples of their time, so that a request asks about as many as it can.
    """
    age = now - made_at
    every = next((every for until, every in AGES if age < until), OLD)
    requests = -(-open_there // MOST)
    every = max(every, requests * (SPREAD_FRESH if age < AGES[0][0] else SPREAD))
    return _EPOCH + ((now - _EPOCH) // every + 1) * every


class RequestBudget:
    """How many requests one installation may be asked in any hour that passes.

    GitHub allows 5,000 (https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api);
    reactions take less than a tenth, and as much of it at once as there is to ask.
    """

    AN_HOUR = 490

    def __init__(self, now: datetime) -> None:
        self._spent: deque[datetime] = deque()
        self._held = now

    def left(self, now: datetime) -> int:
        """Return how many requests may be made now."""
        while self._spent and self._spent[0] + _HOUR <= now:
            self._spent.popleft()
        return self.AN_HOUR - len(self._spent) if now >= self._held else 0

    def spend(self, requests: int, now: datetime) -> None:
        """Count requests; more than are left is a debt."""
        self._spent.extend([now] * requests)

    def hold(self, until: datetime) -> None:
        """Allow nothing before a time that GitHub named."""
        self._held = max(self._held, until)

    def ready_at(self) -> datetime:
        """Return when a request may be made, which can be past."""
        over = len(self._spent) - self.AN_HOUR
        return max(self._held, self._spent[over] + _HOUR) if over >= 0 else self._held


_HOUR = timedelta(hours=1)


Look = Callable[[], Awaitable[None]]

EXPIRES = timedelta(days=30)
"""A proposal nobody answers for so long is closed, its task deferred."""


class ProposalService:
    """Implements ``handlers.ports.Proposals`` on the proposals table.

    ``rules_of`` reads who may decide in a repository, ``look`` notifies the worker and ``poll`` the
    poller that something changed.
    """

    def __init__(
        self,
        stored: StoredProposals,
        queue: Queue,
        *,
        rules_of: Callable[[InstalledRepository], Awaitable[Rules]],
        look: Look,
        poll: Look,
    ) -> None:
        self._stored = stored
        self._queue = queue
        self._rules_of = rules_of
        self._look = look
        self._poll = poll

    async def on_pull(self, repository_id: int, number: int) -> tuple[ProposalView, ...]:
        """Return those shown on a pull request, the newest first."""
        return _newest(await self._stored.on_pull(repository_id, number))

    async def of_issue(self, repository_id: int, issue: int) -> tuple[ProposalView, ...]:
        """Return those of the runs asked for on an issue, the newest first."""
        return _newest(await self._stored.of_issue(repository_id, issue))

    async def named(self, repository_id: int, id: str) -> tuple[ProposalView, ...]:
        """Return those of a repository whose fingerprint begins so, the newest first."""
        return _newest(await self._stored.named(repository_id, id))

    async def of_task(
        self, repository_id: int, roadmap: str, task: str
    ) -> tuple[ProposalView, ...]:
        """Return the open ones about a task, of any run, the newest first."""
        return _newest(await self._stored.of_task(repository_id, roadmap, task))

    async def decide(self, proposal: ProposalView, vote: Vote) -> ProposalView:
        """Store a decision unless another one was first; return the proposal as it is then."""
        decision = Decision(
            task=proposal.task,
            verdict=vote.verdict,
            by=vote.by.login,
            why=sanitize(vote.why[:_LONGEST], plain=True),
            channel=vote.channel,
            at=vote.at.isoformat(timespec="seconds"),
            fingerprint=proposal.fingerprint,
            tasks=vote.tasks,
        )
        await self._queue.answer(proposal.run, vote.delivery, decision)
        await self._look()
        return await self._stored.get(proposal.seq)

    async def expire(self, stored: ProposalView, now: datetime) -> None:
        """Close a proposal that nobody answered."""
        decision = Decision(
            task=stored.task,
            verdict="defer",
            by="Cairn",
            why=f"nobody answered for {EXPIRES.days} days, so the task is deferred",
            channel="time",
            at=now.isoformat(timespec="seconds"),
            fingerprint=stored.fingerprint,
        )
        await self._queue.answer(stored.run, f"expired:{stored.fingerprint}", decision)
        await self._look()

    async def supersede(
        self, proposal: ProposalView, *, by: str, at: datetime, delivery: str
    ) -> None:
        """End a proposal since its task is tried again; its run closes the pull request."""
        decision = Decision(
            task=proposal.task,
            verdict="reject",
            by=by,
            why="the task is tried again",
            channel="retry",
            at=at.isoformat(timespec="seconds"),
            fingerprint=proposal.fingerprint,
        )
        await self._queue.answer(proposal.run, delivery, decision)

    async def pushed(self, proposal: ProposalView, *, by: User, delivery: str) -> None:
        """Let the run of an open proposal read what was pushed to its branch."""
        decision = Decision(
            task=proposal.task,
            verdict="pushed",
            by=by.login,
            channel="push",
            fingerprint=proposal.fingerprint,
        )
        await self._queue.answer(proposal.run, delivery, decision)
        await self._look()

    async def rules(self, repository: InstalledRepository) -> Rules:
        """Return who may decide, as the repository's configuration says now."""
        return await self._rules_of(repository)

    async def touch(self, repository_id: int, number: int) -> None:
        """Look for reactions on a pull request at once."""
        if await self._stored.touch(repository_id, number):
            await self._poll()

    async def lose_comment(self, proposal: ProposalView) -> bool:
        """Remember that a proposal's comment is gone; False when that was known."""
        return await self._stored.lose_comment(proposal.seq)


_LONGEST = 1000
_MOST = 100


class ShownProposals:
    """Keeps the rows of one run as its state shows them; a crash loses nothing: they are made again
    from the next state."""

    def __init__(self, run: Run, stored: StoredProposals, clock: Clock, poll: Look) -> None:
        self._run = run
        self._stored = stored
        self._clock = clock
        self._poll = poll
        self._known: tuple[ProposalOfRun, ...] = ()

    async def see(self, state: RunState) -> None:
        """Take in a state of the run. Raises ``Outage``."""
        shown = shown_in(state)
        if shown == self._known:
            return
        first = self._clock.now() + FIRST
        if await self._stored.sync(self._run, shown, poll_at=first):
            await self._poll()
        self._known = shown

    async def offer(self, shown: ProposalOfRun) -> None:
        """Keep what a run proposes that works on no task; twice leaves one. Raises ``Outage``."""
        if await self._stored.sync(self._run, (shown,), poll_at=self._clock.now() + FIRST):
            await self._poll()

    async def end(self) -> None:
        """The run is over: what is still open can be applied by nobody."""
        await self._stored.close(self._run.id)


def shown_in(state: RunState) -> tuple[ProposalOfRun, ...]:
    """Return the proposals of a state that people can see somewhere."""
    return tuple(
        ProposalOfRun(
            proposal=proposal, name=state.task_of(attempt.task).name, open=_waits(attempt)
        )
        for attempt in state.attempts.values()
        if (proposal := attempt.proposal) and proposal.place.number is not None
    )


def _waits(attempt: Attempt) -> bool:
    """Whether a decision is waited for, or will be at the next step.

    A run that wakes for a push is at work, and nobody has decided anything: a row that is decided
    is not opened by this.
    """
    published = attempt.spent.path[-1:] in (("propose_recovery",), ("await_approval",))
    at_work = attempt.status is Status.IN_PROGRESS and published
    return at_work or attempt.status is Status.AWAITING_APPROVAL


def _newest(found: Sequence[ProposalView]) -> tuple[ProposalView, ...]:
    """As many as handlers look at, at most."""
    return tuple(found[:_MOST])
