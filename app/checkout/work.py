"""Drive a run on the checkout: a new one, or one that is taken up again."""

from __future__ import annotations

import logging
import os
import secrets
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from app.checkout.asked import LocalRun
from app.checkout.config import options_for, read_config
from app.checkout.refuse import (
    check_folder,
    check_model,
    check_place,
    check_prices,
    check_roadmap,
    refused,
)
from app.checkout.resume import taken_up
from app.checkout.runs import unfinished, waiting
from app.checkout.stop import KIND, Interrupts
from app.checkout.text import unfinished_notice
from app.composition.checkout import Here, local_deps
from app.settings import RunSettings
from runner.adapters.durable import take_folder
from runner.adapters.fanout import Fanout
from runner.adapters.file_runs import KnownRun, State
from runner.driver import drive
from runner.errors import PortError
from runner.flights import Ended
from runner.nodes import NODES
from runner.nodes.run import parse_roadmap
from runner.ports import Decision, Events
from runner.state import Request, RunState

log = logging.getLogger(__name__)

_STATES: dict[str, State] = {
    "ended": "ended",
    "cancelled": "cancelled",
    "resting": "resting",
    "paused": "paused",
}
_GOES_ON: tuple[State, ...] = ("interrupted", "paused")


async def run_locally(asked: LocalRun, settings: RunSettings, listener: Events) -> Ended:
    """Drive a run on the checkout until it stops.

    Raises ``PortError`` when it cannot even start, ``ConfigError`` for the repository's settings.
    """
    await check_folder(asked)
    control = Interrupts()
    async with local_deps(asked, settings, listener, control=control) as here:
        if not asked.run:
            await check_model(here)
        await here.repository.prepare()
        await here.repository.check_clean(dirty=asked.dirty)
        stack = await here.repository.stack()
        if not asked.run:
            request = await _request("new", asked, here)
            check_prices(request, asked, settings)
            await check_roadmap(request, stack, here)
        mine = _take(asked.kept)
        try:
            with control.heard():
                return await _driven(await _request_of(asked, here), asked, here)
        finally:
            os.close(mine)


async def _request_of(asked: LocalRun, here: Here) -> Request:
    request = await (taken_up if asked.run else _new)(asked, here)
    here.repository.ticks(request.roadmap)
    if asked.dirty:
        await here.repository.check_clean(request.roadmap)
    await here.deps.sandbox.sweep()
    return request


async def read_locally(asked: LocalRun, settings: RunSettings) -> RunState:
    """Read the roadmap as a run would; nothing is asked and nothing is written."""
    await check_place(asked)
    async with local_deps(asked, settings, Fanout(), dry=True) as here:
        request = await _request("dry-run", asked, here)
        return (await parse_roadmap(RunState(request), here.deps)).state


async def _request(run: str, asked: LocalRun, here: Here) -> Request:
    config = await read_config(here.deps, (await here.repository.stack()).tip)
    return Request(run, asked.roadmap or config.roadmap.path, options_for(asked, config))


async def _new(asked: LocalRun, here: Here) -> Request:
    """Begin anew, beside what older runs have left open."""
    request = await _request(secrets.token_hex(5), asked, here)
    for run, _ in await unfinished(here.kept):
        if run.state in _GOES_ON:
            log.info(unfinished_notice(run))
    await _leave_to_people(request, here)
    return request


async def _leave_to_people(request: Request, here: Here) -> None:
    """Leave tasks with an open proposal alone; one that is asked for by name is taken up anew."""
    left = []
    for each in await waiting(here.kept):
        task, wanted = each.state.task, request.options.task
        if each.state.request.roadmap != request.roadmap or each.published:
            continue
        if wanted in (task.key, task.id):
            again = Decision(
                task.key,
                "defer",
                by=await here.repository.person(),
                why=f"it is worked on again in run {request.id}",
                channel="retry",
                at=datetime.now(UTC).isoformat(timespec="seconds"),
                fingerprint=each.proposal.fingerprint,
            )
            here.kept.inbox.store(each.run.id, again)
        elif each.decision is None or each.decision.channel != "retry":
            left.append(task.key)
    here.repository.leave(left)


async def _driven(request: Request, asked: LocalRun, here: Here) -> Ended:
    """Drive it, and keep how it stands; what dies on the way stays "working", in vain."""
    runs, budget = here.kept.runs, asked.budget
    before = next((run for run in runs.all() if run.id == request.id), None)
    run = KnownRun(
        request.id,
        roadmap=request.roadmap,
        began=before.began if before else datetime.now(UTC).timestamp(),
        sandbox=asked.sandbox,
        max_cost=budget.cost,
        max_tokens=budget.tokens,
    )
    runs.put(run)
    ended = await drive(request, NODES, here.deps)
    if not asked.run and (error := refused(ended)):
        runs.put(replace(run, state="ended", reason=error.message))
        raise error
    state = "interrupted" if ended.kind == KIND else _STATES[ended.status]
    runs.put(replace(run, state=state, reason=ended.reason, until=ended.until))
    return ended


def _take(folder: Path) -> int:
    """Let one run at a time work on the checkout, and keep git from seeing what it leaves."""
    taken = take_folder(folder, name=str(folder))
    ignore = folder / ".gitignore"
    try:
        if not ignore.exists():
            ignore.write_text("*\n")
    except OSError as error:
        os.close(taken)
        raise PortError("file", f"{ignore} cannot be written: {error.strerror}") from error
    return taken
