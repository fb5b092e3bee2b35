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
from app.pages.answers import GUEST, answer, asset, masked, page, problem, wants_page
from app.pages.stream import Streams
from app.pages.view import Listing, RunFilter, Sight, run_line, run_view
from app.progress.waiting import WaitEstimate
from app.runs.live import OVER, Hub
from app.server.http import LASTS, Access, from_elsewhere
from app.server.links import RunLinks
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
_KEY = "key"
"""The part of an address that has a run's token."""


class Door:
    """Guards handlers and serves the login; ``links`` open the pages of single runs."""

    def __init__(self, access: Access, links: RunLinks | None = None) -> None:
        self._access = access
        self._links = links
        self._cookie = "__Secure-cairn-run" if access.secure else "cairn-run"

    def guarded(self, handler: Handler) -> Handler:
        """Let the handler answer only people who may see it, and show an outage as a page."""

        async def checked(request: web.Request) -> web.StreamResponse:
            if not self._access.configured:
                return problem(request, answers.NOT_CONFIGURED, status=403)
            if not self._access.admits(request.headers, request.cookies):
                return _shut(request)
            return await _answered(handler, request)

        return checked

    def of_run(self, handler: Handler) -> Handler:
        """Let the handler answer people with the run's signed link, too.

        A browser keeps the token as a cookie for this run's pages only, so that no further address
        has it. Whether there is such a run shows in no refusal.
        """
        admitted = self.guarded(handler)

        async def checked(request: web.Request) -> web.StreamResponse:
            given, cookie = request.query.get(_KEY, ""), request.cookies.get(self._cookie, "")
            if self._access.admits(request.headers, request.cookies):
                return await admitted(request)
            seconds = self._opens(given or cookie, request.match_info["id"])
            if seconds is None:
                shut = given or cookie
                refused = problem(request, answers.LINK_IS_OVER, status=403) if shut else None
                return refused or await admitted(request)
            if given and wants_page(request):
                return self._kept(request, given, seconds)
            request[GUEST] = True
            return await _answered(handler, request)

        return checked

    def _opens(self, token: str, run: str) -> float | None:
        return self._links.opens(token, run) if self._links and token else None

    def _kept(self, request: web.Request, token: str, seconds: float) -> web.Response:
        """Go on to the same page without the token in its address."""
        page_ = f"/runs/{quote(request.match_info['id'], safe='')}"
        kept = _moved(request.rel_url.with_query(_without_key(request)).raw_path_qs)
        kept.set_cookie(
            self._cookie,
            token,
            max_age=int(seconds),
            path=page_,
            httponly=True,
            samesite="Lax",  # people come from GitHub; a stricter cookie would stay behind
            secure=self._access.secure,
        )
        return kept

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


async def _answered(handler: Handler, request: web.Request) -> web.StreamResponse:
    """Answer, and show an outage as a page."""
    try:
        return await handler(request)
    except Outage as outage:
        return problem(request, outage.message, status=503)


def _without_key(request: web.Request) -> dict[str, str]:
    return {name: value for name, value in request.query.items() if name != _KEY}


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
        status = self._from.hub.status(run.id)
        ended = status in OVER or status == "paused"
        return status if ended and run.status in WORKING else run.status


def routes(sources: Sources, door: Door, *, heartbeat: float = 15.0) -> list[web.RouteDef]:
    """Return the routes; ``heartbeat`` is seconds of silence in a stream of events."""
    pages, streams = Pages(sources), Streams(sources.hub, sources.runs, heartbeat=heartbeat)
    return [
        web.get("/runs", door.guarded(pages.runs)),
        web.get("/runs/{id}", door.of_run(pages.run)),
        web.get("/runs/{id}/events", door.of_run(streams.events), allow_head=False),
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
