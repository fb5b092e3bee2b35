"""Many processes on one PostgreSQL: what died or froze goes on in those that live.

``make chaos`` has thirty runs, and a database that is away for half a minute (``CHAOS_RUNS``,
``CHAOS_AWAY`` and ``CHAOS_SEED`` choose others).
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import psycopg
import pytest

from tests.fake_github.clock import WallClock
from tests.fake_github.state import Issue
from tests.model_server import Held
from tests.model_server.turns import Asked
from tests.postgresql import Cluster, postgresql
from tests.scenarios.bot import Bot, conversation, run_of
from tests.scenarios.process import Process, serving, working
from tests.scenarios.projects import note, notes

pytestmark = pytest.mark.long("starts PostgreSQL, servers and workers, and kills them")

TOKEN = "let-me-in-let-me-in"
WORDS = ("alder", "birch", "cedar")
RUNS = int(os.environ.get("CHAOS_RUNS", "6"))
AWAY = int(os.environ.get("CHAOS_AWAY", "0"))
SEEDS = [int(seed) for seed in os.environ.get("CHAOS_SEED", "1").split()]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL of this module's own."""
    with postgresql() as cluster:
        yield cluster


@pytest.fixture
async def talk(tmp_path: Path, cluster: Cluster) -> AsyncIterator[Bot]:
    """A conversation whose processes the test starts and ends."""
    url, token = cluster.database(), TOKEN
    async with conversation(
        tmp_path, notes(""), WallClock(), DATABASE_URL=url, CAIRN_ADMIN_TOKEN=token
    ) as bot:
        yield bot
        bot.check()


@dataclass(frozen=True)
class Project:
    """A repository with one task, and the issue on which its run was asked for."""

    bot: Bot
    word: str
    issue: Issue

    @property
    def name(self) -> str:
        """Its full name."""
        return f"octo/{self.word}"

    async def execute(self) -> None:
        """Ask for the run."""
        said = await self.bot.github.comment(self.name, self.issue.number, "/execute", by="writer")
        assert said == 202

    def check(self) -> str:
        """One comment, which is returned, one branch, one pull request, one tick."""
        view = self.bot.github.repo(self.name)
        said = self.bot.github.says(self.name, self.issue.number)
        (progress,) = [text for text in said if text.startswith("### Cairn run")]
        assert "is done" in progress.split("\n")[0], progress
        (pull,) = view.pulls
        assert sorted(view.branches) == sorted(["main", pull.pull.head])
        ticked = f"- [x] 1.1 Write `{self.word}.md`\n".encode()
        assert view.file(pull.pull.sha, "ROADMAP.md") == ticked
        return progress


def project(bot: Bot, word: str) -> Project:
    """A repository whose only task is to write about a word."""
    name = f"octo/{word}"
    files = notes(f"- [ ] 1.1 Write `{word}.md`\n")
    bot.github.add_repository(name, files, roles={"writer": "write"})
    return Project(bot, word, bot.github.open_issue(name, "Please go on", by="writer"))


def written(asked: Asked) -> str:
    """The note that is asked for."""
    found = re.search(r"Write `(\w+\.md)`", asked.prompt)
    assert found is not None, asked.prompt[-300:]
    return note(found[1])


async def artifact(talk: Bot, run: str, name: str) -> int:
    """The status with which the web process answers whoever asks for a file of a run."""
    address = str(talk.github.webhook_url).removesuffix("/webhook")
    url, headers = f"{address}/runs/{run}/artifacts/{name}", {"Authorization": f"Bearer {TOKEN}"}
    async with aiohttp.ClientSession() as session, session.get(url, headers=headers) as answer:
        return answer.status


async def ended(worker: Process, runs: int) -> None:
    """Wait until a worker has said so many times that a run ended."""
    for _ in range(runs):
        await worker.until(": ended")


async def test_all_start_at_once_on_an_empty_database(talk: Bot, tmp_path: Path) -> None:
    """As compose.yaml starts them: one makes the tables, and the others wait for it."""
    async with AsyncExitStack() as stack:
        processes = (
            serving(talk, "--no-work"),
            *(working(talk, folder=tmp_path / f"worker-{n}") for n in range(2)),
        )
        starting = asyncio.gather(*map(stack.enter_async_context, processes))
        started = await asyncio.wait_for(starting, 60)

        assert [each.process.returncode for each in started] == [None, None, None]
        ready = str(talk.github.webhook_url).replace("/webhook", "/readyz")
        async with aiohttp.ClientSession() as session, session.get(ready) as answer:
            assert answer.status == 200, await answer.text()


async def test_what_died_and_what_froze_goes_on_elsewhere(talk: Bot, tmp_path: Path) -> None:
    """Of three workers with a run each, one is killed and one frozen: the third ends all three.

    The frozen one wakes up with an answer in its hand, finds itself declared dead, and leaves
    before it sends anything to GitHub. In the end a newer version takes the database over.
    """
    kept = {word: Held(note(f"{word}.md")) for word in WORDS}
    for word, held in kept.items():
        talk.model.when(contains=f"Write `{word}.md`").says(held)
    talk.model.otherwise = written
    projects = [project(talk, word) for word in WORDS]
    async with AsyncExitStack() as stack:
        web = await stack.enter_async_context(serving(talk, "--no-work"))
        workers = [
            await stack.enter_async_context(
                working(talk, "--slots", "1", folder=tmp_path / f"worker-{n}")
            )
            for n in range(3)
        ]
        for each in projects:
            await each.execute()
        for held in kept.values():
            await held.asked.wait()
        killed, frozen, alive = workers
        await killed.end()
        frozen.process.send_signal(signal.SIGSTOP)
        for held in kept.values():
            held.go.set()
        await asyncio.wait_for(ended(alive, len(WORDS)), 120)
        frozen.process.send_signal(signal.SIGCONT)
        assert await asyncio.wait_for(frozen.process.wait(), 60) == os.EX_TEMPFAIL
        runs = [run_of(each.check()) for each in projects]
        assert {await artifact(talk, run, "agent-1.json") for run in runs} == {200}
        # a newer Cairn changes the database: who cannot read it any more leaves
        with psycopg.connect(talk.settings.database_url.get_secret_value()) as connection:
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
        assert await asyncio.wait_for(alive.process.wait(), 60) == 0
        assert await asyncio.wait_for(web.process.wait(), 60) == 0
        with pytest.raises(AssertionError, match="written by a newer Cairn"):
            async with working(talk, folder=tmp_path / "worker-3"):
                pass


@dataclass
class Trouble:
    """What happens when so many questions were asked; ``at`` has the moments, in order."""

    at: list[int]
    asked: int = 0
    moments: list[asyncio.Event] = field(default_factory=lambda: [asyncio.Event() for _ in "123"])

    def __call__(self, question: Asked) -> str:
        """Answer, and tell whoever waits for the moment."""
        self.asked += 1
        for moment, at in zip(self.moments, self.at, strict=True):
            if self.asked >= at:
                moment.set()
        return written(question)


@dataclass
class Watch:
    """What all workers say."""

    ended: set[str] = field(default_factory=set)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    dead: asyncio.Event = field(default_factory=asyncio.Event)

    async def read(self, worker: Process) -> None:
        """Read what one says, until it is gone."""
        with suppress(AssertionError):
            while True:
                line = await worker.until("")  # some are empty
                if "Declared dead" in line:
                    self.dead.set()
                if found := re.search(r"Run (\w+): ended", line):
                    self.ended.add(found[1])
                if len(self.ended) == RUNS:
                    self.over.set()


@pytest.mark.timeout(1800)
@pytest.mark.nightly("thirty runs, and every trouble at random moments")
@pytest.mark.parametrize("seed", SEEDS)
async def test_every_trouble_at_once(
    talk: Bot, tmp_path: Path, cluster: Cluster, seed: int
) -> None:
    """One worker is killed, one frozen and thawed, the database crashes: every run ends once."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    trouble = Trouble(sorted(chance.sample(range(1, RUNS), 3)))
    talk.model.otherwise = trouble
    projects = [project(talk, f"note{n}") for n in range(RUNS)]
    watch = Watch()
    async with AsyncExitStack() as stack, asyncio.TaskGroup() as readers:
        server = await stack.enter_async_context(serving(talk))
        workers = [
            await stack.enter_async_context(working(talk, folder=tmp_path / f"worker-{n}"))
            for n in range(3)
        ]
        reading = [readers.create_task(watch.read(each)) for each in (server, *workers)]
        asking = [readers.create_task(each.execute()) for each in projects]
        chance.shuffle(workers)
        await trouble.moments[0].wait()
        await workers[0].end()
        await trouble.moments[1].wait()
        await asyncio.wait_for(watch.dead.wait(), 60)  # the next one to be declared is the frozen
        watch.dead.clear()
        workers[1].process.send_signal(signal.SIGSTOP)
        await trouble.moments[2].wait()
        await asyncio.wait_for(watch.dead.wait(), 60)
        workers[1].process.send_signal(signal.SIGCONT)
        assert await asyncio.wait_for(workers[1].process.wait(), 60) == os.EX_TEMPFAIL
        await asyncio.gather(*asking)
        await asyncio.to_thread(cluster.crash, AWAY)
        await asyncio.wait_for(watch.over.wait(), 600)
        for each in reading:
            each.cancel()
        for each in projects:
            each.check()
