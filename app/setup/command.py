"""``cairn setup``, and ``cairn serve`` without an App: register the App in a browser."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
import webbrowser
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web
from pydantic import SecretStr

from app.server.connections import listening
from app.server.http import Access, healthz, readyz
from app.settings import SettingsError, SettingsProblem
from app.settings.reading import APP_FILE, APP_NAMES, SetupSettings, load_setup_settings
from app.setup import addresses
from app.setup.addresses import CALLBACK, UnusableSetup, github_at, public_url
from app.setup.registration import Conversions, Registration, SecretFile
from app.setup.site import SETUP, SetupSite, application
from app.texts import setup_texts as words
from runner.errors import Outage
from runner.ports import SystemClock

_HOST = "127.0.0.1"


@dataclass(frozen=True)
class SetupOptions:
    """What the command line says; '' and 0 mean that an option was left out."""

    url: str = ""
    organization: str = ""
    name: str = ""
    file: Path = Path("cairn.env")
    port: int = 0


def command(asked: SetupOptions) -> int:
    """Register an App. Returns the exit code: 2 for what cannot be used, 130 for Ctrl-C."""
    try:
        asyncio.run(_set_up(asked))
    except (SettingsError, UnusableSetup) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


async def _set_up(asked: SetupOptions) -> None:
    """Serve the page until the secrets are written; raises before that what cannot be used."""
    settings = load_setup_settings()
    github = addresses.github_at(settings.github_server_url, settings.github_api_url)
    url = addresses.public_url(asked.url or settings.cairn_public_url)
    addresses.organization(asked.organization)
    addresses.app_name(asked.name, url)
    file = SecretFile(asked.file)
    file.free()
    conversions = Conversions(github)
    await conversions.reach()
    if addresses.is_loopback(url) and not addresses.is_loopback(github.server):
        print(words.loopback(), file=sys.stderr)
    registration = Registration(
        github, file, public_url=url, convert=conversions.convert, clock=SystemClock()
    )
    key = secrets.token_urlsafe(24)
    site = SetupSite(
        registration,
        Access(SecretStr(key), secure=False, clock=SystemClock()),
        by_link=True,
        organization=asked.organization,
        name=asked.name,
        start=file.start(),
    )
    async with listening(application(site), _HOST, asked.port) as here:
        registration.redirect_url = f"{here}{CALLBACK}"
        link = f"{here}{SETUP}?key={key}"
        print(words.opening(link, github.server), flush=True)
        windows = sys.platform in ("darwin", "win32")
        display = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
        if sys.stdout.isatty() and (windows or display):
            webbrowser.open(link)
        await registration.done.wait()
    if app := registration.app:
        print(f"\n{words.registered(app.slug, app.html_url, str(file.path))}\n")
        for number, step in enumerate(addresses.next_steps(app.html_url, file.start()), 1):
            print(f"{number}. {step}")


def lacks_an_app(problems: Collection[SettingsProblem]) -> bool:
    """Say whether nothing of an App is set; one wrong setting is of an App that is there."""
    missing = {problem.name for problem in problems if problem.missing}
    return missing >= set(APP_NAMES) - {"GITHUB_APP_PRIVATE_KEY_FILE"}


async def set_up(settings: SetupSettings, stop: asyncio.Event) -> bool:
    """Serve the set-up until an App is registered (True) or ``stop`` is set (False).

    Raises ``SettingsError`` when CAIRN_PUBLIC_URL cannot be GitHub's way to us, or there is a
    file already.
    """
    file = _file(settings.cairn_data_dir)
    try:
        url = public_url(settings.cairn_public_url)
    except UnusableSetup as error:
        what = f"cannot be used: {str(error).rstrip('.')}"
        raise SettingsError([SettingsProblem("CAIRN_PUBLIC_URL", what)]) from error
    github, clock = github_at(settings.github_server_url, settings.github_api_url), SystemClock()
    convert = Conversions(github).convert
    registration = Registration(github, file, public_url=url, convert=convert, clock=clock)
    registration.redirect_url = f"{url}{CALLBACK}"
    code = "" if settings.cairn_admin_token else secrets.token_urlsafe(24)
    app = setup_app(registration, settings.cairn_admin_token or SecretStr(code), by_link=bool(code))
    async with listening(app, settings.host, settings.port) as here:
        link = f"{url}{SETUP}?key={code}" if code else ""
        # printed, not logged: the log's level and masks are not for this
        print(words.set_up_mode(f"{url}{SETUP}", link), f"({here})", file=sys.stderr, flush=True)
        waits = [asyncio.create_task(event.wait()) for event in (registration.done, stop)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        return registration.done.is_set()


def setup_app(registration: Registration, key: SecretStr, *, by_link: bool) -> web.Application:
    """Make the application of the set-up mode; ``key`` is what opens it."""
    url = registration.public_url
    access = Access(key, secure=url.startswith("https:"), clock=SystemClock())
    site = SetupSite(registration, access, by_link=by_link)

    async def no_app() -> None:
        raise Outage("github", words.not_registered(address=f"{url}{SETUP}"))

    alive, ready = web.get("/healthz", healthz), web.get("/readyz", readyz({"app": no_app}))
    return application(site, alive, ready)


def _file(folder: Path) -> SecretFile:
    file = SecretFile(folder / APP_FILE)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.free()
    except OSError as error:
        what = f"cannot be made: {error.strerror}"
        raise SettingsError([SettingsProblem("CAIRN_DATA_DIR", what)]) from error
    except UnusableSetup as error:
        what = words.broken_file(file=APP_FILE) if file.path.exists() else str(error)
        raise SettingsError([SettingsProblem("CAIRN_DATA_DIR", what)]) from error
    return file
