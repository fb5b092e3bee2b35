"""One repository on GitHub as one run works there: what all that is done in it shares."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from cachetools import LRUCache
from gidgethub.abc import GitHubAPI

from app.github.api import BestEffort, RepositoryApi, ref_path
from app.github.checks import CheckRuns
from app.github.comments import Comments
from app.github.commits import Branches, Commits
from app.github.failing import FailingChecks
from app.github.mirror import Mirror, Token
from app.github.pulls import Attempting, Clash, Pull, Pulls
from runner.errors import Outage
from runner.git.objects import MissingBlobs
from runner.state.changes import Snapshot

Page = Callable[[str], str]
"""The address of the page of a task by its key, or of its run (''); '' where there is none."""


def no_page(task: str) -> str:
    """Nobody serves any."""
    return ""


class FollowUps(Protocol):
    """Has runs queued about pull requests whose branches were changed, or could not be."""

    async def verify(self, pull: Pull, head: str, /) -> None:
        """Have a head verified; twice leaves one."""

    async def look(self, pull: Pull, at: datetime, /) -> None:
        """Come back to one at a time; twice leaves one."""

    async def attempt(self, pull: Pull, clash: Clash, /, *, stopped: bool) -> Attempting:
        """Have its task worked on again because of a conflict, and say how far that is.

        The run that asks may be that attempt itself, which has ``stopped``.
        """


def _remembered() -> LRUCache[str, str]:
    return LRUCache(maxsize=1_000)


@dataclass
class StackMemory:
    """What a process knows of the stacks of one repository; losing it costs only requests.

    ``turn`` lets one change them at a time. ``settled`` names the state in which nothing was left
    to do. ``shown`` is what ``cairn/stack`` says on a commit, ``verified`` holds the commits that
    have a check ``cairn/trust`` or will have one.
    """

    turn: AbstractAsyncContextManager[object] = field(default_factory=asyncio.Lock)
    settled: object = None
    shown: LRUCache[str, str] = field(default_factory=_remembered)
    verified: LRUCache[str, str] = field(default_factory=_remembered)


@dataclass
class Place:
    """A repository and the branch ``base`` of it, for one run and its roadmap.

    ``client`` is authenticated for the installation, ``token`` gives a fresh installation token for
    git, ``bot_login`` is our App's (``SLUG[bot]``), ``url`` the repository's page. ``checker`` is a
    client for check runs (an installation may not have granted them), None if our account cannot
    write any. ``failing`` reads the checks of others, ``memory`` is what the process knows of the
    repository's stacks, ``after`` queues what follows, by the clock ``now``. ``page`` finds the
    page of a task of the run.
    """

    client: GitHubAPI
    full_name: str
    base: str
    roadmap: str
    run: str
    bot_login: str
    url: str
    token: Token
    mirror: Mirror
    checker: GitHubAPI | None = None
    failing: Callable[[], Awaitable[FailingChecks]] | None = None
    memory: StackMemory = field(default_factory=StackMemory)
    after: FollowUps | None = None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    page: Page = no_page

    def __post_init__(self) -> None:
        self.api = RepositoryApi(self.client, self.full_name)
        self.commits = Commits(self.api, bot_login=self.bot_login)
        self.branches = Branches(self.commits, snapshot=self.snapshot)
        self.pulls = Pulls(self.api, bot_login=self.bot_login, roadmap=self.roadmap)
        self.comments = Comments(self.api, bot_login=self.bot_login)
        self.effort = BestEffort()
        checks = RepositoryApi(self.checker or self.client, self.full_name)
        made = self.checker is not None
        self.checks = CheckRuns(checks, self.effort, bot_login=self.bot_login, made=made)

    async def snapshot(self, commit: str) -> Snapshot:
        """Return the exact tree of a commit, fetched when it is not here yet.

        Raises ``TaskError`` when GitHub does not have the commit, ``Outage`` otherwise.
        """
        await self.mirror.fetch(commit, url=f"{self.url}.git", token=self.token)
        return await self.mirror.objects.snapshot(commit)

    async def blobs(self, shas: Sequence[str]) -> dict[str, bytes]:
        """Return contents by blob sha; what a remade mirror lacks is asked of GitHub."""
        try:
            return await self.mirror.objects.blobs(shas)
        except MissingBlobs as missing:
            asked = {sha: await self.commits.blob(sha) for sha in missing.shas}
        rest = [sha for sha in shas if sha not in asked]
        return {**asked, **await self.mirror.objects.blobs(rest)}

    async def file(self, commit: str, path: str) -> bytes | None:
        """Return the content of a file of a commit, or None."""
        entry = (await self.snapshot(commit)).entries.get(path)
        return (await self.blobs([entry.sha]))[entry.sha] if entry else None

    async def tip(self) -> str:
        """Return the newest commit of the base branch. Raises ``Outage``."""
        ref = await self.api.find(ref_path(self.base), "show the base branch", refused=Outage)
        if ref is None:
            raise Outage(
                "github", f"{self.full_name} has no branch {self.base}. Push a first commit there."
            )
        return str(ref["object"]["sha"])
