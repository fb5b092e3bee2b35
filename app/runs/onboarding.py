"""What a set-up proposes to a repository, and which repositories are offered one unasked.

Somebody who installs an App on a whole organization does not want a pull request in each of its
repositories. So after an installation, Cairn looks only at repositories that were chosen (a few,
not "all"), and proposes something only where there is work for it: a roadmap, or labelled issues.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, MutableSet
from dataclasses import asdict

from app.github.api import RepositoryApi
from app.github.one_pull import Offered
from app.github.token_identity import READ, Identity
from app.runs.config_offer import ConfigOffer, advice, offer_text, refused
from app.runs.roadmap_offer import Labelled, RoadmapOffer, no_issues, roadmap_file, roadmap_text
from app.runs.setup_offer import SetupPulls
from app.store.queue import Queue
from app.store.runs import RunRequest
from handlers.grammar import ExecuteCommand
from handlers.ports import run_id
from handlers.pushes import InstallationChanged, NamedRepository
from runner.config.model import CONFIG_PATH, RepositoryConfig
from runner.errors import TaskError
from runner.loop.deps import Deps
from runner.ports import Repository
from runner.state.run_state import RunState
from runner.text.sanitize import sanitize

log = logging.getLogger(__name__)

MOST_WELCOMED = 20
"""An installation of more repositories was not made for each of them: none is offered anything."""


class SetUp:
    """Proposes what a repository lacks, in one pull request; ``config`` is offered by runs too."""

    def __init__(self, repository: Repository, pulls: SetupPulls, labelled: Labelled) -> None:
        self._repository = repository
        self._pulls = pulls
        self.config = ConfigOffer(repository, pulls)
        self._first = RoadmapOffer(repository, labelled)

    async def answer(
        self,
        state: RunState,
        deps: Deps,
        started: MutableSet[str],
        config: RepositoryConfig,
        *,
        asked: bool,
    ) -> str:
        """Propose it; say what there is and where it is proposed (Markdown).

        Unless it was ``asked`` for, what people closed is not proposed again. Doing it twice leaves
        one. Raises ``Outage`` or ``TaskError``.
        """
        said, found = await self.config.look(state, deps, started)
        base, path = state.stack.base, state.request.roadmap
        label = config.roadmap.label
        settings = await self.config.file(base, found) if found else None
        issues = await self._first.look(state, label)
        first = roadmap_file(path, issues) if issues else None
        starts = bool(first) and config.triggers.push == "execute"
        files = [file for file in (settings, first) if file]
        offered = await self._pulls.offer(base, files, asked=asked, starts=starts) if files else ""
        parts = [said]
        if found and isinstance(offered, Offered) and settings:
            parts.append(offer_text(found, offered))
        elif found:
            parts.append(refused(found, str(offered)) if settings else advice(found))
        if issues and isinstance(offered, Offered):
            parts.append(roadmap_text(path, issues, label, offered))
        elif issues:
            why = sanitize(str(offered), plain=True)
            parts.append(f"Cairn could not propose a `{path}`: {why}")
        elif base and not await self._first.has_roadmap(state):
            parts.append(no_issues(path, label, await self._first.similar(state)))
        return "\n\n".join(filter(None, parts))

    async def is_welcome(self, state: RunState, config: RepositoryConfig) -> bool:
        """Say whether something may be proposed unasked. Raises ``Outage`` or ``TaskError``."""
        base = state.stack.base
        if not base or CONFIG_PATH in (await self._repository.snapshot(base)).entries:
            return False
        if await self._first.has_roadmap(state):
            return True
        return bool(await self._first.look(state, config.roadmap.label))


class Welcome:
    """Has a new repository set up, once; ``look`` tells the worker."""

    def __init__(
        self, identity: Identity, queue: Queue, *, look: Callable[[], Awaitable[None]]
    ) -> None:
        self._identity = identity
        self._queue = queue
        self._look = look

    async def __call__(self, event: InstallationChanged) -> None:
        """Queue a set-up for each repository that came with an event. Raises ``Outage``."""
        if len(event.added) > MOST_WELCOMED:
            log.info("%s repositories were added: no set-up is proposed", len(event.added))
            return
        for each in event.added:
            try:
                await self._one(event, each)
            except TaskError as error:
                log.warning("No set-up is proposed to %s: %s", each.full_name, error.message)
        await self._look()

    async def _one(self, event: InstallationChanged, repository: NamedRepository) -> None:
        """Forks and archived repositories are left alone: their roadmap is somebody else's."""
        github = self._identity.client(
            installation_id=event.installation_id,
            repository_id=repository.id,
            permissions=READ,
        )
        found = await RepositoryApi(github, repository.full_name).repository()
        if found["fork"] or found["archived"]:
            return
        command = ExecuteCommand(path=RepositoryConfig().roadmap.path)
        await self._queue.start(_welcome(event, repository, found["default_branch"], command))


def _welcome(
    event: InstallationChanged, repository: NamedRepository, branch: str, command: ExecuteCommand
) -> RunRequest:
    """The row of a run that sets a repository up unasked: it has no comment."""
    return RunRequest(
        id=run_id(f"welcome {repository.id}"),
        delivery=event.delivery,
        repository_id=repository.id,
        repository=repository.full_name,
        installation_id=event.installation_id,
        issue=None,
        roadmap=command.path or "",
        base_branch=branch,
        request={**asdict(command), "setup": True, "unasked": True, "private": repository.private},
    )
