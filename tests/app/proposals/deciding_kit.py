"""Everything between a webhook and a stored decision: real, but for GitHub and the loop itself."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import aiohttp

from app.dispatch import Dispatch
from app.features import COMMANDS
from app.github.client import Connection
from app.github.config import Configurations
from app.github.identity import AppIdentity
from app.proposals.polling import Poller
from app.proposals.service import ProposalService
from app.runs.our_pulls import OurPulls
from app.runs.outward import Outward
from app.runs.parts import ServerParts, Surroundings
from app.runs.reactions import Reactions
from app.runs.service import RunService
from app.store.database import Store, open_store
from app.store.deliveries import Deliveries, Delivery
from app.store.proposals import ProposalOfRun, StoredProposals
from app.store.queue import Queue
from app.store.runs import RunRequest, Status, StoredRuns
from app.store.schema import decisions
from app.store.schema import proposals as table
from app.store.wakeups import Wakeups
from handlers.events import InstalledRepository
from handlers.ports import ProposalView, Rules, RunRequested, State
from runner.config.model import RepositoryConfig
from runner.errors import Outage
from runner.state.proposal import Proposal, ProposalPlace
from tests.app.github.repository_bench import installed
from tests.app.store.rows import set_run
from tests.fake_github import FakeGitHub
from tests.fake_github.state import Comment, Issue

REPOSITORY = "octo/hello"
ROLES = {
    "admin": "admin",
    "keeper": "maintain",
    "writer": "write",
    "starter": "write",
    "triager": "triage",
    "reader": "read",
}


@dataclass
class Shows:
    """A proposal as people see it on GitHub, and its row."""

    pull: Issue
    comment: Comment
    check: int
    row: ProposalView


@dataclass
class Bench:
    """Make proposals in any state, let people say something, and see what was stored."""

    github: FakeGitHub
    store: Store
    stored: StoredProposals
    runs: StoredRuns
    queue: Queue
    dispatch: Dispatch
    poller: Poller
    identity: AppIdentity
    rules: Rules
    made: int = 0

    async def proposal(self, state: State = "open", *, run: Status = "waiting") -> Shows:
        """Show a proposal of a run of its own, which ``starter`` asked for."""
        self.made += 1
        number, name = self.made, f"{self.made:04d}"
        fingerprint = f"{number:08x}" * 8
        pull = await self._pull(f"cairn/r{name}/t")
        world = self.github.world
        comment = world.add_comment(pull, world.app.bot, f"### Proposal {fingerprint[:8]}")
        check = await self._check(pull, fingerprint)
        await self._run(f"r{name}", pull.number + 100_000)
        await set_run(self.store, f"r{name}", run)
        proposal = Proposal(
            task=f"k{name}",
            kind="recovery",
            strategy="decompose",
            reason="task_too_complex",
            explanation="",
            original="",
            fingerprint=fingerprint,
            place=ProposalPlace(
                number=pull.number,
                url="https://github.test/pull",
                comment_id=comment.id,
                comment_node_id=f"IC_{comment.id}",
            ),
        )
        shown = ProposalOfRun(proposal=proposal, name="1.1", open=True)
        row = await self.runs.get(f"r{name}")
        assert row is not None
        await self.stored.sync(row, [shown], poll_at=world.clock.now())
        await self._set(fingerprint, state)
        (found,) = await self.stored.on_pull(row.repository.id, pull.number)
        return Shows(pull, comment, check, found)

    async def work(self) -> None:
        """Work the newest webhook."""
        await self.again(-1)

    async def again(self, which: int) -> None:
        """Work one of the webhooks, perhaps once more."""
        sent = self.github.deliveries[which]
        now = self.github.clock.now()
        await self.dispatch(
            Delivery(
                id=sent.guid,
                event=sent.event,
                repository_id=sent.repository,
                headers={},
                payload=json.dumps(sent.payload).encode(),
                received_at=now,
                status="stored",
                finished_at=None,
                error="",
            )
        )

    async def verdicts(self, shows: Shows) -> list[tuple[str, str, str]]:
        """(verdict, by, channel) of every decision that was stored about a proposal."""
        about = decisions.c.run == shows.row.run
        columns = decisions.c.verdict, decisions.c.by, decisions.c.channel
        found = await self.store.rows(decisions.select().where(about))
        return [tuple(getattr(row, c.name) for c in columns) for row in found]  # type: ignore[misc]

    def said(self, shows: Shows) -> list[str]:
        """What the bot said on a proposal's pull request besides the proposal itself."""
        comments = self.github.repo(REPOSITORY).comments(shows.pull.number)
        bot = self.github.world.app.bot
        return [c.body for c in comments if c.user is bot and c is not shows.comment]

    async def _pull(self, branch: str) -> Issue:
        main = self.github.repo(REPOSITORY).branches["main"]
        await self.github.move_branch(REPOSITORY, branch, main)
        world = self.github.world
        pull = await self.github.open_pull(REPOSITORY, "A proposal", head=branch)
        pull.user = world.app.bot
        return pull

    async def _check(self, pull: Issue, fingerprint: str) -> int:
        client = self.identity.client(
            installed(self.github, REPOSITORY), {"checks": "write", "metadata": "read"}
        )
        buttons = [
            {"label": word, "description": word, "identifier": word}
            for word in ("approve", "reject", "skip")
        ]
        assert pull.pull is not None
        data = {
            "name": "cairn/recovery",
            "head_sha": pull.pull.sha,
            "external_id": fingerprint,
            "conclusion": "action_required",
            "actions": buttons,
        }
        made = await client.post(f"/repos/{REPOSITORY}/check-runs", data=data)
        return int(made["id"])

    async def _run(self, run: str, issue: int) -> None:
        starter = self.github.world.user("starter")
        await self.queue.start(
            RunRequest(
                id=run,
                delivery=None,
                repository=installed(self.github, REPOSITORY),
                issue=issue,
                roadmap=f"{run}.md",
                request={"by": "starter", "by_id": starter.id},
            )
        )

    async def _set(self, fingerprint: str, state: State) -> None:
        if state != "open":
            change = table.update().where(table.c.fingerprint == fingerprint)
            await self.store.change(change.values(state=state, decided_by="somebody"))


@asynccontextmanager
async def deciding(folder: Path) -> AsyncIterator[Bench]:
    """A bench on a strict fake GitHub over HTTP and a real database."""
    async with (
        FakeGitHub(folder / "github", must_read=False) as github,
        aiohttp.ClientSession() as session,
    ):
        github.add_repository(REPOSITORY, {"README.md": b"# Hello\n"}, roles=ROLES)
        github.add_user("robot[bot]", type="Bot")
        github.set_role(REPOSITORY, "robot[bot]", "admin")
        store = await open_store(f"sqlite:///{folder}/cairn.db")
        try:
            yield _bench(github, session, store)
        finally:
            await store.close()
        github.verify()


def _bench(github: FakeGitHub, session: aiohttp.ClientSession, store: Store) -> Bench:
    clock = github.clock

    async def sleep(seconds: float) -> None:
        clock.advance(seconds)

    async def nothing() -> None:
        return None

    identity = AppIdentity(
        Connection(session, github.api_url, clock, sleep),
        app_id=str(github.app.id),
        private_key=github.app.private_key,
    )
    runs, stored = StoredRuns(store, clock), StoredProposals(store, clock)
    settings = SimpleNamespace(cairn_allowed_bots=["robot[bot]"])
    configs, known = Configurations(clock=clock, images=()), {"store": store, "identity": identity}
    unused = ("model", "endpoint", "journal", "sandbox", "folders", "index", "mask")
    rest = dict.fromkeys(unused)
    about = {"settings": settings, "around": Surroundings(clock), "configs": configs, **known}
    parts = _Parts(**about, **rest, permissions=None, outward=Outward(clock, str))  # type: ignore[arg-type]
    queue = Queue(store, clock, Wakeups(clock, lambda connection, wakeup: None, at_once=1000))

    async def rules_of(repository: InstalledRepository) -> Rules:
        return bench.rules

    proposals = ProposalService(stored, queue, rules_of=rules_of, look=nothing, poll=nothing)
    reactions = Reactions(parts, proposals)  # type: ignore[arg-type]
    poller = Poller(
        stored,
        ask=reactions.ask,
        judge=reactions.judge,
        expire=proposals.expire,
        unread=reactions.unread,
        clock=clock,
        rest=sleep,
    )

    async def refuse(*_: object) -> str:
        raise Outage("test", "no run is started here")

    service = _Service(parts, queue, proposals, waiting=refuse, look=nothing)  # type: ignore[arg-type]
    dispatch = Dispatch(
        service,
        (),
        COMMANDS,
        dashboards=_NoBoards(),  # type: ignore[arg-type]
        installed=refuse,  # type: ignore[arg-type]
        pushed=refuse,  # type: ignore[arg-type]
        deliveries=Deliveries(store, clock),
    )
    bench = Bench(github, store, stored, runs, queue, dispatch, poller, identity, Rules())
    return bench


class _Parts(ServerParts):
    """A server of which deciding needs the database and GitHub."""

    async def read_only(self, *_: object) -> bool:
        return False

    async def config_or_default(self, *_: object) -> RepositoryConfig:
        return RepositoryConfig(github_mode="disabled")  # no pull request is restacked

    async def roadmap_of(self, *_: object) -> str:
        raise Outage("test", "no run is started here")


class _Service(RunService):
    @property
    def pulls(self) -> OurPulls:
        return _NoPulls(self.parts)


class _NoBoards:
    async def mark(self, *_: object) -> None:
        return None


class _NoPulls(OurPulls):
    """Knows that no pull request here shows work or offers any; is asked nothing else."""

    async def pull_of(self, request: RunRequested) -> None:
        return None

    async def offer_of(self, request: RunRequested) -> None:
        return None
