"""The composition root of the server: names the concrete classes and puts them together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from aiohttp import web

from app.composition_parts import Parts, Surroundings, open_parts
from app.composition_proposals import Reactions
from app.dispatch import Dispatch
from app.engine import Engine
from app.github.scopes import APP_EVENTS
from app.inbox import Inbox
from app.pages.watching import Watching
from app.polling import Poller
from app.proposals import Look, ProposalService
from app.roadmap_push import RoadmapPushes
from app.run_service import RunService
from app.server import build_app
from app.settings import ServerSettings
from app.store.deliveries import Deliveries
from app.store.orders import Orders
from app.store.proposals import StoredProposals
from app.store.queue import Queue
from app.store.runs import Runs
from app.tasks import TaskFinder
from app.worker import Segment, Worker
from runner.adapters.clock import SystemClock
from runner.adapters.sandboxes import SandboxChoice

__all__ = ["Server", "Surroundings", "server"]


@dataclass(frozen=True)
class Server:
    """Everything that runs: the web application, the inbox of deliveries and the worker."""

    app: web.Application
    inbox: Inbox
    worker: Worker
    poller: Poller
    sandbox: SandboxChoice

    async def idle(self) -> None:
        """Wait until every stored delivery is worked, no poll is due and no run can go on."""
        await self.inbox.idle()
        await self.poller.idle()
        await self.worker.idle()
        await self.poller.idle()


@dataclass(frozen=True)
class _Work:
    """What works orders: the engine hands them to the worker, the queue says which may."""

    runs: Runs
    queue: Queue
    engine: Engine
    worker: Worker
    watch: Watching


@dataclass(frozen=True)
class _People:
    """What hears people: proposals, the poller of reactions, and the runs they ask for."""

    proposals: ProposalService
    polls: Poller
    service: RunService


@asynccontextmanager
async def server(
    settings: ServerSettings, around: Surroundings | None = None
) -> AsyncIterator[Server]:
    """Build the server, take up what an earlier process left, and close it in order.

    Raises ``StoreError`` when the database cannot be used, ``Outage`` when no sandbox works.
    """
    around = around or Surroundings(SystemClock())
    async with AsyncExitStack() as stack:
        parts = await open_parts(settings, around, stack)
        poll = _Later()
        work = _work(settings, around, parts, poll)
        people = _people(around, parts, work, poll)
        poll.look = people.polls.look
        deliveries = Deliveries(parts.store, around.clock)
        dispatch = _dispatch(settings, around, parts, people)
        inbox = Inbox(
            deliveries, dispatch, clock=around.clock, sleep=around.sleep, on_bug=around.on_bug
        )
        app = _front(settings, parts, deliveries, inbox, work.watch)
        for stop in (work.worker.stop, work.engine.stop, people.polls.stop, inbox.stop):
            stack.push_async_callback(stop)
        for start in (work.engine.start, work.worker.start, inbox.start, people.polls.start):
            await start()
        yield Server(app, inbox, work.worker, people.polls, parts.sandbox)


class _Later:
    """Stands for the poller, which is made after those that tell it to look."""

    look: Look

    async def __call__(self) -> None:
        await self.look()


def _work(settings: ServerSettings, around: Surroundings, parts: Parts, poll: Look) -> _Work:
    runs = Runs(parts.store, around.clock)
    watch = parts.watching(runs)

    def begin(run: str) -> Segment:
        return parts.segment(run, runs, watch, poll=poll)

    engine = Engine(settings.database_url.get_secret_value(), lambda o: worker.step(o))
    orders = Orders(around.clock, engine.enqueue, at_once=settings.cairn_concurrency)
    queue = Queue(parts.store, around.clock, orders)
    worker = Worker(
        queue, begin, lost=engine.lost, clock=around.clock, rest=around.rest, on_bug=around.on_bug
    )
    return _Work(runs, queue, engine, worker, watch)


def _people(around: Surroundings, parts: Parts, work: _Work, poll: Look) -> _People:
    stored = StoredProposals(parts.store, around.clock)
    look = work.worker.look
    proposals = ProposalService(
        stored, work.queue, work.runs, rules_of=parts.rules_of, look=look, poll=poll
    )
    reactions = Reactions(parts.identity, work.runs, proposals)
    polls = Poller(
        stored,
        ask=reactions.ask,
        judge=reactions.judge,
        expire=proposals.expire,
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
        find=TaskFinder(work.runs, roadmap_of=parts.roadmap_of, read=parts.roadmap_at_tip),
        skips=parts.skips,
        proposals=proposals,
    )
    return _People(proposals, polls, service)


def _dispatch(
    settings: ServerSettings, around: Surroundings, parts: Parts, people: _People
) -> Dispatch:
    bots = frozenset(settings.cairn_allowed_bots)
    images = settings.cairn_allowed_images
    return Dispatch(
        parts.identity,
        people.service,
        people.proposals,
        clock=around.clock,
        allowed_bots=bots,
        pushed=RoadmapPushes(parts.identity, people.service, allowed_bots=bots, images=images),
    )


def _front(
    settings: ServerSettings, parts: Parts, deliveries: Deliveries, inbox: Inbox, watch: Watching
) -> web.Application:
    app = build_app(
        secret=settings.github_webhook_secret,
        deliveries=deliveries,
        on_delivery=inbox.put,
        events=APP_EVENTS,
        readiness={"database": parts.store.check, "sandbox": parts.sandbox.sandbox.check},
        routes=watch.routes,
    )
    app.on_shutdown.append(watch.on_shutdown)
    return app
