"""Checks of the App: what GitHub says, compared with what Cairn needs. Nothing is changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import wraps
from typing import Any

import aiohttp
from gidgethub import BadRequest

from app.doctor.compose import app_of, stranger_at
from app.doctor.values import Finding, Surveyed, ok, problem, skipped, warning
from app.github.token_identity import APP_PERMISSIONS, OPTIONAL, Permissions
from app.settings import ServerSettings
from app.texts import doctor_texts as texts
from handlers.webhooks import SUBSCRIBED

_LEVELS = {"": 0, "read": 1, "write": 2, "admin": 3}
_OPTIONAL = frozenset({*OPTIONAL, "check_run", "merge_group", "status"})
"""Without them all works but buttons on proposals, failing checks of others, and merge queues."""

_AHEAD = timedelta(seconds=60)  # a token's begin is backdated so far (app/github/identity.py)
_BEHIND = timedelta(minutes=8)  # a token's end is so far ahead
_NOTABLE = timedelta(seconds=30)
_RECENT = timedelta(days=1)
_MOST_INSTALLATIONS = 5
_LOW = 0.1

Look = Callable[[ServerSettings], Awaitable[Finding]]


def _of_app(look: Look) -> Callable[[Surveyed], Awaitable[Finding]]:
    """Make a check of it, for where an App is configured."""

    @wraps(look)
    async def check(patient: Surveyed) -> Finding:
        if not patient.app:
            return skipped(texts.no_app())
        if patient.server is None:
            return skipped(texts.no_settings())
        return await look(patient.server)

    return check


@_of_app
async def reached(settings: ServerSettings) -> Finding:
    """Whether GitHub's API is at the address."""
    url = settings.github_api_url
    try:
        async with stranger_at(settings) as answer:
            if answer.status >= 500:
                return problem(texts.github_broken(url, answer.status), texts.status_page())
            if answer.content_type != "application/json":
                return problem(texts.not_github(url, answer.status), texts.api_url())
    except aiohttp.ClientConnectionError as error:
        return problem(texts.unreachable(url, error.__cause__ or error), texts.reach())
    return ok(texts.github_answers(url))


@_of_app
async def clock(settings: ServerSettings) -> Finding:
    """How far this machine's clock is from GitHub's, which refuses tokens from the future."""
    before = datetime.now(UTC)
    async with stranger_at(settings) as answer:
        date = answer.headers.get("date", "")
    after = datetime.now(UTC)
    try:
        theirs = parsedate_to_datetime(date)
    except ValueError:
        return warning(texts.no_date(), "")
    ahead = before + (after - before) / 2 - theirs
    said = texts.skew(round(ahead.total_seconds()))
    if ahead > _AHEAD or -ahead > _BEHIND:
        return problem(said, texts.set_clock())
    return warning(said, texts.set_clock()) if abs(ahead) > _NOTABLE else ok(said)


@_of_app
async def key(settings: ServerSettings) -> Finding:
    """Whether GitHub accepts id and private key."""
    try:
        seen = await _app(settings)
    except BadRequest as refusal:
        return problem(texts.key_refused(str(refusal)), texts.key())
    return ok(texts.key_accepted(seen))


@_of_app
async def permissions(settings: ServerSettings) -> Finding:
    """What the App may do, against what Cairn needs."""
    missing = _missing((await _app(settings)).get("permissions") or {}, APP_PERMISSIONS)
    return _compared("permissions", [f"{name}: {APP_PERMISSIONS[name]}" for name in missing])


@_of_app
async def events(settings: ServerSettings) -> Finding:
    """Which events GitHub sends, against those that Cairn handles."""
    subscribed = (await _app(settings)).get("events") or ()
    return _compared("events", [name for name in SUBSCRIBED if name not in subscribed])


@_of_app
async def webhook(settings: ServerSettings) -> Finding:
    """Where GitHub sends events, against where people reach this server."""
    async with app_of(settings) as identity:
        config = await identity.app.getitem("/app/hook/config")
    url, public = str(config.get("url") or ""), settings.cairn_public_url
    if not url:
        return problem(texts.no_webhook(), texts.set_webhook(public))
    if public and url != f"{public}/webhook":
        return problem(texts.other_webhook(url, public), texts.set_webhook(public))
    if not config.get("secret"):
        return problem(texts.unsigned(), texts.sign())
    if str(config.get("insecure_ssl", "0")) == "1" and url.startswith("https:"):
        return warning(texts.insecure(url), texts.secure())
    if not public:
        return warning(texts.goes_to(url), texts.public_url())
    return ok(texts.goes_to(url))


@_of_app
async def installations(settings: ServerSettings) -> Finding:
    """Where the App is installed, and whether the owners have accepted what it asks for."""
    async with app_of(settings) as identity:
        found = await identity.app.getitem("/app/installations?per_page=100")
        page = str((await identity.app.getitem("/app")).get("html_url", ""))
    if not found:
        return warning(texts.nowhere(), texts.install(page))
    wrong = []
    for one in found:
        missing = set(_missing(one.get("permissions") or {}, APP_PERMISSIONS)) - _OPTIONAL
        if one.get("suspended_at"):
            wrong.append(texts.suspended(_owner(one)))
        elif missing:
            wrong.append(texts.grants_less(_owner(one), sorted(missing)))
    if wrong:
        return warning(" ".join(wrong), texts.accept())
    return ok(texts.installed([_owner(one) for one in found], settings.cairn_push))


@_of_app
async def rate_limit(settings: ServerSettings) -> Finding:
    """How many requests are left, of the installation that has the fewest."""
    async with app_of(settings) as identity:
        found = await identity.app.getitem("/app/installations?per_page=100")
        left = {
            _owner(one): (
                await identity.client_of_all(one["id"], {"metadata": "read"}).getitem("/rate_limit")
            )["rate"]
            for one in found[:_MOST_INSTALLATIONS]
            if not one.get("suspended_at")
        }
    if not left:
        return skipped(texts.nowhere())
    owner, rate = min(left.items(), key=lambda item: int(item[1]["remaining"]))
    until = datetime.fromtimestamp(rate["reset"], UTC)
    text = texts.limit(owner, rate, until)
    if rate["remaining"] < rate["limit"] * _LOW:
        return warning(text, texts.wait())
    return ok(text)


@_of_app
async def deliveries(settings: ServerSettings) -> Finding:
    """Whether this server took what GitHub sent it in the last day."""
    async with app_of(settings) as identity:
        sent = await identity.app.getitem("/app/hook/deliveries?per_page=100")
    since = datetime.now(UTC) - _RECENT
    recent = [one for one in sent if datetime.fromisoformat(one["delivered_at"]) > since]
    failed = [one for one in recent if not 200 <= one["status_code"] < 300]
    if not failed:
        return ok(texts.delivered(len(recent)))
    what = texts.undelivered(failed, len(recent))
    return (problem if len(failed) == len(recent) else warning)(what, texts.missed())


async def _app(settings: ServerSettings) -> Mapping[str, Any]:
    async with app_of(settings) as identity:
        seen: Mapping[str, Any] = await identity.app.getitem("/app")
    return seen


def _missing(held: Mapping[str, str], needed: Permissions) -> list[str]:
    return [
        name
        for name, level in needed.items()
        if _LEVELS.get(held.get(name, ""), 0) < _LEVELS[level]
    ]


def _compared(what: str, missing: list[str]) -> Finding:
    if not missing:
        return ok(texts.complete(what))
    if {each.partition(":")[0] for each in missing} <= _OPTIONAL:
        return warning(texts.lacks(what, missing), texts.buttons())
    return problem(texts.lacks(what, missing), texts.grant(what))


def _owner(one: Mapping[str, Any]) -> str:
    return str((one.get("account") or {}).get("login") or one["id"])
