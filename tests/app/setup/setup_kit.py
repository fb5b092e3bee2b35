"""A person with a browser in front of the set-up, and GitHub's pages beside it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import aiohttp
from aiohttp.test_utils import TestServer
from multidict import CIMultiDictProxy
from pydantic import SecretStr

from app.server.http import Access
from app.setup.addresses import CALLBACK, GitHub
from app.setup.registration import Conversions, Registration, SecretFile
from app.setup.site import SetupSite, application
from tests.fake_github import FakeGitHub

KEY = "the code of this set-up"
OURS = "https://cairn.example.com"


class _Forms(HTMLParser):
    """Finds the forms of a page: where each leads, and its fields as they stand."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            self.found.append((given.get("action") or "", {}))
        if tag == "input" and self.found:
            self.found[-1][1][given["name"] or ""] = given.get("value") or ""

    def handle_data(self, data: str) -> None:
        self.words.append(data)


@dataclass(frozen=True)
class Page:
    """What the browser shows; ``form`` is the page's last one, as (address, fields)."""

    url: str
    status: int
    text: str
    headers: CIMultiDictProxy[str]

    @property
    def form(self) -> tuple[str, dict[str, str]]:
        """Where the form leads, and what it sends."""
        action, fields = self._parsed().found[-1]
        return urljoin(self.url, action), fields

    @property
    def has_form(self) -> bool:
        """True when there is something to send."""
        return bool(self._parsed().found)

    @property
    def words(self) -> str:
        """The text of the page without its tags, as one line."""
        return " ".join(" ".join(self._parsed().words).split())

    def _parsed(self) -> _Forms:
        forms = _Forms()
        forms.feed(self.text)
        return forms


@dataclass
class Browser:
    """Follows redirects and sends forms as they stand, but for what the person types."""

    session: aiohttp.ClientSession

    async def open(self, url: str, **headers: str) -> Page:
        """Go to an address."""
        return await self._ask("GET", url, headers=headers)

    async def send(self, page: Page, **typed: str) -> Page:
        """Press the button of the page's form."""
        action, fields = page.form
        return await self._ask("POST", action, data=fields | typed)

    async def post(self, url: str, fields: dict[str, str], **headers: str) -> Page:
        """Send a form that no page of ours has shown."""
        return await self._ask("POST", url, data=fields, headers=headers)

    async def register(self, page: Page, **typed: str) -> Page:
        """From the page that shows the manifest by GitHub's page to where GitHub leads."""
        return await self.send(await self.send(page), **typed)

    async def _ask(self, method: str, url: str, **what: Any) -> Page:
        what["headers"] = {"Accept": "text/html"} | (what.get("headers") or {})
        async with self.session.request(method, url, **what) as answer:
            return Page(str(answer.url), answer.status, await answer.text(), answer.headers)


@asynccontextmanager
async def browsing() -> AsyncIterator[Browser]:
    """Open a browser."""
    async with aiohttp.ClientSession() as session:
        yield Browser(session)


@dataclass
class Bench:
    """A set-up that is served, its GitHub and a browser; ``address`` is that of ``/setup``."""

    github: FakeGitHub
    browser: Browser
    file: Path
    registration: Registration
    address: str = ""

    async def shown(self) -> Page:
        """The page that shows the manifest."""
        return await self.browser.open(f"{self.address}?key={KEY}")

    async def came_back(self, code: str, state: str) -> Page:
        """Come back from GitHub with this answer."""
        url = f"{self.address}/callback?code={code}&state={state}"
        return await self.browser.open(url)

    @property
    def exchanges(self) -> list[int]:
        """The statuses GitHub gave to those who asked for an App's secrets."""
        asked = self.github.requests
        return [one.status for one in asked if one.path.startswith("/app-manifests/")]


@asynccontextmanager
async def setting_up(
    folder: Path, *, file: SecretFile | None = None, by_link: bool = True, **said: str
) -> AsyncIterator[Bench]:
    """Serve the set-up against a fake GitHub; ``said`` are organization, name and start."""
    async with FakeGitHub(folder / "github") as github, browsing() as browser:
        secret_file = file or SecretFile(folder / "cairn.env")
        at = GitHub(github.server_url, github.api_url)
        registration = Registration(
            at, secret_file, public_url=OURS, convert=Conversions(at).convert, clock=github.clock
        )
        access = Access(SecretStr(KEY), secure=False, clock=github.clock)
        site = SetupSite(registration, access, by_link=by_link, **said)
        async with TestServer(application(site)) as front:
            registration.redirect_url = str(front.make_url(CALLBACK))
            bench = Bench(github, browser, secret_file.path, registration)
            bench.address = str(front.make_url("/setup"))
            yield bench


def manifest_of(page: Page) -> dict[str, Any]:
    """The manifest a page would send to GitHub."""
    told: dict[str, Any] = json.loads(page.form[1]["manifest"])
    return told
