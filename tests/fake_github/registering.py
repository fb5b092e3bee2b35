"""GitHub's pages for registering an App from a manifest, as a logged-in person meets them.

https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
"""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from html import escape
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from tests.fake_github.answers import missing
from tests.fake_github.spec import complaints, load, validator
from tests.fake_github.state import App
from tests.fake_github.world import NEEDS, World

PAGES = re.compile(r"(?:/organizations/(?P<owner>[^/]+))?/settings/apps/(?P<page>new|manifest)\Z")
KNOWN = {
    *("name", "url", "hook_attributes", "redirect_url", "callback_urls", "setup_url"),
    *("description", "public", "default_events", "default_permissions"),
    *("request_oauth_on_install", "setup_on_update"),
}
LONGEST_NAME = 34
GOOD_FOR = timedelta(hours=1)


@dataclass(frozen=True)
class Pending:
    """An App that waits for its code to be exchanged; ``owner`` is '' for the person."""

    manifest: dict[str, Any]
    owner: str
    since: datetime


async def answer_page(world: World, request: web.Request) -> web.StreamResponse:
    """Take the manifest (``new``), or the person's click on the page that shows it."""
    match = PAGES.match(request.path)
    assert match is not None
    form = await request.post()
    owner = match["owner"] or ""
    if owner and world.users.get(owner.lower(), world.app.bot).type != "Organization":
        return web.Response(status=404, text="Not Found")
    try:
        manifest = _checked(world, str(form.get("manifest", "")))
    except (TypeError, ValueError) as error:
        world.violations.append(f"{request.method} {request.path}: {error}")
        return _page(f"<p>Invalid GitHub App configuration. Error: {escape(str(error))}</p>", 422)
    states = {text for at in (request.query, form) if (text := str(at.get("state", "")))}
    if len(states) > 1:
        world.violations.append(f"{request.path}: two states")
    state = "".join(states)
    if match["page"] == "new":
        return _shown(owner, manifest, state)
    return _registered(world, owner, manifest | {"name": str(form.get("name", ""))}, state)


def convert(world: World, code: str) -> App:
    """Make the App a code stands for, once and within an hour."""
    found = world.pending.pop(code, None)
    if found is None or world.clock.now() - found.since >= GOOD_FOR:
        raise missing()
    told = found.manifest
    made = world.create_app(
        re.sub(r"[^a-z0-9]+", "-", told["name"].lower()).strip("-"),
        id=next(world.ids),
        webhook_secret=secrets.token_hex(20),
        permissions={"metadata": "read", **told.get("default_permissions", {})},
        events=list(told.get("default_events", [])),
    )
    if found.owner:
        made.owner = world.user(found.owner)
    return made


def _checked(world: World, text: str) -> dict[str, Any]:
    manifest: Any = json.loads(text)
    if not isinstance(manifest, dict):
        raise TypeError("the manifest is no object")
    if unknown := set(manifest) - KNOWN:
        raise ValueError(f"unknown {sorted(unknown)}")
    hook = manifest.get("hook_attributes", {"url": "-"})
    if not manifest.get("url") or not hook.get("url"):
        raise ValueError('"url" wasn\'t supplied.')
    if not manifest.get("redirect_url"):
        raise ValueError("nothing says where to send the person back")
    if len(manifest.get("name", "")) > LONGEST_NAME:
        raise ValueError(f"Name is too long (maximum is {LONGEST_NAME} characters)")
    _check_permissions(manifest.get("default_permissions", {}), manifest.get("default_events", []))
    return manifest


def _check_permissions(permissions: dict[str, str], events: list[str]) -> None:
    known = load("openapi-subset.json")["components"]["schemas"]["app-permissions"]
    if wrong := complaints(validator("openapi-subset.json", known), permissions):
        raise ValueError(f"Default permission records {wrong}")
    if strange := set(permissions) - set(known["properties"]):
        raise ValueError(f"Default permission records resource is not included: {sorted(strange)}")
    unable = [event for event in events if not NEEDS.get(event, set()) & set(permissions)]
    if unable:
        raise ValueError(f"Default events unsupported: {', '.join(unable)}")


def _shown(owner: str, manifest: dict[str, Any], state: str) -> web.Response:
    action = f"/organizations/{owner}/settings/apps" if owner else "/settings/apps"
    hidden = {"manifest": json.dumps(manifest), "state": state}
    fields = [
        f'<input type="hidden" name="{name}" value="{escape(value)}">'
        for name, value in hidden.items()
    ]
    name = escape(manifest.get("name", ""))
    return _page(
        f'<form method="post" action="{action}/manifest">{"".join(fields)}'
        f'<input name="name" value="{name}"><button>Create GitHub App</button></form>'
    )


def _registered(
    world: World, owner: str, manifest: dict[str, Any], state: str
) -> web.StreamResponse:
    code = secrets.token_hex(20)
    world.pending[code] = Pending(manifest, owner, world.clock.now())
    query = urlencode({"code": code, **({"state": state} if state else {})})
    return web.Response(status=302, headers={"Location": f"{manifest['redirect_url']}?{query}"})


def _page(body: str, status: int = 200) -> web.Response:
    text = f"<!DOCTYPE html><title>GitHub</title>{body}"
    return web.Response(text=text, status=status, content_type="text/html")
