"""The routes of the pages, and what their handlers ask the server."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from app.pages import words
from app.pages.answers import answer, asset, masked, problem
from app.pages.door import Door
from app.pages.listing import Listing, Wanted
from app.pages.stream import Streams
from app.pages.view import Sight, run_line, run_view
from app.progress.panel import total
from app.runs.live import OVER, Hub
from app.runs.waiting import Waiting
from app.store.orders import WORKING
from app.store.runs import Run, Runs
from runner.state import RunState, Usage

TIMELINE = 50
"""Events a page shows."""

_REMEMBERED = 1_000


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Where the pages read. ``recall`` folds the journal of a run, None when it has none.

    ``server_url`` is GitHub's, for links; ``mask`` hides secrets in whatever is shown.
    """

    runs: Runs
    listing: Listing
    waiting: Waiting
    hub: Hub
    recall: Callable[[Run], Awaitable[RunState | None]]
    server_url: str
    mask: Callable[[str], str]


class Pages:
    """The handlers of ``/runs``."""

    def __init__(self, sources: Sources) -> None:
        self._from = sources
        self._used: OrderedDict[tuple[str, datetime], Usage | None] = OrderedDict()

    async def runs(self, request: web.Request) -> web.StreamResponse:
        """List the runs newest first, as filtered."""
        status, repository = (request.query.get(key, "") for key in ("status", "repository"))
        before = request.query.get("before", "")
        if status and status not in words.STATUSES:
            return problem(request, words.NO_STATUS, status=400)
        if before and not (before.isascii() and before.isdigit() and len(before) < 19):
            return problem(request, words.NO_NUMBER, status=400)
        wanted = Wanted(status, repository, int(before) if before else None)
        found = await self._from.listing.find(wanted)
        data = {
            "runs": [await self._line(run) for run in found.runs],
            "filter": {"status": status, "repository": repository},
            "repositories": await self._from.listing.repositories(),
            "first_page": not before,
            "older": _older(wanted, found.older),
        }
        return answer(request, "runs", masked(data, self._from.mask))

    async def run(self, request: web.Request) -> web.StreamResponse:
        """Show one run as it stands."""
        row = await self._from.runs.get(request.match_info["id"])
        if row is None:
            return problem(request, words.NO_RUN, status=404)
        hub = self._from.hub
        messages = tuple(hub.newest(row.id, TIMELINE))  # before the state: none is missed
        sight = Sight(
            run=row,
            status=self._status(row),
            state=await self._state(row),
            turn=await self._from.waiting.turn(row.id) if row.status == "queued" else None,
            messages=messages,
        )
        data = run_view(sight, self._from.server_url)
        return answer(request, "run", masked(data, self._from.mask))

    async def _line(self, run: Run) -> dict[str, Any]:
        sight = Sight(run=run, status=self._status(run), state=None)
        return run_line(sight, self._from.server_url, await self._usage(run))

    async def _usage(self, run: Run) -> Usage | None:
        """What a run used; journals of runs that rest are read once."""
        if state := self._from.hub.state(run.id):
            return total(state)
        key = run.id, run.updated_at
        if key not in self._used:
            state = await self._from.recall(run)
            self._used[key] = total(state) if state else None
            while len(self._used) > _REMEMBERED:
                self._used.popitem(last=False)
        return self._used[key]

    async def _state(self, run: Run) -> RunState | None:
        return self._from.hub.state(run.id) or await self._from.recall(run)

    def _status(self, run: Run) -> str:
        """The row's word, but the run's own last word where that is newer than the row."""
        said = self._from.hub.status(run.id)
        ended = said in OVER or said == "paused"
        return said if ended and run.status in WORKING else run.status


def routes(sources: Sources, door: Door, *, heartbeat: float = 15.0) -> list[web.RouteDef]:
    """Return the routes; ``heartbeat`` is seconds of silence in a stream of events."""
    pages, streams = Pages(sources), Streams(sources.hub, sources.runs, heartbeat=heartbeat)
    return [
        web.get("/runs", door.guarded(pages.runs)),
        web.get("/runs/{id}", door.guarded(pages.run)),
        web.get("/runs/{id}/events", door.guarded(streams.events), allow_head=False),
        web.get("/login", door.form),
        web.post("/login", door.login),
        web.post("/logout", door.logout),
        web.get("/static/{name}", asset),
    ]


def _older(wanted: Wanted, before: int | None) -> str | None:
    if before is None:
        return None
    query = {"status": wanted.status, "repository": wanted.repository, "before": str(before)}
    return "/runs?" + urlencode({key: value for key, value in query.items() if value})
