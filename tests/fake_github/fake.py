"""The fake as one object: start it, control it, look at it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

from aiohttp import web

from tests.fake_github.clock import Clock, FakeClock
from tests.fake_github.control import Control
from tests.fake_github.courier import Courier
from tests.fake_github.reading import Reading
from tests.fake_github.server import Front
from tests.fake_github.state import App, Installation
from tests.fake_github.world import World


class FakeGitHub(Control, Reading):
    """A GitHub on 127.0.0.1 with its bare repositories below ``folder``.

    ``prefix`` is where REST begins ("/api/v3" as on Enterprise Server, "" for the root).
    ``must_read=False`` lets unread comments of the bot pass ``verify``. ``echo=False`` keeps
    the app's own doings from coming back as webhooks. ``port`` 0 takes any free one. ``routes``
    are pages for people beside the API, which no test needs.
    """

    def __init__(
        self,
        folder: Path,
        *,
        clock: Clock | None = None,
        prefix: str = "/api/v3",
        must_read: bool = True,
        echo: bool = True,
        port: int = 0,
        routes: Iterable[web.AbstractRouteDef] = (),
    ) -> None:
        self.clock: Clock = clock or FakeClock()
        self.world = World(folder, self.clock)
        self.courier = Courier(self.world)
        self.courier.echo = echo
        self.must_read = must_read
        self._prefix = prefix
        self._port = port
        self._routes = tuple(routes)
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        front = Front(self.world, self.courier, self._prefix)
        self._runner = web.AppRunner(
            front.application(self._routes), access_log=None, shutdown_timeout=1
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        port = self._runner.addresses[0][1]
        self.world.server_url = f"http://127.0.0.1:{port}"
        self.world.api_url = self.world.server_url + self._prefix
        await self.courier.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.courier.close()
        assert self._runner is not None
        await self._runner.cleanup()
        for repo in self.world.repositories.values():
            repo.bare.close()

    @property
    def app(self) -> App:
        """The App: id, slug, private_key (PEM), webhook_secret, permissions, events, bot."""
        return self.world.app

    @property
    def server_url(self) -> str:
        """What GITHUB_SERVER_URL must be; git is at server_url/owner/repo.git."""
        return self.world.server_url

    @property
    def api_url(self) -> str:
        """What GITHUB_API_URL must be."""
        return self.world.api_url

    @property
    def graphql_url(self) -> str:
        """Where GraphQL is: /api/graphql as on Enterprise Server, /graphql at the root."""
        return f"{self.world.server_url}{'/api' if self._prefix else ''}/graphql"

    @property
    def webhook_url(self) -> str | None:
        """Where webhooks go; set it as soon as the app listens (None: nowhere)."""
        return self.courier.url

    @webhook_url.setter
    def webhook_url(self, url: str | None) -> None:
        self.courier.url = url

    def installation(self, repository: str) -> Installation:
        """The App's installation that covers a repository."""
        found = self.world.installation_of(self.world.repo(repository).owner)
        assert found is not None
        return found

    def token(self, repository: str, **permissions: str) -> str:
        """A token for tests of the fake or of an adapter, without the way through the API."""
        one = self.installation(repository)
        held = {**(permissions or one.permissions), "metadata": "read"}
        scope = frozenset({self.world.repo(repository).id})
        return self.world.new_token(one, held, scope).text
