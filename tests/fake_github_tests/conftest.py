"""A fake with one repository, a client with a full token, and an app that listens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import jwt
import pytest
from aiohttp import web
from multidict import CIMultiDictProxy

from tests.fake_github import FakeGitHub

NAME = "octo/hello"
FILES: dict[str, object] = {
    "ROADMAP.md": b"# Plan\n\n- [ ] add\n",
    "src/a.py": b"a = 1\n",
    "run.sh": ("100755", b"#!/bin/sh\n"),
    "link": ("120000", b"src/a.py"),
}


@dataclass
class Client:
    """Asks the fake as an app would; ``token`` may be changed by a test."""

    fake: FakeGitHub
    session: aiohttp.ClientSession
    token: str
    headers: dict[str, str] = field(default_factory=dict)

    async def ask(self, method: str, path: str, body: Any = None, **query: Any) -> Reply:
        """One request; ``path`` may be a whole address."""
        url = path if path.startswith("http") else self.fake.api_url + path
        sent = {"X-GitHub-Api-Version": "2022-11-28", "Authorization": f"Bearer {self.token}"}
        given = {"params": query} if query else {}
        async with self.session.request(
            method, url, json=body, headers=sent | self.headers, allow_redirects=False, **given
        ) as answer:
            raw = await answer.read()
            kind = answer.content_type == "application/json"
            parsed = await answer.json() if raw and kind else raw
            return Reply(answer.status, parsed, answer.headers)

    def app_jwt(self, **claims: Any) -> str:
        """A JSON Web Token of the App, good for nine minutes unless ``claims`` say otherwise."""
        now = self.fake.clock.now()
        good = {
            "iat": int((now - timedelta(minutes=1)).timestamp()),
            "exp": int((now + timedelta(minutes=9)).timestamp()),
            "iss": str(self.fake.app.id),
        }
        return jwt.encode(good | claims, self.fake.app.private_key, algorithm="RS256")


@dataclass
class Reply:
    """What the fake said."""

    status: int
    body: Any
    headers: CIMultiDictProxy[str]


@dataclass
class Listener:
    """An app that takes every webhook."""

    seen: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    async def take(self, request: web.Request) -> web.Response:
        """Keep it and say 202."""
        self.seen.append((dict(request.headers), await request.read()))
        return web.Response(status=202)


@pytest.fixture
async def fake(tmp_path: Path) -> AsyncIterator[FakeGitHub]:
    """A fake with the repository octo/hello."""
    async with FakeGitHub(tmp_path) as made:
        made.add_repository(NAME, FILES, roles={"writer": "write"})
        yield made


@pytest.fixture
async def client(fake: FakeGitHub) -> AsyncIterator[Client]:
    """A client whose token may do what the App may."""
    async with aiohttp.ClientSession() as session:
        yield Client(fake, session, fake.token(NAME))


@pytest.fixture
async def listener(fake: FakeGitHub) -> AsyncIterator[Listener]:
    """An app that listens for webhooks."""
    made = Listener()
    app = web.Application(client_max_size=30 << 20)
    app.router.add_post("/webhook", made.take)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    fake.webhook_url = f"http://127.0.0.1:{runner.addresses[0][1]}/webhook"
    yield made
    await runner.cleanup()
