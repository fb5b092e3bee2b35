"""The pages of the set-up: the form for GitHub, and where GitHub sends the browser back.

Only people with the code (or the admin token) see the form, whose ``state`` nobody can guess; only
an answer with that state is taken, once. So another site, or somebody who knows the address, can
neither begin nor end a registration.


"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from aiohttp import web

from app.pages.answers import asset, page, problem
from app.server.bodies import short_form
from app.server.connections import HEADERS
from app.server.http import Access, bare_app, from_elsewhere
from app.setup import addresses
from app.setup.addresses import (
    CALLBACK,
    SetupRefusal,
    UnusableSetup,
    asked,
    heard,
    next_steps,
)
from app.setup.registration import Registration, RegistrationForm
from app.texts import setup_texts as words

SETUP = "/setup"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class SetupSite:
    """The handlers. ``by_link``: the address may carry the code, which is good for this once."""

    def __init__(
        self,
        registration: Registration,
        access: Access,
        *,
        by_link: bool,
        organization: str = "",
        name: str = "",
        start: str = "",
    ) -> None:
        self._registration = registration
        self._access = access
        self._by_link = by_link
        self._defaults = {"organization": organization, "name": name}
        self._start = start

    def routes(self) -> list[web.RouteDef]:
        """Return the routes, the style sheet's included."""
        return [
            web.get(SETUP, _telling(self.show)),
            web.post(SETUP, _telling(self.open)),
            web.get(CALLBACK, _telling(self.finish), allow_head=False),
            web.get("/static/{name}", asset),
        ]

    async def show(self, request: web.Request) -> web.StreamResponse:
        """Show the form for GitHub to who may see it, else ask for the code."""
        key = request.query.get("key", "") if self._by_link else ""
        bearer = self._access.admits(request.headers, {}, request.remote)
        if bearer or (key and self._access.takes(key, request.remote)):
            return self._form(self._defaults)
        return self._ask(self._wrong if key else "", 403 if key else 200)

    async def open(self, request: web.Request) -> web.StreamResponse:
        """Show the form for GitHub to who gives the code."""
        if from_elsewhere(request.headers):
            raise SetupRefusal(403, words.elsewhere())
        given = await short_form(request)
        if given is None:
            raise SetupRefusal(413, words.too_long())
        if not self._access.takes(given.get("key", "").strip(), request.remote):
            return self._ask(self._wrong, 403)
        return self._form({name: given.get(name, "").strip() for name in self._defaults})

    async def finish(self, request: web.Request) -> web.StreamResponse:
        """Take GitHub's answer, and say what is left to do."""
        code, state = (request.query.get(name, "") for name in ("code", "state"))
        app = await self._registration.finish(code, state)
        steps = next_steps(app.html_url, self._start)
        message = words.registered(app.slug, app.html_url, str(self._registration.file.path))
        return page("setup_done", {"message": message, "steps": steps, "app": app.html_url})

    @property
    def _wrong(self) -> str:
        return words.wrong_code() if self._by_link else words.wrong_token()

    def _ask(self, text: str, status: int) -> web.Response:
        data = {"text": text, "by_code": self._by_link, **self._defaults}
        return page("setup_open", data, status=status)

    def _form(self, wanted: dict[str, str]) -> web.Response:
        try:
            organization = addresses.organization(wanted["organization"])
            name = addresses.app_name(wanted["name"], self._registration.public_url)
        except UnusableSetup as error:
            raise SetupRefusal(400, str(error)) from error
        form = self._registration.form(organization=organization, name=name)
        return self._page(form, name, organization)

    def _page(self, form: RegistrationForm, name: str, organization: str) -> web.Response:
        github = self._registration.github
        data = {
            "form": form,
            "name": name,
            "organization": organization,
            "server": github.server,
            "public_url": self._registration.public_url,
            "file": str(self._registration.file.path),
            "permissions": asked(),
            "events": heard(),
        }
        shown = page("setup_form", data)
        policy = HEADERS["Content-Security-Policy"]
        to_github = policy.replace("form-action 'self'", f"form-action {github.origin}")
        shown.headers["Content-Security-Policy"] = to_github
        # with no-referrer the form's Origin would be null, which GitHub need not like; the
        # origin alone has no code in it
        shown.headers["Referrer-Policy"] = "strict-origin"
        return shown


def application(site: SetupSite, *routes: web.AbstractRouteDef) -> web.Application:
    """Make an application of the set-up and these routes; all else is not there yet."""
    app = bare_app()
    app.router.add_routes([*routes, *site.routes()])
    app.router.add_route("*", "/{rest:.*}", _unready)
    return app


async def _unready(request: web.Request) -> web.Response:
    # not 404: what GitHub delivers too early can be delivered again
    return web.json_response({"error": words.unready()}, status=503)


def _telling(handler: Handler) -> Handler:
    """Show a refusal as a page."""

    async def guarded(request: web.Request) -> web.StreamResponse:
        try:
            return await handler(request)
        except SetupRefusal as refusal:
            return problem(request, refusal.text, status=refusal.status)

    return guarded
