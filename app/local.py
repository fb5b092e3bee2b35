"""``cairn run``: the loop on the checkout in front of you."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

from app.composition_local import local_deps
from app.settings import RunSettings
from runner.driver import Ended, drive
from runner.dry_run import lines
from runner.nodes import NODES
from runner.nodes.run import parse_roadmap
from runner.ports import Events
from runner.state import Options, Request, RunState, Status


@dataclass(frozen=True, slots=True)
class LocalRun:
    """What the command line was asked for; ``folder`` is a git checkout."""

    folder: Path
    roadmap: str
    options: Options
    branch: str | None
    sandbox: str


async def run_locally(asked: LocalRun, settings: RunSettings, listener: Events) -> Ended:
    """Drive a new run on the checkout. Raises ``PortError`` when it cannot even start."""
    request = Request(secrets.token_hex(5), asked.roadmap, asked.options)
    async with local_deps(asked, settings, listener) as (deps, repository):
        await repository.prepare()
        await repository.check_clean()
        return await drive(request, NODES, deps)


async def dry_run(asked: LocalRun, settings: RunSettings, listener: Events) -> list[str]:
    """List what a run would do; no model call, nothing written."""
    request = Request("dry-run", asked.roadmap, asked.options)
    async with local_deps(asked, settings, listener) as (deps, _):
        step = await parse_roadmap(RunState(request), deps)
        return lines(step.state)


def exit_code(ended: Ended) -> int:
    """DESIGN §11: 4 paused, 3 waits for approval, 1 something failed or is open, 0 all is done."""
    if ended.status == "paused":
        return 4
    statuses = {attempt.status for attempt in ended.state.attempts.values()}
    if Status.AWAITING_APPROVAL in statuses:
        return 3
    unfinished = {Status.FAILED, Status.DEFERRED, Status.BLOCKED, Status.SKIPPED}
    return 1 if ended.state.problem or ended.state.stopping or statuses & unfinished else 0
