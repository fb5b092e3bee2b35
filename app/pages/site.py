"""The routes of the pages, and the login that protects them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode

from aiohttp import web

from app.pages import answers
from app.pages.answers import answer, asset, masked, page, problem, wants_page
from app.pages.stream import Streams
from app.pages.view import Listing, RunFilter, Sight, run_line, run_view
from app.progress.waiting import WaitEstimate
from app.runs.live import OVER, Hub
from app.server.http import LASTS, Access, from_elsewhere
from app.store.runs import Run, StoredRuns
from app.store.wakeups import WORKING
from runner.errors import Outage
from runner.money import Usage, total
from runner.people.run_view import usage_by_node
from runner.state.run_state import RunState

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_LONGEST = 4096
"""Bytes of a login form."""

_HOME = "/runs"


class Door:
    """Guards handlers and serves the login."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def guarded(self, handler: Handler) -> Handler:
        """Let the handler answer only people who may see it, and show an outage as a page."""

        async def checked(request: web.Request) -> web.StreamResponse:
            if not self._access.configured:
                return problem(request, answers.NOT_CONFIGURED, status=403)
            if not self._access.admits(request.headers, request.cookies):
                return _shut(request)
            try:
                return await handler(request)
            except Outage as outage:
                return problem(request, outage.message, status=503)

        return checked

    async def form(self, request: web.Request) -> web.StreamResponse:
        """Show the login."""
        if not self._access.configured:
            return problem(request, answers.NOT_CONFIGURED, status=403)
        return page("login", {"to": _inside(request.query.get("next", "")), "text": ""})

    async def login(self, request: web.Request) -> web.StreamResponse:
        """Open a session for who gives the token."""
        if not self._access.configured:
            return problem(request, answers.NOT_CONFIGURED, status=403)
        if from_elsewhere(request.headers):
            return problem(request, answers.ELSEWHERE, status=403)
        if (request.content_length or 0) > _LONGEST or request.content_length is None:
            return problem(request, answers.TOO_LONG, status=413)
        form = await request.post()
        to = _inside(str(form.get("next", "")))
        if not self._access.takes(str(form.get("token", "")).strip()):
            return page("login", {"to": to, "text": answers.WRONG_TOKEN}, status=403)
        opened = _moved(to)
        self._set(opened, self._access.session(), LASTS)
        return opened

    async def logout(self, request: web.Request) -> web.StreamResponse:
        """Take the session from the browser."""
        if from_elsewhere(request.headers):
            return problem(request, answers.ELSEWHERE, status=403)
        closed = _moved("/login")
        self._set(closed, "", 0)
        return closed

    def _set(self, response: web.Response, value: str, seconds: int) -> None:
        response.set_cookie(
            self._access.cookie,
            value,
            max_age=seconds,
            path="/",
            httponly=True,
            samesite="Strict",
            secure=self._access.secure,
        )


def _shut(request: web.Request) -> web.Response:
    if wants_page(request) and request.method in ("GET", "HEAD"):
        return _moved(f"/login?next={quote(request.path_qs, safe='/')}")
    refusal = problem(request, answers.NO_TOKEN, status=401)
    refusal.headers["WWW-Authenticate"] = "Bearer"
    return refusal


def _moved(to: str) -> web.Response:
    headers = {"Location": to, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
    return web.Response(status=303, headers=headers)


def _inside(to: str) -> str:
    """Return where to go after the login: one of our own pages, whatever was asked for."""
    plain = to.isascii() and to.isprintable() and "\\" not in to
    ours = to in (_HOME, "/setup") or to.startswith((f"{_HOME}/", f"{_HOME}?"))
    return to if plain and ours else _HOME


TIMELINE = 50
"""Events a page shows."""

_REMEMBERED = 1_000


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Where the pages read. ``recall`` folds the journal of a run, None when it has none.

    ``server_url`` is GitHub's, for links; ``mask`` hides secrets in whatever is shown.
    """

    runs: StoredRuns
    listing: Listing
    waiting: WaitEstimate
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
        if status and status not in answers.STATUSES:
            return problem(request, answers.NO_STATUS, status=400)
        if before and not (before.isascii() and before.isdigit() and len(before) < 19):
            return problem(request, answers.NO_NUMBER, status=400)
        wanted = RunFilter(status, repository, int(before) if before else None)
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
        """Show one run as it is now."""
        row = await self._from.runs.get(request.match_info["id"])
        if row is None:
            return problem(request, answers.NO_RUN, status=404)
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
            return total(usage_by_node(state).values())
        key = run.id, run.updated_at
        if key not in self._used:
            state = await self._from.recall(run)
            self._used[key] = total(usage_by_node(state).values()) if state else None
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


def _older(wanted: RunFilter, before: int | None) -> str | None:
    if before is None:
        return None
    query = {"status": wanted.status, "repository": wanted.repository, "before": str(before)}
    return "/runs?" + urlencode({key: value for key, value in query.items() if value})
