"""Everything for those who watch runs, put together: the hub of events and the pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from aiohttp import web

from app.pages.door import Door
from app.pages.listing import Listing
from app.pages.site import Sources, routes
from app.runs.live import Hub
from app.runs.waiting import Waiting
from app.runs.worker import Outcome
from app.settings import WorkSettings
from app.setup.configured import configured_routes
from app.store.database import Store
from app.store.runs import Run, Runs
from app.web.access import Access
from runner.adapters.fanout import Fanout
from runner.cursors import Cursors
from runner.events import RunChanged
from runner.ports import Clock, Events, Journal
from runner.state import Request, RunState


@dataclass(frozen=True)
class Watching:
    """The runs' audience: ``events`` hears of every run, ``routes`` show them; so do ``also``."""

    hub: Hub
    waiting: Waiting
    routes: list[web.RouteDef]
    also: tuple[Events, ...] = ()

    @property
    def events(self) -> Events:
        """The listener every run has."""
        return Fanout(self.hub, self.waiting, *self.also)

    async def stopped(self, run: Run, outcome: Outcome) -> None:
        """Tell how a run stopped, for some stop before the loop could say anything."""
        if self.hub.status(run.id) != outcome.status:
            await self.events.emit(RunChanged(run.id, "", outcome.status, outcome.reason))

    async def on_shutdown(self, app: web.Application) -> None:
        """End the streams, so that the server does not wait for their readers."""
        await self.hub.close()


def watching(
    settings: WorkSettings,
    *,
    store: Store,
    runs: Runs,
    journal: Journal,
    clock: Clock,
    mask: Callable[[str], str],
) -> Watching:
    """Put the pages together; nothing is read before somebody asks for a page."""
    hub = Hub(clock, mask=mask)
    waiting = Waiting(runs, at_once=settings.cairn_concurrency, clock=clock)
    sources = Sources(
        runs=runs,
        listing=Listing(store),
        waiting=waiting,
        hub=hub,
        recall=lambda run: recall(run, journal),
        server_url=settings.github_server_url,
        mask=mask,
    )
    secure = (settings.cairn_public_url or "").startswith("https:")
    access = Access(settings.cairn_admin_token, secure=secure, clock=clock)
    door = Door(access)
    return Watching(hub, waiting, [*routes(sources, door), *configured_routes(settings, door)])


async def recall(run: Run, journal: Journal) -> RunState | None:
    """Fold a run's rows without changing any; None when it has none. Raises ``Outage``."""
    request = Request(run.id, run.roadmap)
    state = await Cursors(journal).recall(request, now=0.0)
    return state if state.started else None
