"""``cairn run --compare``: one task done by several models, each in a copy of its own."""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from app.interrupts import KIND, Interrupts
from app.local.compose import local_deps
from app.local.files import take
from app.local.options import LocalRun
from app.local.replay import PastDecisions, PastReviews
from app.local.report import (
    check_folder,
    check_model,
    check_prices,
    check_roadmap,
    check_tests,
)
from app.local.work import limited, request_of
from app.settings import RunSettings
from app.texts import checkout_texts as texts
from runner.errors import PortError
from runner.files.decisions import COMPARISON, KnownRun
from runner.files.results import MEMORY, FileMemory, RunFiles
from runner.git.past_repository import PastRepository
from runner.loop.deps import EarlierRuns, TaskWork
from runner.loop.driver import drive
from runner.loop.recorder import Isolated
from runner.loop.task_pool import Ended
from runner.money import dollars, total
from runner.nodes import NODES
from runner.nodes.run import parse_roadmap
from runner.people.history_sentences import HistoryTable
from runner.people.trust import trust_of
from runner.ports import Events, Fanout, SystemClock
from runner.roadmap.edit import find
from runner.state.options import Request
from runner.state.publishing import Stack
from runner.state.run_state import RunStack, RunState
from runner.text.counting import counted

log = logging.getLogger(__name__)


async def compare(
    asked: LocalRun,
    models: Sequence[str],
    settings: RunSettings,
    listener: Events,
    control: Interrupts,
) -> list[tuple[str, Ended]]:
    """Let each model do the task that is asked for; return how each one's run ended.

    No branch, no file and nothing that later runs learn from changes. A limit of the command line
    holds for each model. Raises ``PortError`` before anything is paid for what cannot be compared.
    """
    await check_folder(asked)
    mine = take(asked.kept)
    try:
        requests, stack = await _checked(asked, models, settings, listener)
        found = []
        for model, request in zip(models, requests, strict=True):
            log.info(texts.works(model))
            found.append((model, await _done(request, stack, asked, settings, listener, control)))
            if found[-1][1].kind == KIND:
                break
        return found
    finally:
        os.close(mine)


async def _checked(
    asked: LocalRun, models: Sequence[str], settings: RunSettings, listener: Events
) -> tuple[list[Request], Stack]:
    """Make the request of each model, and the commit that all begin with."""
    async with local_deps(asked, settings, listener) as here:
        await check_model(here)
        await here.repository.prepare()
        if not asked.dirty:
            await here.repository.check_clean()
        stack, requests = await here.repository.stack(), []
        for model in models:
            # each answers all questions itself, and nobody is asked about what it fails at
            only = {"model": model, "roles": {}, "recovery": False, "approval_mode": "review_only"}
            each = replace(asked, given={**asked.given, **only})
            requests.append(await request_of(secrets.token_hex(5), stack.tip, each, here))
            await check_prices(requests[-1], asked, settings, here)
        await check_roadmap(requests[0], stack, here)
        work = TaskWork()
        state = (await parse_roadmap(RunState(requests[0]), here.deps, work)).state
        if state.problem:
            raise PortError("file", state.problem)
        try:
            await check_tests(requests[0], here, asked.kept, work)
        finally:
            await work.sandbox.close()
    return requests, stack


async def _done(
    request: Request,
    stack: Stack,
    asked: LocalRun,
    settings: RunSettings,
    listener: Events,
    control: Interrupts,
) -> Ended:
    """Do the task in a run whose commits belong to no branch."""
    async with local_deps(asked, settings, listener, control=control) as here:
        here = await limited(asked, settings, stack.tip, here)
        began = SystemClock().now().timestamp()
        run = KnownRun(request.id, roadmap=request.roadmap, began=began, replay_of=COMPARISON)
        here.kept.runs.put(run)
        with tempfile.TemporaryDirectory() as folder, control.patient():
            memory = Path(folder) / MEMORY
            if (known := asked.kept / MEMORY).exists():
                shutil.copy(known, memory)
            then = RunStack(tip=stack.tip, branch=stack.branch)
            files = RunFiles(asked.kept, mask=here.deps.mask, reports=False)
            deps = replace(
                here.deps,
                repository=PastRepository(
                    here.repository, then, partial(texts.commit_gone, request.id, "")
                ),
                decisions=PastDecisions(()),
                reviews=PastReviews(),
                events=Fanout(Isolated(files), listener),
                earlier=EarlierRuns(FileMemory(memory, mask=str), here.deps.earlier.past),
            )
            ended = await drive(request, NODES, deps)
        stopped = ended.reason if ended.status == "paused" else ""
        here.kept.runs.put(replace(run, state="stopped" if stopped else "ended", reason=stopped))
        return ended


def report_of(found: Sequence[tuple[str, Ended]]) -> dict[str, Any]:
    """What each model made of the task, for programs."""
    id = found[0][1].state.request.options.scope.task
    return {"id": id, "models": [_row(model, ended) for model, ended in found]}


def as_table(report: dict[str, Any]) -> HistoryTable:
    """The same for people: a column for each model."""
    rows = report["models"]
    cells = [
        (
            "stopped" if row["stopped"] else (row["status"] or "not begun").replace("_", " "),
            row["verdict"] or "",
            ", ".join(row["shown_by"][:3]) + " …" * (len(row["shown_by"]) > 3),
            f"{row['tokens']:,}" + (f" ({row['cached']:,} from a cache)" if row["cached"] else ""),
            "unknown" if row["cost"] is None else dollars(row["cost"]),
            f"{row['seconds']:.1f}",
            str(row["calls"]),
            f"{counted(len(row['files']), 'file')}, {counted(row['lines'], 'line')}",
            f"cairn show {row['run']} {report['id']}",
        )
        for row in rows
    ]
    names = "Status", "Verdict", "Shown by", "Tokens", "Cost", "Seconds", "Calls", "Change", "Read"
    head = ("", *(row["model"] for row in rows))
    title = texts.compared(report)
    return HistoryTable(title, head, tuple(zip(names, *cells, strict=True)))


def _row(model: str, ended: Ended) -> dict[str, Any]:
    state = ended.state
    task = find(state.roadmap, state.request.options.scope.task) if state.roadmap else None
    attempt = state.attempts.get(task.key) if task else None
    trust = trust_of(attempt) if attempt else None
    spent = attempt.spent.total if attempt else total(())
    return {
        "model": model,
        "run": state.request.id,
        "task": task.key if task else None,
        "status": str(attempt.status) if attempt else None,
        "verdict": trust.verdict if trust else None,
        "shown_by": list(trust.turned) if trust else [],
        "calls": spent.calls,
        "tokens": spent.tokens,
        "cached": spent.cached,
        "cost": spent.known_cost,
        "seconds": round(total(attempt.spent.usage.values()).seconds, 1) if attempt else 0.0,
        "files": sorted(attempt.answered.changes.files) if attempt else [],
        "lines": attempt.answered.lines if attempt else 0,
        "commit": (attempt.published.commit or None) if attempt else None,
        "stopped": ended.reason if ended.status == "paused" else None,
    }
