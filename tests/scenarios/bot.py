"""The bench of the conversations: the whole server over real HTTP, GitHub and model on loopback."""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from aiohttp import web_app
from aiohttp.test_utils import TestServer

from app.compose.server import Server, server
from app.runs.parts import Surroundings
from app.settings import ServerSettings, load_server_settings
from app.store.database import is_sqlite
from handlers.grammar import Commands
from runner.ports import Sandbox
from tests.fake_github import FakeGitHub, Fault
from tests.fake_github.clock import Clock
from tests.fake_github.reading import View
from tests.fake_github.state import Issue
from tests.model_server import ScriptedModel, serve
from tests.plain_python import plain_path
from tests.scenarios.in_process import InProcessEngine
from tests.scenarios.template import used_database

REPOSITORY = "octo/hello"


class Rests:
    """Waits that end when the test lets their time come."""

    def __init__(self) -> None:
        self._waiting: list[tuple[datetime, asyncio.Event]] = []

    async def rest(self, until: datetime) -> None:
        """Wait for a time."""
        come = asyncio.Event()
        self._waiting.append((until, come))
        await come.wait()

    async def ring(self, now: datetime) -> None:
        """Wake whoever waits for no later time than ``now``."""
        for until, come in self._waiting:
            if until <= now:
                come.set()
        self._waiting = [(until, come) for until, come in self._waiting if not come.is_set()]
        await asyncio.sleep(0)  # so that they have begun when the test goes on


@dataclass
class Bot:
    """A conversation with the bot on one issue of one repository.

    ``bugs`` are exceptions that reached an event or job boundary; the fixture fails on them.
    ``sandbox`` takes the place of the one in the settings; ``rests`` are waits for a time to come,
    ``commands`` slash commands that it knows besides Cairn's.
    """

    github: FakeGitHub
    model: ScriptedModel
    settings: ServerSettings
    issue: Issue
    running: Server | None = None
    bugs: list[Exception] = field(default_factory=list)
    sandbox: Sandbox | None = None
    rests: Rests = field(default_factory=Rests)
    commands: Commands = ()

    async def comment(self, body: str, *, by: str = "writer") -> int:
        """Comment on the issue and wait until the bot has done all it can; the webhook's status."""
        status = await self.github.comment(REPOSITORY, self.issue.number, body, by=by)
        await self.idle()
        return status

    async def reply(self, pull: Issue, body: str, *, by: str = "writer") -> int:
        """Comment on a pull request and wait until the bot has done all it can."""
        status = await self.github.comment(REPOSITORY, pull.number, body, by=by)
        await self.idle()
        return status

    async def idle(self) -> None:
        """Wait until nothing is left to do, also of what the last webhooks began."""
        seen = -1
        while seen != len(self.github.world.deliveries):
            seen = len(self.github.world.deliveries)
            if self.running is not None:
                await self.running.idle()
            await self.github.settle()

    async def later(self, **time: float) -> None:
        """Let time pass (``minutes=5``), and wait until what it lets go on is done."""
        self.github.clock.advance(timedelta(**time).total_seconds())
        await self.rests.ring(self.github.clock.now())
        await self.idle()

    def holds(self, method: str, path: str) -> Fault:
        """Keep a call to GitHub unanswered until ``release`` of what this returns."""
        return self.github.fail(method, path, hold=asyncio.Event())

    def check(self) -> None:
        """Nothing was left unsaid, unread or unasked, and no bug was met."""
        self.github.verify()
        self.model.verify()
        assert self.bugs == []

    def says(self) -> list[str]:
        """The bot's comments on the issue that were not read yet, in their newest text."""
        return self.github.says(REPOSITORY, self.issue.number)

    @property
    def view(self) -> View:
        """The repository as it is on GitHub now."""
        return self.github.repo(REPOSITORY)

    @property
    def pulls(self) -> list[Issue]:
        """All pull requests by number."""
        return self.view.pulls

    @property
    def proposals(self) -> list[Issue]:
        """The pull requests that put a proposal before people, by number."""
        label = "cairn:recovery"
        return [pull for pull in self.pulls if label in {one.name for one in pull.labels}]

    def proposes(self) -> list[str]:
        """What the bot said on its proposals and nobody read yet."""
        return [
            said for pull in self.proposals for said in self.github.says(REPOSITORY, pull.number)
        ]

    @property
    def prompts(self) -> list[str]:
        """What the model was asked, in order."""
        return [asked.prompt for asked in self.model.requests]

    def changed(self, pull: Issue) -> dict[str, bytes | None]:
        """Path → new content (None: deleted) of what a pull request's commit changes."""
        before, after = (self.view.files(f"{pull.pull.sha}{which}") for which in ("^", ""))
        paths = sorted(p for p in before | after if before.get(p) != after.get(p))
        return {path: self.view.file(pull.pull.sha, path) for path in paths}

    def message(self, pull: Issue) -> str:
        """The whole message of a pull request's commit."""
        return self.view.state.bare.text("show", "-s", "--format=%B", pull.pull.sha)

    def sent(self) -> list[bytes]:
        """Every content that was stored on GitHub, on a branch or not."""
        posts = [each for each in self.github.requests if each.method == "POST" and each.body]
        blobs = [each.body["content"] for each in posts if each.path.endswith("/git/blobs")]
        trees = [each.body["tree"] for each in posts if each.path.endswith("/git/trees")]
        inline = [entry["content"] for tree in trees for entry in tree if "content" in entry]
        return [*map(base64.b64decode, blobs), *map(str.encode, inline)]

    def files(self, pattern: str) -> list[Path]:
        """Files that runs left in the data directory."""
        return sorted(self.settings.cairn_data_dir.rglob(pattern))

    def checkpoints(self) -> list[str]:
        """Titles of the pull requests, in order."""
        return [pull.title for pull in self.pulls]

    def calls(self, method: str, ending: str) -> list[str]:
        """Paths of the requests that reached GitHub with this method and end of path."""
        return [
            request.path
            for request in self.github.requests
            if request.method == method and request.path.endswith(ending)
        ]

    @asynccontextmanager
    async def started(self) -> AsyncIterator[Server]:
        """Run the server; leaving ends it as a stop would."""
        clock, database = self.github.clock, self.settings.database_url.get_secret_value()

        async def sleep(seconds: float) -> None:
            clock.advance(seconds)
            await asyncio.sleep(0)

        around = Surroundings(
            clock,
            sleep,
            self.bugs.append,
            sandbox_path=plain_path(),
            sandbox=self.sandbox,
            rest=lambda seconds: self.rests.rest(clock.now() + timedelta(seconds=seconds)),
            commands=self.commands,
            engine=InProcessEngine if is_sqlite(database) else None,
        )
        async with server(self.settings, around) as running, TestServer(running.app) as front:
            self.running = running
            self.github.webhook_url = str(front.make_url("/webhook"))
            await running.catch_up.idle()  # what a test withholds must not be found at once
            try:
                yield running
            finally:
                self.running, self.github.webhook_url = None, None
        # aiohttp remembers the handlers of its last 1,024 applications, and with them each store
        web_app._cached_build_middleware.cache_clear()


def run_of(said: str) -> str:
    """The id of the run a progress comment is about."""
    found = re.search(r"Cairn run `([0-9a-f]+)`", said)
    assert found is not None, said
    return found[1]


def leading_to(github: FakeGitHub, base_url: str, folder: Path) -> dict[str, object]:
    """Settings that lead to this GitHub and this model, without isolation."""
    return {
        "GITHUB_APP_ID": github.app.id,
        "GITHUB_APP_PRIVATE_KEY": github.app.private_key,
        "GITHUB_WEBHOOK_SECRET": github.app.webhook_secret,
        "GITHUB_API_URL": github.api_url,
        "GITHUB_SERVER_URL": github.server_url,
        "OPENAI_API_KEY": "sk-test-canary",
        "OPENAI_BASE_URL": base_url,
        "CAIRN_MODEL": "scripted",
        "CAIRN_DATA_DIR": folder / "data",
        "CAIRN_SANDBOX": "process",
        "CAIRN_ALLOW_UNSANDBOXED": "root",  # whoever runs the tests
    }


@asynccontextmanager
async def conversation(
    folder: Path, files: Mapping[str, object], clock: Clock | None = None, /, **settings: object
) -> AsyncIterator[Bot]:
    """GitHub with one repository, a scripted model and settings that lead to both.

    Its ``clock`` stands still; processes that live longer than a minute need one that goes.
    """
    model = ScriptedModel()
    async with FakeGitHub(folder / "github", clock=clock) as github, serve(model) as base_url:
        roles = {"writer": "write", "reader": "read"}
        github.add_repository(REPOSITORY, files, roles=roles)
        issue = github.open_issue(REPOSITORY, "Please go on", by="writer")
        values = leading_to(github, base_url, folder)
        await used_database(folder / "data")
        yield Bot(github, model, load_server_settings(**(values | settings)), issue)
