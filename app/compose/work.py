"""Part of the composition root: what works deliveries and runs, with or without a socket."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from app.compose.dashboards import dashboards
from app.compose.pages import Watching, watching
from app.dashboard.keeper import BOARDS, Dashboards
from app.dispatch import Dispatch, has_work
from app.features import COMMANDS, FEATURES
from app.jobs.engine import Engine
from app.jobs.inbox import Inbox
from app.jobs.member import Duty
from app.jobs.worker import RUNS, Outcome, SegmentEngine, Worker
from app.pages.deciding import Deciding
from app.proposals.polling import POLLS, Poller
from app.proposals.service import ProposalService
from app.pushes.push import RoadmapPushes
from app.runs.begun import RunPorts
from app.runs.execution import Segments
from app.runs.following import QueuedFollowUps
from app.runs.installations import Installations
from app.runs.keeping import PURGE, Keeping
from app.runs.parts import ServerParts
from app.runs.places import Places
from app.runs.reactions import Reactions
from app.runs.returning import Returning
from app.runs.service import RunService
from app.server.webhook import Handles
from app.store.deliveries import DELIVERIES, Deliveries
from app.store.proposals import StoredProposals
from app.store.queue import Queue
from app.store.runs import Run, StoredRuns
from app.store.wakeups import Wakeups
from runner.ports import Events

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Working:
    """What works: the inbox of deliveries, the worker of runs, and the poller of reactions."""

    parts: ServerParts
    deliveries: Deliveries
    inbox: Inbox
    handles: Handles
    runs: StoredRuns
    queue: Queue
    engine: SegmentEngine
    worker: Worker
    poller: Poller
    service: RunService
    stored: StoredProposals
    watch: Watching
    dashboards: Dashboards
    places: Places
    keeping: Keeping

    async def idle(self) -> None:
        """Wait until every delivery is handled, no poll is due and no run can continue."""
        await self.inbox.idle()
        await self.poller.idle()
        await self.worker.idle()
        await self.poller.idle()
        await self.dashboards.idle()
        await self.keeping.idle()


@asynccontextmanager
async def working(
    parts: ServerParts,
    also: tuple[Events, ...] = (),
    duties: Callable[[Working], Iterable[Duty]] = lambda _: (),
) -> AsyncIterator[Working]:
    """Put it together, take up what an earlier process left, and stop it in order.

    ``also`` hear of every run; ``duties`` are those of the process that leads, besides ours. Raises
    ``Outage``.
    """
    work, others = _work(parts, also), parts.others
    polls, inbox, boards, worker = work.poller, work.inbox, work.dashboards, work.worker
    async with AsyncExitStack() as stack:
        await others.join()
        stack.push_async_callback(others.leave)
        stack.push_async_callback(worker.stop)
        stack.push_async_callback(work.engine.stop)
        await work.engine.start(worker.step)
        stack.push_async_callback(inbox.stop)
        stack.push_async_callback(others.resign)
        await others.begin(
            Duty(worker.start, worker.keep_no_time, RUNS, worker.look),
            Duty(polls.start, polls.stop, POLLS, polls.look),
            Duty(boards.start, boards.stop, BOARDS, boards.start),
            Duty(work.places.start, work.places.stop),
            Duty(work.keeping.start, work.keeping.stop),
            *duties(work),
        )
        if others.works:
            await inbox.start()
            await work.queue.fill()  # there are more places than before
        yield work


def _work(parts: ServerParts, also: tuple[Events, ...]) -> Working:
    """Everything in order; what is told of something later is a function that is called later."""
    settings, around = parts.settings, parts.around
    runs, stored = parts.runs, StoredProposals(parts.store, around.clock)
    watch = watching(parts, also)
    boards = dashboards(parts, runs, watch.waiting)
    others, url = parts.others, settings.database_url.get_secret_value()
    engine = (
        around.engine(url)
        if around.engine
        else Engine(url, executor=others.id, slots=others.slots, works=others.works)
    )
    wakeups = Wakeups(
        around.clock,
        engine.enqueue,
        at_once=parts.slots,
        worker=others.id,
        stop=engine.enqueue_stop,
    )
    queue = Queue(parts.store, around.clock, wakeups)

    async def lost(wakeups: list[str]) -> Collection[str]:
        return await engine.lost(wakeups, await others.living())

    async def bury() -> None:
        """Give what is left of processes that died to those that live."""
        living = await others.living()
        log.info("Segments that go on elsewhere: %s", await engine.recover(living))
        await deliveries.release_dead(living)
        await worker.start()

    async def mark(run: Run) -> None:
        """A run that works on tasks changes what the dashboard shows; a set-up asks for one."""
        if not any(run.request.get(kind) for kind in ("dry_run", "verify", "unasked")):
            await boards.mark(run.repository, asked=bool(run.request.get("setup")))

    async def ports_of(run: Run) -> RunPorts:
        await mark(run)
        if run.status == "running":
            await parts.outward.ready(run)
        ports = await parts.ports(run, watch.events, poll, QueuedFollowUps(service, run))
        waits = partial(queue.others_wait, run.id)
        return replace(ports, deps=replace(ports.deps, others_wait=waits))

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
        lost=lost,
        clock=around.clock,
        rest=around.rest,
        pass_on=others.pass_on,
        on_bug=around.on_bug,
    )

    async def poll() -> None:
        if not await others.pass_on(POLLS):
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
    deliveries = Deliveries(parts.store, around.clock)
    dispatch = Dispatch(
        service,
        FEATURES,
        (*COMMANDS, *around.commands),
        pushed=pushes,
        installed=installed,
        dashboards=boards,
        deliveries=deliveries,
    )
    inbox = Inbox(
        deliveries,
        dispatch,
        clock=around.clock,
        sleep=around.sleep,
        worker=others.id,
        on_bug=around.on_bug,
    )

    async def arrived(_: object) -> None:
        if others.works:
            inbox.look()

    keeping = Keeping(parts)
    others.bury = bury
    others.hear(PURGE, keeping.purge_folder)
    others.hear(DELIVERIES, arrived)
    deciding = Deciding(runs, stored, proposals.decide, around.clock)
    watch.routes.extend(deciding.routes(watch.door))
    return Working(
        parts=parts,
        deliveries=deliveries,
        inbox=inbox,
        handles=partial(has_work, dispatch.commands, stored),
        runs=runs,
        queue=queue,
        engine=engine,
        worker=worker,
        poller=poller,
        service=service,
        stored=stored,
        watch=watch,
        dashboards=boards,
        places=Places(parts, watch.waiting),
        keeping=keeping,
    )
