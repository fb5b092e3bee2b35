"""Which repositories are offered a set-up unasked.

Somebody who installs an App on a whole organization does not want a pull request in each of its
repositories. So after an installation, Cairn looks only at repositories that were chosen (a few,
not "all"), and proposes something only where there is work for it: a roadmap, or labelled issues.
"""

from __future__ import annotations

import logging
from dataclasses import asdict, replace

from app.github.token_identity import READ
from app.runs.service import RunService
from app.store.runs import RunRequest
from handlers.events import InstalledRepository
from handlers.grammar import ExecuteCommand
from handlers.ports import run_id
from handlers.pushes import InstallationChanged
from runner.config.model import RepositoryConfig
from runner.errors import TaskError

log = logging.getLogger(__name__)

MOST_WELCOMED = 20
"""An installation of more repositories was not made for each of them: none is offered anything."""


async def welcome(service: RunService, event: InstallationChanged) -> None:
    """Queue a set-up for each repository that came with an event, once. Raises ``Outage``."""
    if len(event.added) > MOST_WELCOMED:
        log.info("%s repositories were added: no set-up is proposed", len(event.added))
        return
    for each in event.added:
        try:
            await _one(service, event.delivery, each)
        except TaskError as error:
            log.warning("No set-up is proposed to %s: %s", each.full_name, error.message)
    await service.look()


async def _one(service: RunService, delivery: str, repository: InstalledRepository) -> None:
    """Forks and archived repositories are left alone: their roadmap is somebody else's."""
    found = await service.parts.api(repository, READ).repository()
    if found["fork"] or found["archived"]:
        return
    command = ExecuteCommand(path=RepositoryConfig().roadmap.path)
    asked = {"setup": True, "unasked": True, "private": repository.private}
    row = RunRequest(
        id=run_id(f"welcome {repository.id}"),
        delivery=delivery,
        repository=replace(repository, default_branch=found["default_branch"]),
        issue=None,  # it has no comment
        roadmap=command.path or "",
        request={**asdict(command), **asked},
    )
    await service.queue.start(row)
