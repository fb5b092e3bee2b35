"""Put together what watchers of runs need: the event hub, the pages, and ``/setup``."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from aiohttp import web

from app.jobs.member import Alone
from app.jobs.worker import Outcome
from app.pages.answers import answer
from app.pages.door import Door
from app.pages.history import HistoryPages
from app.pages.operations import Operations
from app.pages.site import Pages, routes
from app.pages.view import Listing
from app.progress.waiting import WaitEstimate
from app.runs.live import LIVE, Hub
from app.runs.parts import Folders, ServerParts
from app.server.http import Access
from app.server.links import RunLinks
from app.server.metrics import RunMetrics
from app.settings import ServerSettings, WorkSettings
from app.setup.addresses import CALLBACK, WEBHOOK, asked, heard
from app.setup.site import SETUP
from app.store.counts import Counting
from app.store.line import WaitingLine
from app.store.runs import Run, StoredRuns
from app.texts import setup_texts as words
from runner.errors import PortError
from runner.git.objects import GitObjects
from runner.loop.journal import Cursors
from runner.loop.recorder import Isolated
from runner.people.task_detail import TaskDetail, changes_of, detail_of, known
from runner.ports import Clock, Events, Fanout, Journal
from runner.state.events import RunChanged
from runner.state.options import Request
from runner.state.run_state import Attempt, RunState


def configured_routes(settings: WorkSettings, door: Door) -> list[web.RouteDef]:
    """Return the routes, for people with the admin token; the App is already registered."""

    async def show(request: web.Request) -> web.StreamResponse:
        url = settings.cairn_public_url
        data = {
            "server": settings.github_server_url,
            "webhook": f"{url}{WEBHOOK}" if url else None,
            "permissions": asked(),
            "events": heard(),
            "message": words.configured(),
        }
        return answer(request, "setup_app", data)

    shown = door.guarded(show)
    return [web.get(SETUP, shown), web.get(CALLBACK, shown)]


@dataclass(frozen=True)
class Watching:
    """The runs' audience: ``events`` hears of every run, ``routes`` show them; so do ``also``."""

    parts: ServerParts
    hub: Hub
    waiting: WaitEstimate
    metrics: RunMetrics
    routes: list[web.RouteDef]
    door: Door
    also: tuple[Events, ...]

    @property
    def events(self) -> Events:
        """A listener for one run: what fails in one of the audience harms nobody else."""
        every: tuple[Events, ...] = (self.hub, self.waiting, self.metrics, *self.also)
        return Fanout(*(Isolated(each, self.parts.around.on_bug) for each in every))

    async def stopped(self, run: Run, outcome: Outcome) -> None:
        """Report how a run stopped, because some stop before the loop could report anything."""
        if self.hub.status(run.id) != outcome.status:
            everybody = Fanout(self.events, self.parts.outward.of_run(run.repository.full_name))
            await everybody.emit(RunChanged(run.id, "", outcome.status, outcome.reason))

    async def on_shutdown(self, app: web.Application) -> None:
        """End the streams, so that the server does not wait for their readers."""
        await self.hub.close()


def watching(parts: ServerParts, also: tuple[Events, ...]) -> Watching:
    """Put the pages together; nothing is read before somebody asks for a page."""
    settings, clock, mask, runs = parts.settings, parts.around.clock, parts.mask, parts.runs
    others, journal = parts.others, parts.journal
    hub = Hub(clock, mask=mask, tell=None if isinstance(others, Alone) else others.tell)

    async def elsewhere(said: Mapping[str, Any]) -> None:
        if said.get("by", others.id) != others.id:
            await hub.hear(said)

    others.hear(LIVE, elsewhere)
    waiting = WaitEstimate(runs, WaitingLine(parts.store), at_once=parts.slots, clock=clock)
    pages = Pages(
        stored=runs,
        listing=Listing(parts.store),
        waiting=waiting,
        hub=hub,
        recall=lambda run: recall(run, journal),
        steps=journal.steps,
        kept=lambda run: parts.folders.kept(run.repository.id, run.id),
        detail=lambda run, state, key: detail(run, state, key, parts.folders),
        server_url=settings.github_server_url,
        mask=mask,
    )
    secure = (settings.cairn_public_url or "").startswith("https:")
    access = Access(settings.cairn_admin_token, secure=secure, clock=clock)
    door, metrics = Door(access, parts.links, partial(_is_private, runs)), RunMetrics()
    operations = Operations(
        counting=Counting(parts.store),
        metrics=metrics,
        waiting=waiting,
        clock=clock,
    )
    histories = HistoryPages(parts.history, pages.listing, clock, mask)
    every = (
        *routes(pages, door),
        *histories.routes(door),
        *operations.routes(door),
        *configured_routes(settings, door),
    )
    return Watching(parts, hub, waiting, metrics, list(every), door, also)


async def _is_private(runs: StoredRuns, place: Mapping[str, str]) -> bool:
    """Say whether a run's page, or a history, is of a repository that is private now."""
    if "id" in place:
        return await runs.is_private(run=place["id"])
    return await runs.is_private(repository=f"{place['owner']}/{place['name']}")


def run_links(settings: ServerSettings, clock: Clock) -> RunLinks:
    """Return what makes and checks the links to the runs' pages."""
    return RunLinks(
        settings.github_app_private_key.get_secret_value(),
        base=settings.cairn_public_url or "",
        which=settings.cairn_run_links,
        clock=clock,
    )


async def detail(run: Run, state: RunState, key: str, folders: Folders) -> TaskDetail:
    """A task that the run took up, with its files; nothing is fetched for it."""
    kept = await folders.kept(run.repository.id, run.id)
    exchanges = await asyncio.to_thread(kept.exchanges, run.id, key)
    verifications = await asyncio.to_thread(kept.verifications, run.id, key)
    before = await _before(state.attempts[key], folders.objects(run.repository.id))
    return await asyncio.to_thread(detail_of, state, key, before, exchanges, verifications)


async def _before(attempt: Attempt, objects: GitObjects) -> dict[str, bytes] | None:
    """The files that a change touches as they were; None where that commit is not here."""
    try:
        shas = known(await objects.snapshot(attempt.base), changes_of(attempt))
        contents = await objects.blobs(tuple(set(shas.values())))
    except PortError:
        return None
    return {path: contents[sha] for path, sha in shas.items()}


async def recall(run: Run, journal: Journal) -> RunState | None:
    """Fold a run's rows without changing any; None when it has none. Raises ``Outage``."""
    request = Request(run.id, run.roadmap)
    state = await Cursors(journal).recall(request, now=0.0)
    return state if state.times.started else None
