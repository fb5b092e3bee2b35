"""The bench's roadmaps through the doors people use: ``cairn run``, and a server with its GitHub.

Nothing of the product is replaced: its own process or its whole server, git, the sandbox, HTTP to
the fault model. What was left behind is judged by tests that the product never sees.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bench.loop.corpus import Roadmap
from bench.loop.environment import BenchEnvironment
from bench.loop.naming import Character
from runner.config.model import CONFIG_PATH
from runner.files.history_file import NAME, FileHistory
from runner.history.inquiry import HistoryQuery
from runner.history.totals import errors_of
from tests.app.checkout import checkout
from tests.runner.sandbox.sandbox_bench import ROOT
from tests.scenarios.bot import conversation
from tests.scenarios.promised.doors import left_by, left_on
from tests.scenarios.promised.left import Left
from tests.scenarios.promised.scenario import Asked

IMAGES = {"bubblewrap": ROOT, "docker": "cairn-sandbox:latest"}
_ASKED = Asked(planning="auto")
_LATEST = 4e9


@dataclass(frozen=True, slots=True)
class Corpus:
    """One roadmap that was executed: what was said of its tasks, and what is true.

    ``problem`` is why the run as a whole ended early ('': it did not). ``errors`` are those that
    attempts saw, by type, as a checkout's history has them; ``recovered`` those in tasks that ended
    right.
    """

    roadmap: Roadmap
    claimed: int
    finished: int
    tokens: int
    problem: str
    errors: Counter[str] = field(default_factory=Counter)
    recovered: Counter[str] = field(default_factory=Counter)

    @property
    def tasks(self) -> int:
        """How many there are."""
        return len(self.roadmap.tasks)

    @property
    def wrong(self) -> int:
        """Completed as the product says, and the tests held back say no."""
        return self.claimed - self.finished


async def executed(
    environment: BenchEnvironment,
    roadmap: Roadmap,
    who: Character,
    folder: Path,
    *,
    door: str,
    sandbox: str,
) -> Corpus:
    """Execute a roadmap from its first commit to the run's end, and judge the newest commit."""
    await asyncio.to_thread(folder.mkdir, parents=True)
    files = {path: text.encode() for path, text in roadmap.start.items()}
    where = {
        "OPENAI_BASE_URL": environment.base_url,
        "CAIRN_MODEL": who.named(f"{door.replace(' ', '-')}.{roadmap.name}"),
        "CAIRN_SANDBOX": sandbox,
        **({"CAIRN_SANDBOX_IMAGE": image} if (image := IMAGES.get(sandbox)) else {}),
    }
    left = await DOORS[door]({**files, CONFIG_PATH: _ASKED.config}, where, folder)
    return await _judged(environment, roadmap, left)


async def _by_command(files: Mapping[str, bytes], where: Mapping[str, str], folder: Path) -> Left:
    async with checkout(folder / "here", files) as here:
        here.environment |= where
        result = await here.cairn("run", *_ASKED.flags)
        left = left_by(here, result, folder)
        assert (left.folder / "report.json").is_file(), result.err
        return left


async def _by_server(files: Mapping[str, bytes], where: Mapping[str, str], folder: Path) -> Left:
    async with conversation(folder, files, **where) as bot, bot.started():
        await bot.comment("/execute")
        assert bot.bugs == [], bot.bugs
        return left_on(bot, bot.says(), folder, list)


Door = Callable[[Mapping[str, bytes], Mapping[str, str], Path], Awaitable[Left]]
DOORS: Mapping[str, Door] = {"cairn run": _by_command, "server": _by_server}


async def _judged(environment: BenchEnvironment, roadmap: Roadmap, left: Left) -> Corpus:
    tree = {path: content.decode("utf-8", "replace") for path, content in left.tree.items()}
    claimed = [task for task in roadmap.tasks if left.statuses.get(task.id) == "completed"]
    right = [task.id for task in claimed if await environment.judge.passes(task, tree, kept=True)]
    tokens = left.report["model_usage"]["tokens"]
    errors, recovered = await _errors(left.folder / NAME, right)
    return Corpus(
        roadmap, len(claimed), len(right), tokens, left.report["problem"], errors, recovered
    )


async def _errors(file: Path, right: Collection[str]) -> tuple[Counter[str], Counter[str]]:
    """Count the errors of a checkout's history (a server has none there), and those got over."""
    seen: Counter[str] = Counter()
    recovered: Counter[str] = Counter()
    history = FileHistory(file)
    for record in (await history.recent(HistoryQuery(until=_LATEST, most=1_000))).executions:
        seen.update(errors_of(record))
        if record.place.name in right:
            recovered.update(errors_of(record))
    history.close()
    return seen, recovered
