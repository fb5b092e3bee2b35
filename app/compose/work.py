"""Part of the composition root: what works deliveries and runs, with or without a socket."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from app.compose.dashboards import dashboards, place_of
from app.compose.pages import Watching, watching
from app.dashboard.keeper import Dashboards
from app.dispatch import Dispatch
from app.features import COMMANDS, FEATURES
from app.jobs.engine import Engine
from app.jobs.inbox import Inbox
from app.jobs.worker import Outcome, SegmentEngine, Worker
from app.pages.deciding import Deciding
from app.proposals.polling import Poller
from app.proposals.service import ProposalService
from app.pushes.push import RoadmapPushes
from app.runs.begun import RunPorts
from app.runs.execution import Segments
from app.runs.following import QueuedFollowUps
from app.runs.installations import Installations
from app.runs.parts import ServerParts
from app.runs.reactions import Reactions
from app.runs.returning import Returning
from app.runs.service import RunService
from app.store.deliveries import Deliveries
from app.store.proposals import StoredProposals
from app.store.queue import Queue
from app.store.runs import Run, StoredRuns
from app.store.wakeups import Wakeups
from runner.ports import Events


@dataclass(frozen=True)
class Working:
    """What works: the inbox of deliveries, the worker of runs, and the poller of reactions."""

    parts: ServerParts
    deliveries: Deliveries
    inbox: Inbox
    runs: StoredRuns
    queue: Queue
    engine: SegmentEngine
    worker: Worker
    poller: Poller
    service: RunService
    stored: StoredProposals
    watch: Watching
    dashboards: Dashboards

    async def idle(self) -> None:
        """Wait until every delivery is handled, no poll is due and no run can continue."""
        await self.inbox.idle()
        await self.poller.idle()
        await self.worker.idle()
        await self.poller.idle()
        await self.dashboards.idle()


@asynccontextmanager
async def working(parts: ServerParts, also: tuple[Events, ...] = ()) -> AsyncIterator[Working]:
    """Put it together, take up what an earlier process left, and stop it in order.

    ``also`` hear of every run. Raises ``Outage``.
    """
    work = _work(parts, also)
    async with AsyncExitStack() as stack:
        polls, inbox, boards = work.poller, work.inbox, work.dashboards
        for stop in (work.worker.stop, work.engine.stop, polls.stop, inbox.stop, boards.stop):
            stack.push_async_callback(stop)
        await work.engine.start(work.worker.step)
        for start in (work.worker.start, inbox.start, polls.start, boards.start):
            await start()
        yield work


def _work(parts: ServerParts, also: tuple[Events, ...]) -> Working:
    """Everything in order; what is told of something later is a function that is called later."""
    settings, around = parts.settings, parts.around
    runs, stored = parts.runs, StoredProposals(parts.store, around.clock)
    watch = watching(parts, also)
    boards = dashboards(parts, runs, watch.waiting)
    engine = (around.engine or Engine)(settings.database_url.get_secret_value())
    wakeups = Wakeups(around.clock, engine.enqueue, at_once=settings.cairn_concurrency)
    queue = Queue(parts.store, around.clock, wakeups)

    async def mark(run: Run) -> None:
        """A run that works on tasks changes what the dashboard shows; a set-up asks for one."""
        if not any(run.request.get(kind) for kind in ("dry_run", "verify", "unasked")):
            await boards.mark(place_of(run), asked=bool(run.request.get("setup")))

    async def ports_of(run: Run) -> RunPorts:
        await mark(run)
        return await parts.ports(run, watch.events, poller.look, QueuedFollowUps(service, run))

    async def stopped(run: Run, outcome: Outcome) -> None:
        await mark(run)
        await watch.stopped(run, outcome)

    worker = Worker(
        queue,
        Segments(
            runs,
            ports_of=ports_of,
            stopped=stopped,
            features=FEATURES,
        ).begin,
        lost=engine.lost,
        clock=around.clock,
        rest=around.rest,
        on_bug=around.on_bug,
    )

    async def poll() -> None:
        await poller.look()

    proposals = ProposalService(stored, queue, rules_of=parts.rules_of, look=worker.look, poll=poll)
    reactions = Reactions(parts, proposals)
    poller = Poller(
        stored,
        ask=reactions.ask,
        judge=reactions.judge,
        expire=proposals.expire,
        unread=reactions.unread,
        clock=around.clock,
        rest=around.rest,
        on_bug=around.on_bug,
    )
    service = RunService(parts, queue, proposals, watch.waiting, worker.look)

    pushes = RoadmapPushes(service, boards.text_of)
    installed = Installations(
        service,
        reach=boards.reach,
        returned=Returning(service, pushes, boards.back),
    )
    dispatch = Dispatch(
        service,
        FEATURES,
        (*COMMANDS, *around.commands),
        pushed=pushes,
        installed=installed,
        dashboards=boards,
    )
    deliveries = Deliveries(parts.store, around.clock)
    inbox = Inbox(
        deliveries, dispatch, clock=around.clock, sleep=around.sleep, on_bug=around.on_bug
    )
    deciding = Deciding(runs, stored, proposals.decide, around.clock)
    watch.routes.extend(deciding.routes(watch.door))
    return Working(
        parts=parts,
        deliveries=deliveries,
        inbox=inbox,
        runs=runs,
        queue=queue,
        engine=engine,
        worker=worker,
        poller=poller,
        service=service,
        stored=stored,
        watch=watch,
        dashboards=boards,
    )
