"""The poller: asks for the reactions to open proposals, and closes those that nobody answers.

Between two polls it holds only a timer: what is due is in the database, so a restart continues.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime

from tenacity import AsyncRetrying, retry_if_exception_type, wait_exponential_jitter

from app.background import BackgroundWork
from app.proposals.service import EXPIRES, MOST, OLD, RequestBudget, next_poll
from app.store.proposals import StoredProposals
from handlers.decisions import Reacted
from handlers.ports import ProposalView
from runner.errors import Outage
from runner.ports import Clock

log = logging.getLogger(__name__)

Ask = Callable[[int, Sequence[str]], Awaitable[tuple[Mapping[str, Reacted | None], int]]]
Judge = Callable[[ProposalView, Reacted | None], Awaitable[None]]
Expire = Callable[[ProposalView, datetime], Awaitable[None]]
Unread = Callable[[ProposalView], Awaitable[None]]

POLLS = "polls"
"""The topic of what other processes tell the one that polls."""

_BACKOFF = wait_exponential_jitter(initial=1, max=300)


class Poller(BackgroundWork):
    """``ask`` gets the reactions on comments (by node id) of an installation and says how many
    requests it took; ``judge`` rules on those of one proposal, ``expire`` closes one, ``unread``
    tells people that the reactions to one cannot be read.

    ``rest`` waits (seconds) for the next time; ``on_bug`` gets every exception that is a bug.
    """

    def __init__(
        self,
        stored: StoredProposals,
        *,
        ask: Ask,
        judge: Judge,
        expire: Expire,
        unread: Unread,
        clock: Clock,
        rest: Callable[[float], Awaitable[None]] = asyncio.sleep,
        on_bug: Callable[[Exception], None] | None = None,
    ) -> None:
        self._stored = stored
        self._ask = ask
        self._judge = judge
        self._expire = expire
        self._unread = unread
        self._clock = clock
        super().__init__("The poller", on_bug)
        self._rest = rest
        self._budgets: dict[int, RequestBudget] = {}
        self._wanted = asyncio.Event()
        self._timer: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to poll, first what has become due."""
        self._wanted.set()
        self.begin(self._work())

    async def look(self) -> None:
        """Something changed: see what is due now."""
        self.quiet.clear()
        self._wanted.set()
        if self.ended:
            self.begin(self._work())

    async def stop(self) -> None:
        """Let go; what is due is polled at the next start."""
        if self._timer is not None:
            self._timer.cancel()
            await asyncio.gather(self._timer, return_exceptions=True)
        await super().stop()

    async def poll(self) -> None:
        """Do what is due once. Raises ``Outage`` when the database fails."""
        now = self._clock.now()
        for old in await self._stored.open_since(now - EXPIRES):
            await self._expire(old, now)
        for installation, due in (await self._stored.polls()).items():
            if due <= now:
                await self._poll(installation, now)

    async def next_time(self) -> datetime | None:
        """Return when something is due next."""
        polls = await self._stored.polls()
        times = [max(at, self._budget(one).ready_at()) for one, at in polls.items()]
        oldest = await self._stored.oldest()
        if oldest is not None:
            times.append(oldest + EXPIRES)
        return min(times, default=None)

    async def _work(self) -> None:
        retrying = AsyncRetrying(
            retry=retry_if_exception_type(Outage), wait=_BACKOFF, sleep=self._rest
        )
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            await retrying(self.poll)
            due: datetime | None = await retrying(self.next_time)
            if self._timer is not None:
                self._timer.cancel()
            self._timer = asyncio.create_task(self._ring(due)) if due else None
            if not self._wanted.is_set():
                self.quiet.set()

    async def _ring(self, due: datetime) -> None:
        # clocks differ a little: never again and again for the last millisecond
        await self._rest(max(1.0, (due - self._clock.now()).total_seconds()))
        await self.look()

    async def _poll(self, installation: int, due_by: datetime) -> None:
        """Ask about what was due in one installation, as far as its budget goes.

        The next time is counted from the moment of each request: however long the answers take,
        nothing is due twice in one round.
        """
        budget = self._budget(installation)
        open_there = await self._stored.count(installation)
        while budget.left(self._clock.now()) > 0:
            claimed = await self._stored.claim(
                installation,
                due_by=due_by,
                most=MOST,
                again=lambda made: next_poll(made, self._clock.now(), open_there),
            )
            if not claimed:
                return
            try:
                await self._asked(installation, claimed, budget)
            except Outage as outage:
                self._put_up_with(outage, installation, budget)
                return

    async def _asked(
        self, installation: int, claimed: Sequence[ProposalView], budget: RequestBudget
    ) -> None:
        """Ask, and judge; where reactions may not be read, say so and ask rarely from then on."""
        try:
            reacted, requests = await self._ask(
                installation, [c.place.comment_node_id for c in claimed]
            )
        except Outage as outage:
            if outage.kind != "permission":
                raise
            self._put_up_with(outage, installation, budget)
            await self._stored.put_off(claimed, self._clock.now() + OLD)
            for each in claimed:
                await self._unread(each)
            return
        budget.spend(requests, self._clock.now())
        for each in claimed:
            await self._judge(each, reacted.get(each.place.comment_node_id))

    def _put_up_with(self, outage: Outage, installation: int, budget: RequestBudget) -> None:
        log.warning("Reactions of installation %s: %s", installation, outage.message)
        budget.spend(1, self._clock.now())
        if outage.until:
            budget.hold(outage.until)

    def _budget(self, installation: int) -> RequestBudget:
        if installation not in self._budgets:
            self._budgets[installation] = RequestBudget(self._clock.now())
        return self._budgets[installation]
