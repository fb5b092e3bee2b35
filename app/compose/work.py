"""Part of the composition root: what works deliveries and runs, with or without a socket."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from app.compose.checkpoints import checkpoints, most_attempts
from app.compose.dashboards import dashboards, place_of
from app.compose.pages import Watching
from app.compose.parts import ServerParts
from app.compose.proposals import Reactions
from app.dashboard.keeper import BoardPlace, Dashboards
from app.dispatch import Dispatch
from app.github.freshen import Attempting, Clash
from app.github.pulls import PREFIX, Pull
from app.jobs.engine import Engine
from app.jobs.inbox import Inbox
from app.jobs.worker import Outcome, SegmentEngine, Worker
from app.pages.deciding import Deciding
from app.proposals.polling import Poller
from app.proposals.service import Look, ProposalService
from app.pushes.push import RoadmapPushes
from app.runs.execution import RunPorts, Segments
from app.runs.following import ConflictAttempts, FollowUps, QueuedFollowUps
from app.runs.installations import Installations
from app.runs.lessons import LearnedHere
from app.runs.onboarding import Welcome
from app.runs.returning import Returning
from app.runs.service import HistoryAt, RunService, TaskFinder
from app.runs.verifying import Verifications
from app.store.deliveries import Deliveries
from app.store.history import StoredHistory
from app.store.proposals import StoredProposals
from app.store.queue import Affected, Queue
from app.store.runs import Run, RunRequest, StoredRuns
from app.store.wakeups import Wakeups
from handlers.events import PullChanged, PullClosed
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


@dataclass(frozen=True)
class _Work:
    """What works on wakeups: the engine hands them to the worker, the queue says which may."""

    runs: StoredRuns
    queue: Queue
    engine: SegmentEngine
    worker: Worker
    watch: Watching
    dashboards: Dashboards


@dataclass(frozen=True)
class _People:
    """What hears people: proposals, the poller of reactions, and the runs they ask for."""

    stored: StoredProposals
    proposals: ProposalService
    polls: Poller
    service: RunService
    pull_changed: Callable[[PullChanged], Awaitable[None]]


@asynccontextmanager
async def working(parts: ServerParts, also: tuple[Events, ...] = ()) -> AsyncIterator[Working]:
    """Put it together, take up what an earlier process left, and stop it in order.

    ``also`` hear of every run. Raises ``Outage``.
    """
    poll, after = _Later(), _LaterFollowUps()
    work = _work(parts, poll, after, also)
    after.then = _follow_ups(parts, work)
    people = _people(parts, work, poll, after)
    deciding = Deciding(work.runs, people.stored, people.proposals.decide, parts.around.clock)
    work.watch.routes.extend(deciding.routes(work.watch.door))
    poll.look = people.polls.look
    deliveries, around = Deliveries(parts.store, parts.around.clock), parts.around
    boards = work.dashboards
    look = work.worker.look
    welcome = Welcome(parts.identity, work.queue, look=look)
    pushes = _pushes(parts, people, boards, after)
    installed = Installations(
        parts.identity,
        work.queue,
        look=look,
        reach=boards.reach,
        welcome=welcome,
        returned=_returning(parts, work, pushes),
    )
    inbox = Inbox(
        deliveries,
        _dispatch(parts, people, boards, installed, pushes),
        clock=around.clock,
        sleep=around.sleep,
        on_bug=around.on_bug,
    )
    async with AsyncExitStack() as stack:
        polls = people.polls
        for stop in (work.worker.stop, work.engine.stop, polls.stop, inbox.stop, boards.stop):
            stack.push_async_callback(stop)
        await work.engine.start(work.worker.step)
        for start in (work.worker.start, inbox.start, polls.start, boards.start):
            await start()
        yield Working(
            parts=parts,
            deliveries=deliveries,
            inbox=inbox,
            runs=work.runs,
            queue=work.queue,
            engine=work.engine,
            worker=work.worker,
            poller=people.polls,
            service=people.service,
            stored=people.stored,
            watch=work.watch,
            dashboards=work.dashboards,
        )


class _Later:
    """A placeholder for the poller, which is made after those that tell it to look."""

    look: Look

    async def __call__(self) -> None:
        await self.look()


class _LaterFollowUps:
    """A placeholder for what queues runs, made after those that ask for them."""

    then: FollowUps

    async def verify(self, place: RunRequest, pull: Pull, head: str, /) -> None:
        await self.then.verify(place, pull, head)

    async def look(self, place: RunRequest, pull: Pull, at: datetime, /) -> None:
        await self.then.look(place, pull, at)

    async def attempt(
        self, place: RunRequest, pull: Pull, clash: Clash, /, *, stopped: bool = False
    ) -> Attempting:
        return await self.then.attempt(place, pull, clash, stopped=stopped)


def _follow_ups(parts: ServerParts, work: _Work) -> QueuedFollowUps:
    look = work.worker.look
    attempts = ConflictAttempts(
        work.runs,
        work.queue,
        parts.skips,
        most=partial(most_attempts, parts),
        first_words=parts.first_words(work.watch.waiting).say,
        queued=parts.outward.queued,
        look=look,
    )
    return QueuedFollowUps(Verifications(work.queue, look), attempts)


def _work(parts: ServerParts, poll: Look, after: FollowUps, also: tuple[Events, ...]) -> _Work:
    settings, around = parts.settings, parts.around
    runs = StoredRuns(parts.store, around.clock)
    watch = parts.watching(runs)
    watch = replace(watch, also=also, on_bug=around.on_bug, outward=parts.outward.of_run)

    boards = dashboards(parts, runs, watch.waiting)

    async def ports_of(run: Run) -> RunPorts:
        await _mark(boards, run)
        return await parts.ports(run, runs, watch.events, poll, after)

    async def stopped(run: Run, outcome: Outcome) -> None:
        await _mark(boards, run)
        await watch.stopped(run, outcome)

    segments = Segments(runs, ports_of=ports_of, stopped=stopped)
    engine = (around.engine or Engine)(settings.database_url.get_secret_value())
    wakeups = Wakeups(around.clock, engine.enqueue, at_once=settings.cairn_concurrency)
    queue = Queue(parts.store, around.clock, wakeups)
    worker = Worker(
        queue,
        segments.begin,
        lost=engine.lost,
        clock=around.clock,
        rest=around.rest,
        on_bug=around.on_bug,
    )
    return _Work(runs, queue, engine, worker, watch, boards)


async def _mark(boards: Dashboards, run: Run) -> None:
    """A run that works on tasks changes what the dashboard shows; a set-up asks for one."""
    if not any(run.request.get(kind) for kind in ("dry_run", "verify", "unasked")):
        await boards.mark(place_of(run), asked=bool(run.request.get("setup")))


def _people(parts: ServerParts, work: _Work, poll: Look, after: FollowUps) -> _People:
    around = parts.around
    stored = StoredProposals(parts.store, around.clock)
    look = work.worker.look
    proposals = ProposalService(stored, work.queue, rules_of=parts.rules_of, look=look, poll=poll)
    reactions = Reactions(parts.identity, work.runs, proposals, parts.refusals, parts.read_only)
    polls = Poller(
        stored,
        ask=reactions.ask,
        judge=reactions.judge,
        expire=proposals.expire,
        unread=reactions.unread,
        clock=around.clock,
        rest=around.rest,
        on_bug=around.on_bug,
    )
    service = RunService(
        work.runs,
        work.queue,
        roadmap_of=parts.roadmap_of,
        first_words=parts.first_words(work.watch.waiting).say,
        look=look,
        find=TaskFinder(work.runs, roadmap_of=parts.roadmap_of, read=parts.roadmap_now),
        skips=parts.skips,
        proposals=proposals,
        checkpoints=checkpoints(parts),
        history=HistoryAt(StoredHistory(parts.store), around.clock, parts.history_page),
        learned=LearnedHere(parts.lessons, parts.config_of, parts.folders.memory),
        queued=parts.outward.queued,
    )

    async def pull_changed(event: PullChanged) -> None:
        """Keep what builds on our pull request true; let go on what waited for its end."""
        if isinstance(event, PullClosed) and event.merged:
            await parts.outward.merged(event)
        await parts.pull_changed(event, after=after)
        if isinstance(event, PullClosed) and event.branch.startswith(PREFIX):
            await work.queue.pull_ended(Affected(event.installation_id, event.repository.id))
            await look()
        here = event.repository
        await work.dashboards.mark(
            BoardPlace(event.installation_id, here.id, here.full_name, here.default_branch)
        )

    return _People(stored, proposals, polls, service, pull_changed)


def _pushes(
    parts: ServerParts, people: _People, boards: Dashboards, after: FollowUps
) -> RoadmapPushes:
    return RoadmapPushes(
        parts.identity,
        people.service,
        allowed_bots=frozenset(parts.settings.cairn_allowed_bots),
        images=parts.settings.cairn_allowed_images,
        restack=partial(parts.restack, after=after),
        board=boards.text_of,
        overlay=parts.overlay,
    )


def _returning(parts: ServerParts, work: _Work, pushes: RoadmapPushes) -> Returning:
    async def ended(place: BoardPlace) -> None:
        await work.queue.pull_ended(Affected(place.installation_id, place.repository_id))

    return Returning(parts.identity, work.runs, pushes, work.dashboards.back, ended)


def _dispatch(
    parts: ServerParts,
    people: _People,
    boards: Dashboards,
    installed: Installations,
    pushes: RoadmapPushes,
) -> Dispatch:
    return Dispatch(
        parts.identity,
        people.service,
        people.proposals,
        clock=parts.around.clock,
        commands=parts.around.commands,
        allowed_bots=frozenset(parts.settings.cairn_allowed_bots),
        read_only=parts.read_only,
        configs=parts.configs,
        refusals=parts.refusals,
        installed=installed,
        dashboards=boards,
        pushed=pushes,
        changed=people.pull_changed,
    )
