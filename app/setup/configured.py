"""``/setup`` of a server that has its App: what the App is, and what it must be allowed."""

from __future__ import annotations

from aiohttp import web

from app.pages.answers import answer
from app.pages.door import Door
from app.settings import WorkSettings
from app.setup import words
from app.setup.manifest import CALLBACK, WEBHOOK, asked, heard
from app.setup.site import SETUP


def configured_routes(settings: WorkSettings, door: Door) -> list[web.RouteDef]:
    """Return the routes, for who has the admin token; nothing can be registered any more."""

    async def show(request: web.Request) -> web.StreamResponse:
        url = settings.cairn_public_url
        data = {
            "server": settings.github_server_url,
            "webhook": f"{url}{WEBHOOK}" if url else None,
            "permissions": asked(),
            "events": heard(),
            "told": words.CONFIGURED,
        }
        return answer(request, "setup_app", data)

    shown = door.guarded(show)
    return [web.get(SETUP, shown), web.get(CALLBACK, shown)]
