"""``cairn setup``: a page on this machine that registers the App, and the file it leaves."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
import webbrowser
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from app.settings import SettingsError
from app.settings.reading import load_setup_settings
from app.setup import addresses, words
from app.setup.exchange import Conversions
from app.setup.manifest import CALLBACK
from app.setup.refusal import Unusable
from app.setup.registration import Registration
from app.setup.secret_file import SecretFile
from app.setup.site import SETUP, SetupSite, application
from app.web.access import Access
from app.web.listening import listening
from runner.adapters.clock import SystemClock

_HOST = "127.0.0.1"


@dataclass(frozen=True)
class Asked:
    """What the command line says; '' and 0 stand for what was left out."""

    url: str = ""
    organization: str = ""
    name: str = ""
    file: Path = Path("cairn.env")
    port: int = 0


def command(asked: Asked) -> int:
    """Register an App. Returns the exit code: 2 for what cannot be used, 130 for Ctrl-C."""
    try:
        asyncio.run(_set_up(asked))
    except (SettingsError, Unusable) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


async def _set_up(asked: Asked) -> None:
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
        print(words.LOOPBACK, file=sys.stderr)
    await _serve(asked, conversions, url, file)


async def _serve(asked: Asked, conversions: Conversions, url: str, file: SecretFile) -> None:
    registration = Registration(
        conversions.github, file, public_url=url, convert=conversions.convert, clock=SystemClock()
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
        _open(f"{here}{SETUP}?key={key}", conversions.github.server)
        await registration.done.wait()
    _tell(registration)


def _open(link: str, server: str) -> None:
    print(words.opening(link, server=server), flush=True)
    if sys.stdout.isatty() and _has_display():
        webbrowser.open(link)


def _has_display() -> bool:
    windows = sys.platform in ("darwin", "win32")
    return windows or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def _tell(registration: Registration) -> None:
    app, file = registration.app, registration.file
    if app is not None:
        print(f"\n{words.registered(app.slug, app.html_url, str(file.path))}\n")
        for number, step in enumerate(words.next_steps(app.html_url, file.start()), 1):
            print(f"{number}. {step}")
