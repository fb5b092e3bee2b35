"""Who may see which page: the login, the sessions, and the signed links of single runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import quote

from aiohttp import web

from app.pages import answers
from app.pages.answers import FORM, GUEST, MARK, page, problem, wants_page
from app.server.bodies import short_form
from app.server.http import LASTS, Access, from_elsewhere
from app.server.links import RunLinks
from runner.errors import Outage

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_HOME = "/runs"
_PLACES = frozenset({_HOME, "/setup", "/history"})
_KEY = "key"
"""The part of an address that has a link's token."""


class Door:
    """Guards handlers and serves the login; ``links`` open the pages of single runs.

    ``is_private`` says whether the repository of a page (the parts of its address) is private now.
    """

    def __init__(
        self,
        access: Access,
        links: RunLinks | None = None,
        is_private: Callable[[Mapping[str, str]], Awaitable[bool]] | None = None,
    ) -> None:
        self._access = access
        self._links = links
        self._is_private = is_private
        self._cookie = "__Secure-cairn-run" if access.secure else "cairn-run"

    def guarded(self, handler: Handler) -> Handler:
        """Let the handler answer only people who may see it, and show an outage as a page."""

        async def checked(request: web.Request) -> web.StreamResponse:
            if not self._access.configured:
                return problem(request, answers.NOT_CONFIGURED, status=403)
            if not self._access.admits(request.headers, request.cookies, request.remote):
                return self._refused(request)
            request[MARK] = self._access.form_mark(request.cookies)
            return await _answered(handler, request)

        return checked

    def guarded_form(self, handler: Handler) -> Handler:
        """Guard a handler that changes something: another site cannot send its form.

        A browser that is logged in sends what only a page of its session has (``mark``), besides
        its cookie; a program sends the token itself.
        """

        async def checked(request: web.Request) -> web.StreamResponse:
            if from_elsewhere(request.headers):
                return problem(request, answers.NOT_OUR_FORM, status=403)
            form = await short_form(request)
            if form is None:
                return problem(request, answers.TOO_LONG, status=413)
            if not self._access.sent_by_us(request, form.get("mark", "")):
                return problem(request, answers.NOT_OUR_FORM, status=403)
            request[FORM] = form
            return await handler(request)

        return self.guarded(checked)

    def of_run(self, handler: Handler) -> Handler:
        """Let the handler answer people with the run's signed link, too."""
        return self._by_link(handler, "/runs/{id}")

    def of_history(self, handler: Handler) -> Handler:
        """Let the handler answer people with the signed link of the repository's history, too."""
        return self._by_link(handler, "/repositories/{owner}/{name}/history")

    def _by_link(self, handler: Handler, form: str) -> Handler:
        """Let the handler answer people with the signed link of a place.

        A browser keeps the token as a cookie for this place only, so that no further address has
        it. Whether there is such a page shows in no refusal.
        """
        admitted = self.guarded(handler)

        async def checked(request: web.Request) -> web.StreamResponse:
            given, cookie = request.query.get(_KEY, ""), request.cookies.get(self._cookie, "")
            if self._access.admits(request.headers, request.cookies, request.remote):
                return await admitted(request)
            try:
                seconds = await self._opens(given or cookie, form, request.match_info)
            except Outage as outage:
                return problem(request, outage.message, status=503)
            if seconds is None:
                shut = given or cookie
                refused = problem(request, answers.LINK_IS_OVER, status=403) if shut else None
                return refused or await admitted(request)
            if given and wants_page(request):
                return self._kept(request, form, seconds)
            request[GUEST] = True
            return await _answered(handler, request)

        return checked

    async def _opens(self, token: str, form: str, parts: Mapping[str, str]) -> float | None:
        """For how many seconds a link still opens a place; its repository may be private by now."""
        place = form.format(**parts)
        if not (self._links and token) or self._links.opens(token, place) is None:
            return None
        private = bool(self._is_private and await self._is_private(parts))
        return self._links.opens(token, place, private=private)

    def _kept(self, request: web.Request, form: str, seconds: float) -> web.Response:
        """Go on to the same page without the token in its address."""
        parts = {name: quote(value, safe="") for name, value in request.match_info.items()}
        kept = moved(request.rel_url.without_query_params(_KEY).raw_path_qs)
        kept.set_cookie(
            self._cookie,
            request.query[_KEY],
            max_age=int(seconds),
            path=form.format(**parts),
            httponly=True,
            samesite="Lax",  # people come from GitHub; a stricter cookie would stay behind
            secure=self._access.secure,
        )
        return kept

    def _refused(self, request: web.Request) -> web.Response:
        if wants_page(request) and request.method in ("GET", "HEAD"):
            return moved(f"/login?next={quote(request.path_qs, safe='/')}")
        if self._access.is_shut_to(request.remote):
            return problem(request, answers.GUESSED, status=429)
        refusal = problem(request, answers.NO_TOKEN, status=401)
        refusal.headers["WWW-Authenticate"] = "Bearer"
        return refusal

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
        form = await short_form(request)
        if form is None:
            return problem(request, answers.TOO_LONG, status=413)
        to = _inside(form.get("next", ""))
        if not self._access.takes(form.get("token", "").strip(), request.remote):
            if self._access.is_shut_to(request.remote):
                return page("login", {"to": to, "text": answers.GUESSED}, status=429)
            return page("login", {"to": to, "text": answers.WRONG_TOKEN}, status=403)
        opened = moved(to)
        self._set(opened, self._access.session(), LASTS)
        return opened

    async def home(self, request: web.Request) -> web.StreamResponse:
        """Lead whoever types the server's address to the runs."""
        return moved(_HOME)

    async def logout(self, request: web.Request) -> web.StreamResponse:
        """Take the session from the browser."""
        if from_elsewhere(request.headers):
            return problem(request, answers.ELSEWHERE, status=403)
        closed = moved("/login")
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


def moved(to: str) -> web.Response:
    """Go on to another page; no cache keeps this, and no other site is told where from."""
    return web.Response(status=303, headers={"Location": to})


def _inside(to: str) -> str:
    """Return where to go after the login: one of our own pages, whatever was asked for."""
    plain = to.isascii() and to.isprintable() and "\\" not in to
    path = to.partition("?")[0]
    ours = path in _PLACES or path.startswith((f"{_HOME}/", "/repositories/"))
    return to if plain and ours else _HOME
