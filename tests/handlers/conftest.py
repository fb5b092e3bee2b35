"""A small GitHub, a client for it, runs that are only written down, and comments."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import aiohttp
import pytest
from gidgethub.aiohttp import GitHubAPI

from handlers.events import IssueCommentCreated, Repo, User
from handlers.runs import RunRequested, RunStatus
from tests.handlers.github import SmallGitHub

REPO = Repo(id=1, full_name="o/r", default_branch="main", private=False)


@dataclass
class WrittenRuns:
    """A ``Runs`` that keeps what it was asked and answers what the test set."""

    requests: list[RunRequested] = field(default_factory=list)
    orders: list[tuple[Any, ...]] = field(default_factory=list)
    found: tuple[RunStatus, ...] = ()
    affected: tuple[str, ...] = ()

    async def start(self, request: RunRequested) -> None:
        self.requests.append(request)

    async def status(self, *, repository_id: int, issue: int) -> tuple[RunStatus, ...]:
        self.orders.append(("status", repository_id, issue))
        return self.found

    async def cancel(self, *, repository_id: int, issue: int, by: User) -> tuple[str, ...]:
        self.orders.append(("cancel", repository_id, issue, by.login))
        return self.affected

    async def pause(self, *, repository_id: int, issue: int, by: User) -> tuple[str, ...]:
        self.orders.append(("pause", repository_id, issue, by.login))
        return self.affected

    async def resume(self, *, repository_id: int, issue: int, by: User) -> tuple[str, ...]:
        self.orders.append(("resume", repository_id, issue, by.login))
        return self.affected


def comment(
    body: str, *, by: User | None = None, delivery: str = "d-1", number: int = 55
) -> IssueCommentCreated:
    """Return the event of a new comment on issue 7."""
    author = by or User(id=2, login="writer")
    return IssueCommentCreated(
        delivery=delivery,
        repository=REPO,
        installation_id=3,
        issue=7,
        is_pull_request=False,
        comment_id=number,
        comment_node_id="IC_1",
        created_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        body=body,
        author=author,
        sender=author,
    )


@pytest.fixture
def github() -> SmallGitHub:
    world = SmallGitHub()
    world.grants("writer", 2, "write")
    world.grants("reader", 4, "read")
    return world


@pytest.fixture
def runs() -> WrittenRuns:
    return WrittenRuns()


@pytest.fixture
async def client(
    github: SmallGitHub, aiohttp_server: Callable[[Any], Awaitable[Any]]
) -> AsyncIterator[GitHubAPI]:
    server = await aiohttp_server(github.application())
    async with aiohttp.ClientSession() as session:
        yield GitHubAPI(session, "cairn/test", oauth_token="t", base_url=str(server.make_url("/")))
