"""A small GitHub, a client for it, runs that are only written down, and comments."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import aiohttp
import pytest
from gidgethub.aiohttp import GitHubAPI

from app.features import COMMANDS
from handlers import parsing
from handlers.events import InstalledRepository, IssueCommentCreated, User
from handlers.grammar import Command, Misunderstood
from handlers.issue_thread import IssueThread
from handlers.ports import (
    Ambiguous,
    CheckpointStatus,
    DecisionView,
    InReview,
    NamedTask,
    OfferKind,
    Order,
    Projects,
    ProposalView,
    Revising,
    Rules,
    RunRequested,
    RunStatus,
    Unknown,
    Vote,
)
from runner.state.proposal import ProposalPlace
from runner.state.revising import RevisionRequest
from tests.handlers.github import OUR_LOGIN, SmallGitHub

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
REPO = InstalledRepository(1, "o/r", 3, "main", private=False)


ONE = NamedTask("k1", "1.1", "Write it", "ROADMAP.md")
RULES = Rules()


@dataclass
class WrittenRuns:
    """A ``Runs`` that keeps what it was asked and answers what the test set."""

    requests: list[RunRequested] = field(default_factory=list)
    asked: list[tuple[Any, ...]] = field(default_factory=list)
    found: tuple[RunStatus, ...] = ()
    affected: tuple[str, ...] = ()
    task: NamedTask | Unknown | Ambiguous = ONE
    here: CheckpointStatus | None = None
    parts: Any = None

    async def start(self, request: RunRequested, asked: Mapping[str, object] | None = None) -> None:
        if asked:
            self.asked.append((*asked, request.run, request.command))
        else:
            self.requests.append(request)

    async def status(self, *, repository_id: int, issue: int) -> tuple[RunStatus, ...]:
        self.asked.append(("status", repository_id, issue))
        return self.found

    async def order(
        self, what: Order, *, repository_id: int, issue: int, by: User
    ) -> tuple[str, ...]:
        self.asked.append((what, repository_id, issue, by.login))
        return self.affected

    async def find_task(
        self, request: RunRequested, name: str, path: str | None = None
    ) -> NamedTask | Unknown | Ambiguous:
        self.asked.append(("find", name))
        return self.task

    async def projects(self, repository: InstalledRepository) -> Projects:
        return Projects(("api",))

    async def kept(self, request: RunRequested) -> str | None:
        return None

    async def retry(
        self, request: RunRequested, *, note: str = "", again: str = ""
    ) -> tuple[str, ...]:
        self.requests.append(request)
        return self.affected

    async def say_again(self, *, repository_id: int, issue: int) -> None:
        self.asked.append(("say_again", issue))

    async def repair(self, request: RunRequested, head: str) -> None:
        self.asked.append(("repair", request.run, head))

    async def verify(self, request: RunRequested) -> None:
        self.asked.append(("verify", request.run, request.issue))

    async def checkpoint(self, request: RunRequested) -> CheckpointStatus | None:
        return self.here

    async def offer(self, request: RunRequested) -> OfferKind | None:
        return None

    async def in_review(self, request: RunRequested) -> tuple[InReview, ...]:
        return ()

    async def revise(self, request: RunRequested, asked: RevisionRequest) -> Revising:
        self.asked.append(("revise", request.run, asked.text))
        return Revising("started", 1, 3)

    async def skip(self, request: RunRequested, task: NamedTask) -> bool:
        self.asked.append(("skip", task.key))
        return True


@dataclass
class WrittenRefusals:
    """A ``Refusals`` that keeps to whom something was refused first, and by which delivery."""

    told: dict[tuple[int, int, int], str] = field(default_factory=dict)

    async def first(self, *, repository_id: int, issue: int, user_id: int, delivery: str) -> bool:
        return self.told.setdefault((repository_id, issue, user_id), delivery) == delivery

    def may_answer(self, *, repository_id: int, user_id: int) -> bool:
        return True


@dataclass
class WrittenProposals:
    """A ``Proposals`` whose rows the test set; what was decided is kept in ``said``."""

    here: tuple[ProposalView, ...] = ()
    elsewhere: tuple[ProposalView, ...] = ()
    who: Rules = RULES
    votes: list[Vote] = field(default_factory=list)
    touched: list[int] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    pushes: list[str] = field(default_factory=list)
    rival: Vote | None = None

    async def on_pull(self, repository_id: int, number: int) -> tuple[ProposalView, ...]:
        return tuple(each for each in self.here if each.place.number == number)

    async def of_issue(self, repository_id: int, issue: int) -> tuple[ProposalView, ...]:
        return self.here

    async def named(self, repository_id: int, id: str) -> tuple[ProposalView, ...]:
        known = (*self.here, *self.elsewhere)
        return tuple(each for each in known if each.fingerprint.startswith(id))

    async def of_task(
        self, repository_id: int, roadmap: str, task: str
    ) -> tuple[ProposalView, ...]:
        return tuple(each for each in self.here if each.task == task and each.state == "open")

    async def decide(self, proposal: ProposalView, vote: Vote) -> ProposalView:
        first = self.rival or vote
        self.votes += [vote] if first is vote else []
        decision = DecisionView(first.by.login, first.channel, first.delivery)
        state = "rejected" if first.verdict == "reject" else "approved"
        return replace(proposal, state=state, decision=decision)

    async def pushed(self, proposal: ProposalView, *, by: User, delivery: str) -> None:
        self.pushes.append(delivery)

    async def rules(self, repository: InstalledRepository) -> Rules:
        return self.who

    async def touch(self, repository_id: int, number: int) -> None:
        self.touched.append(number)

    async def lose_comment(self, proposal: ProposalView) -> bool:
        new = proposal.id not in self.lost
        self.lost.append(proposal.id)
        return new


def proposal(**changes: Any) -> ProposalView:
    """Return an open proposal on pull request 7, of a run that ``starter`` asked for."""
    blank = ProposalView(
        seq=1,
        run="r1",
        task="k1",
        name="1.1",
        fingerprint="abcd1234" * 8,
        strategy="decompose",
        repository=REPO,
        roadmap="ROADMAP.md",
        place=ProposalPlace(number=7, url="https://github.test/o/r/pull/7", comment_id=70),
        state="open",
        made_at=NOW - timedelta(hours=1),
        run_status="waiting",
        starter=3,
    )
    return replace(blank, **changes)


def parse(body: str) -> tuple[Command | Misunderstood, ...]:
    """What a comment asks for."""
    return parsing.parse(body, COMMANDS)


def comment(
    body: str, *, by: User | None = None, delivery: str = "d-1", number: int = 55
) -> IssueCommentCreated:
    """Return the event of a new comment on issue 7."""
    author = by or User(id=2, login="writer")
    return IssueCommentCreated(
        delivery=delivery,
        repository=REPO,
        issue=7,
        is_pull_request=False,
        comment_id=number,
        comment_node_id="IC_1",
        created_at=NOW,
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
def proposals() -> WrittenProposals:
    return WrittenProposals()


@pytest.fixture
def thread(client: GitHubAPI) -> IssueThread:
    return IssueThread(
        github=client,
        repository=REPO,
        issue=7,
        own_login=OUR_LOGIN,
        refusals=WrittenRefusals(),
    )


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
