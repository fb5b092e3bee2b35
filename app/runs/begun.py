"""A run that begins: what it asks for, and what it works with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableSet
from dataclasses import dataclass, replace

from app.github.repository import GitHubRepository
from app.progress.comment import Progress
from app.proposals.service import ShownProposals
from app.runs.lessons import Lessons
from app.runs.limits import Ceilings
from app.store.runs import Run
from runner.config.model import RepositoryConfig
from runner.loop.deps import Deps
from runner.ports import Endpoint, Model
from runner.state.options import Request


@dataclass(frozen=True)
class RunPorts:
    """What one run works with.

    ``endpoint`` has the models, ``shown`` keeps what people can decide about, ``lessons`` are what
    earlier runs teach, ``config`` reads the repository's configuration, ``missing`` names
    permissions that are not accepted, once. Only an ``app`` opens pull requests that are no task's.
    ``is_wanted`` asks GitHub whether whoever started the run may still do so; ``ceilings`` are the
    operator's, ``within`` keeps to what models may cost.
    """

    deps: Deps
    endpoint: Endpoint
    progress: Progress
    shown: ShownProposals
    repository: GitHubRepository
    lessons: Lessons
    config: Callable[[], Awaitable[RepositoryConfig]]
    missing: Callable[[], Awaitable[str]]
    is_wanted: Callable[[], Awaitable[bool]]
    ceilings: Ceilings
    within: Callable[[Run, RepositoryConfig], Awaitable[Model]]
    app: bool

    async def limited(self, run: Run, config: RepositoryConfig) -> RunPorts:
        """Ask the model only as the limits allow. Raises ``Outage``."""
        model = await self.within(run, config)
        return replace(self, deps=replace(self.deps, model=model))


@dataclass(frozen=True)
class Begun:
    """A run with what it asks for, within its repository's configuration.

    ``started`` are the bases whose tests were seen to start: they are not looked at again.
    """

    run: Run
    request: Request
    config: RepositoryConfig
    ports: RunPorts
    started: MutableSet[str]

    @property
    def writes(self) -> bool:
        """Whether Cairn may write to the repository."""
        return self.config.github_mode != "disabled"

    @property
    def proposes(self) -> bool:
        """Whether pull requests may be opened that show no task's work."""
        return self.writes and self.ports.app
