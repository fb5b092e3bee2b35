"""What all runs share: a warm Python, a model that fails, what was verified already."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.loop.answers import Minds
from bench.loop.corpus import Files, Task
from bench.loop.forks import ForkSandbox, zygote
from bench.loop.judge import Judge
from bench.loop.server import serving
from bench.loop.wrongs import Program, wrong_programs
from runner.loop.deps import Deps, TaskWork
from runner.model.chat import OpenAIModel
from runner.ports import Repository, SystemClock
from runner.state.findings import Verification
from tests.runner.memory_repository import MemoryRepository
from tests.runner.scripted import Recorder, deps

_PATIENCE = 60.0
"""Seconds the client waits for an answer: on a busy machine a short wait looks like a fault."""
_HASTE = 5.0
"""Seconds where no answer is what is to be seen: the fault ``timeout`` takes that, four times."""


@dataclass(frozen=True)
class BenchEnvironment:
    """Everything a run needs but its task.

    ``base_url`` is where the fault model answers, ``truth`` its log; ``hasty`` is a client of it
    that does not wait long.
    """

    judge: Judge
    sandbox: ForkSandbox
    model: OpenAIModel
    hasty: OpenAIModel
    base_url: str
    truth: Path
    programs: Mapping[str, Sequence[Program]]
    verified: dict[str, Verification] = field(default_factory=dict)

    @property
    def minds(self) -> Minds:
        """What draws the answers."""
        return Minds(self.programs)

    def deps(self, tree: Files, repository: Repository | None = None) -> Deps:
        """The ports of one run on a tree."""
        made = replace(
            deps(repository=MemoryRepository(tree) if repository is None else None),
            model=self.model,
            sandbox=self.sandbox,
            clock=SystemClock(),
            events=Recorder(),
        )
        return made if repository is None else replace(made, repository=repository)

    def work(self) -> TaskWork:
        """What changes in one run.

        A tree that was verified in one run is not verified again in another: what the product does
        within a run goes here for all, for thousands of runs meet the same few trees.
        """
        return TaskWork(verified=self.verified)


@asynccontextmanager
async def environment(tasks: Sequence[Task]) -> AsyncIterator[BenchEnvironment]:
    """Open what the runs of some tasks share, while the block runs."""
    with tempfile.TemporaryDirectory(prefix="cairn-loop-") as place:
        folder = Path(place)
        async with zygote() as warm:
            judge = Judge(warm)
            programs = await wrong_programs(judge, tasks)
            async with serving(folder, programs) as (base_url, truth):
                model, hasty = (_client(base_url, seconds) for seconds in (_PATIENCE, _HASTE))
                sandbox = ForkSandbox(warm, owner="loop", parent=folder)
                try:
                    yield BenchEnvironment(judge, sandbox, model, hasty, base_url, truth, programs)
                finally:
                    await model.close()
                    await hasty.close()


def _client(base_url: str, patience: float) -> OpenAIModel:
    return OpenAIModel(
        model="fault", api_key="none", base_url=base_url, timeout=patience, sleep=_at_once
    )


async def _at_once(_seconds: float) -> None:
    """Wait for nothing: pauses between tries are not what is measured."""
