"""The door to the pages: lets in who has the token, shows others where to log in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import quote

from aiohttp import web

from app.pages import words
from app.pages.answers import page, problem, wants_page
from app.web.access import LASTS, Access, from_elsewhere
from runner.errors import Outage

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_LONGEST = 4096
"""Bytes of a login form."""

_HOME = "/runs"


class Door:
    """Guards handlers and serves the login."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def guarded(self, handler: Handler) -> Handler:
        """Let the handler answer only who may see it, and tell an outage as a page."""

        async def checked(request: web.Request) -> web.StreamResponse:
            if not self._access.configured:
                return problem(request, words.NOT_CONFIGURED, status=403)
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
            return problem(request, words.NOT_CONFIGURED, status=403)
        return page("login", {"to": _inside(request.query.get("next", "")), "text": ""})

    async def login(self, request: web.Request) -> web.StreamResponse:
        """Open a session for who gives the token."""
        if not self._access.configured:
            return problem(request, words.NOT_CONFIGURED, status=403)
        if from_elsewhere(request.headers):
            return problem(request, words.ELSEWHERE, status=403)
        if (request.content_length or 0) > _LONGEST or request.content_length is None:
            return problem(request, words.TOO_LONG, status=413)
        form = await request.post()
        to = _inside(str(form.get("next", "")))
        if not self._access.takes(str(form.get("token", "")).strip()):
            return page("login", {"to": to, "text": words.WRONG_TOKEN}, status=403)
        opened = _moved(to)
        self._set(opened, self._access.session(), LASTS)
        return opened

    async def logout(self, request: web.Request) -> web.StreamResponse:
        """Take the session from the browser."""
        if from_elsewhere(request.headers):
            return problem(request, words.ELSEWHERE, status=403)
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
    refusal = problem(request, words.NO_TOKEN, status=401)
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
