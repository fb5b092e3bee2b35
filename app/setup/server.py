"""``cairn serve`` without an App: nothing is served but the set-up, until there is one."""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import Collection
from pathlib import Path

from aiohttp import web
from pydantic import SecretStr

from app.settings import Problem, SettingsError
from app.settings.registered import APP_FILE, APP_NAMES
from app.settings.setup import SetupSettings
from app.setup import words
from app.setup.addresses import github_at, public_url
from app.setup.exchange import Conversions
from app.setup.manifest import CALLBACK
from app.setup.refusal import Unusable
from app.setup.registration import Registration
from app.setup.secret_file import SecretFile
from app.setup.site import SETUP, SetupSite, application
from app.web.access import Access
from app.web.health import healthz, readyz
from app.web.listening import listening
from runner.adapters.clock import SystemClock
from runner.errors import Outage


def only_the_app(problems: Collection[Problem]) -> bool:
    """Say whether settings lack nothing but an App, all of it."""
    names = {problem.name for problem in problems}
    said = all("is not set" in problem.message for problem in problems)
    return said and names == set(APP_NAMES) - {"GITHUB_APP_PRIVATE_KEY_FILE"}


async def set_up(settings: SetupSettings, stop: asyncio.Event) -> bool:
    """Serve the set-up until an App is registered (True) or ``stop`` is set (False).

    Raises ``SettingsError`` when CAIRN_PUBLIC_URL cannot be GitHub's way to us, or there is a
    file already.
    """
    file = _file(settings.cairn_data_dir)
    url = _public_url(settings)
    registration = _registration(settings, url, file)
    code = "" if settings.cairn_admin_token else secrets.token_urlsafe(24)
    app = setup_app(registration, settings.cairn_admin_token or SecretStr(code), by_link=bool(code))
    async with listening(app, settings.host, settings.port) as here:
        link = f"{url}{SETUP}?key={code}" if code else ""
        # printed, not logged: the log's level and masks are not for this
        print(words.set_up_mode(f"{url}{SETUP}", link), f"({here})", file=sys.stderr, flush=True)
        return await _first(registration.done, stop)


def setup_app(registration: Registration, key: SecretStr, *, by_link: bool) -> web.Application:
    """Make the application of the set-up mode; ``key`` is what opens it."""
    url = registration.public_url
    access = Access(key, secure=url.startswith("https:"), clock=SystemClock())
    site = SetupSite(registration, access, by_link=by_link)

    async def no_app() -> None:
        raise Outage("github", words.NOT_REGISTERED.format(address=f"{url}{SETUP}"))

    alive, ready = web.get("/healthz", healthz), web.get("/readyz", readyz({"app": no_app}))
    return application(site, alive, ready)


async def _first(done: asyncio.Event, stop: asyncio.Event) -> bool:
    waits = [asyncio.create_task(event.wait()) for event in (done, stop)]
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for wait in waits:
        wait.cancel()
    return done.is_set()


def _registration(settings: SetupSettings, url: str, file: SecretFile) -> Registration:
    github = github_at(settings.github_server_url, settings.github_api_url)
    convert = Conversions(github).convert
    made = Registration(github, file, public_url=url, convert=convert, clock=SystemClock())
    made.redirect_url = f"{url}{CALLBACK}"
    return made


def _public_url(settings: SetupSettings) -> str:
    try:
        return public_url(settings.cairn_public_url)
    except Unusable as error:
        raise SettingsError([Problem("CAIRN_PUBLIC_URL", f"cannot be used: {error}")]) from error


def _file(folder: Path) -> SecretFile:
    file = SecretFile(folder / APP_FILE)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.free()
    except OSError as error:
        what = f"cannot be made: {error.strerror}"
        raise SettingsError([Problem("CAIRN_DATA_DIR", what)]) from error
    except Unusable as error:
        what = words.BROKEN_FILE.format(file=APP_FILE) if file.path.exists() else str(error)
        raise SettingsError([Problem("CAIRN_DATA_DIR", what)]) from error
    return file
