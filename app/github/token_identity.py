"""Identity with a single token (``GITHUB_TOKEN`` or an installation token), and App permissions.

Each operation asks for the least permissions it needs
(https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Literal, Protocol

from cachetools import LRUCache
from gidgethub.abc import CACHE_TYPE
from pydantic import SecretStr

from app.github.client import Connection, GitHubClient
from handlers.events import InstalledRepository

Permissions = Mapping[str, Literal["read", "write"]]

APP_PERMISSIONS: Permissions = MappingProxyType(
    {
        "metadata": "read",  # asking what a person may do; GitHub grants it to every App
        "contents": "write",  # reading trees; blobs, trees, commits and branches of checkpoints
        "issues": "write",  # comments and reactions, on pull requests too
        "pull_requests": "write",  # opening checkpoints and changing their base
        "checks": "write",  # buttons on proposals, cairn/trust; without it everything else works
        "merge_queues": "read",  # hearing of merge queues that wait for cairn/trust
        "actions": "read",  # logs of failing jobs; without it Cairn reads what their checks say
        "statuses": "read",  # CI that reports commit statuses; without it Cairn sees check runs
    }
)
"""The manifest's ``default_permissions``: all the App is ever granted."""

OPTIONAL = ("actions", "checks", "merge_queues", "statuses")
"""Permissions without which Cairn does less: owners may not have accepted them yet."""

READ: Permissions = MappingProxyType({"metadata": "read", "contents": "read"})
"""For fetching git objects: the token is handed to a git process."""

CONVERSE: Permissions = MappingProxyType({"metadata": "read", "issues": "write"})
"""For answering comments: role of the author, reaction, reply, progress comment."""

CONVERSE_ON_LINES: Permissions = MappingProxyType({**CONVERSE, "pull_requests": "write"})
"""For answering comments on lines of a pull request as well."""

CHECK: Permissions = MappingProxyType({"metadata": "read", "checks": "write"})
"""For check runs alone: GitHub gives no token for what an owner has not accepted yet."""

LOGS: Permissions = MappingProxyType({"metadata": "read", "actions": "read"})
"""For the logs of GitHub Actions alone: without it only what checks themselves say is read."""

STATUSES: Permissions = MappingProxyType({"metadata": "read", "statuses": "read"})
"""For commit statuses alone: without it only check runs are seen."""

REVIEW: Permissions = MappingProxyType({"metadata": "read", "pull_requests": "read"})
"""For seeing whether a pull request that somebody reviewed is ours."""

PLAN: Permissions = MappingProxyType({"metadata": "read", "contents": "read", "issues": "write"})
"""For working a push: role of who pushed, the roadmap before and after, the plan's issue."""

REACTIONS: Permissions = MappingProxyType(
    {"metadata": "read", "issues": "read", "pull_requests": "read"}
)
"""For reading the reactions on comments of all repositories of an installation."""

PUBLISH: Permissions = MappingProxyType(
    {name: level for name, level in APP_PERMISSIONS.items() if name not in OPTIONAL}
)
"""For a run's client: commits, branches, pull requests and its progress comment."""


INSTALLATION = 1
"""Used where an App has the number of its installation."""

_MOST_ANSWERS = 256
_VIEWER = "query { viewer { login } }"


Standing = Literal["active", "suspended", "gone"]


WroteIn = Callable[[int | None, str, int], Awaitable[None]]
"""Hears of each request that may have changed something: repository (by id), what, status."""


class Identity(Protocol):
    """Who we are at GitHub. Every method raises ``Outage``.

    ``wrote`` hears of what was sent, but tokens that were asked for.
    """

    wrote: WroteIn | None = None

    async def noted(self, repository_id: int | None, what: str, status: int) -> None:
        """Pass on that a request was sent."""
        if self.wrote:
            await self.wrote(repository_id, what, status)

    @property
    def is_app(self) -> bool:
        """Whether we are an App: check runs can have buttons, and clicks on them are heard."""

    async def bot_login(self, installation_id: int | None = None) -> str:
        """Return the login under which we comment; the installation may spare a request."""

    async def installation_for(self, full_name: str) -> int:
        """Return the installation that covers a repository. Raises ``Gone`` where none does."""

    async def standing(self, installation_id: int) -> Standing:
        """Return an installation's status now."""

    async def lacking(self, installation_id: int) -> frozenset[str]:
        """Return which optional permissions an installation does not grant."""

    async def page(self, installation_id: int) -> str:
        """Return where an owner changes an installation, '' for nowhere."""

    async def installation_token(
        self, repository: InstalledRepository, permissions: Permissions
    ) -> str:
        """Return a token for one repository."""

    def client(self, repository: InstalledRepository, permissions: Permissions) -> GitHubClient:
        """Return a client for one repository."""

    def client_of_all(self, installation_id: int, permissions: Permissions) -> GitHubClient:
        """Return a client for all repositories of an installation."""


class TokenIdentity(Identity):
    """The owner of one token, an ``Identity`` without an App's key."""

    is_app = False
    """GitHub reports clicks only to an App, and a workflow's token needs no ``checks``."""

    def __init__(self, over: Connection, token: SecretStr) -> None:
        self._token = token
        answers: CACHE_TYPE = LRUCache(_MOST_ANSWERS)
        self._client = GitHubClient(
            over,
            _Fixed(f"token {token.get_secret_value()}"),
            cache=answers,
            wrote=partial(self.noted, None),
        )
        self._login = ""

    @property
    def github(self) -> GitHubClient:
        """The client that speaks with the token."""
        return self._client

    async def bot_login(self, _installation_id: int | None = None) -> str:
        """Return the account the token speaks for, as ``github-actions[bot]``; asked once."""
        if not self._login:
            self._login = str((await self._client.graphql(_VIEWER))["viewer"]["login"])
        return self._login

    async def installation_for(self, full_name: str) -> int:
        """Return the one there is."""
        return INSTALLATION

    async def standing(self, installation_id: int) -> Standing:
        """Return the only status: a token that exists is active."""
        return "active"

    async def lacking(self, installation_id: int) -> frozenset[str]:
        """Return none: nobody can accept more for a token."""
        return frozenset()

    async def page(self, installation_id: int) -> str:
        """Return nowhere: a token belongs to no installation that we know."""
        return ""

    async def installation_token(
        self, repository: InstalledRepository, permissions: Permissions
    ) -> str:
        """Return the token."""
        return self._token.get_secret_value()

    def client(self, repository: InstalledRepository, permissions: Permissions) -> GitHubClient:
        """Return the one client there is."""
        return self._client

    def client_of_all(self, installation_id: int, permissions: Permissions) -> GitHubClient:
        """Return the one client there is."""
        return self._client


@dataclass(frozen=True, slots=True)
class _Fixed:
    value: str = field(repr=False)

    async def authorization(self) -> str:
        return self.value

    def forget(self, authorization: str) -> None:
        """There is no other one: what is refused twice is refused."""
