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

from app.interrupts import CODE, KIND, Interrupts
from app.local.command import exit_code
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
from runner.errors import Outage, PortError
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
from runner.people.trust import MADE, trust_of
from runner.ports import Events, Fanout, SystemClock
from runner.roadmap.edit import find
from runner.state.options import Request
from runner.state.publishing import Stack
from runner.state.run_state import RunStack, RunState
from runner.text.counting import counted

log = logging.getLogger(__name__)

_UNPRICED = "price"
_REFUSED = (_UNPRICED, "model_name")
"""Why a model was not asked at all."""

_WORST_FIRST = (CODE, 2, 4, 3, 1, 0)


def exit_code_of(found: Sequence[tuple[str, Ended]]) -> int:
    """Return the exit code of the model that ended worst: 2 where it is not there, or no price."""
    codes = {2 if _is_refused(ended) else exit_code(ended) for _, ended in found}
    return next((code for code in _WORST_FIRST if code in codes), CODE)


def _is_refused(ended: Ended) -> bool:
    spent = total(attempt.spent.total for attempt in ended.state.attempts.values())
    return ended.status == "paused" and ended.kind in _REFUSED and not spent.calls


async def compare(
    asked: LocalRun,
    models: Sequence[str],
    settings: RunSettings,
    listener: Events,
    control: Interrupts,
    found: list[tuple[str, Ended]],
) -> None:
    """Let each model do the task that is asked for; ``found`` gets how each one's run ended.

    No branch, no file and nothing that later runs learn from changes. A limit of the command line
    holds for each model. Raises ``PortError`` before anything is paid for what cannot be compared.
    """
    await check_folder(asked)
    mine = take(asked.kept)
    try:
        requests, stack, unpriced = await _checked(asked, models, settings, listener)
        for model, request in zip(models, requests, strict=True):
            if why := unpriced.get(model):
                found.append((model, Ended("paused", RunState(request), _UNPRICED, why)))
                continue
            log.info(texts.works(model))
            found.append((model, await _done(request, stack, asked, settings, listener, control)))
            if found[-1][1].kind == KIND:
                break
    finally:
        os.close(mine)


async def _checked(
    asked: LocalRun, models: Sequence[str], settings: RunSettings, listener: Events
) -> tuple[list[Request], Stack, dict[str, str]]:
    """Make the request of each model, the commit that all begin with, and who has no price."""
    async with local_deps(asked, settings, listener) as here:
        await check_model(here)
        await here.repository.prepare()
        stack, requests, unpriced = await here.repository.stack(), [], dict[str, PortError]()
        try:
            await here.repository.check_clean()
        except Outage:  # nothing is written there
            log.info(texts.without_your_changes())
        for model in models:
            # each answers all questions itself, and nobody is asked about what it fails at
            only = {"model": model, "roles": {}, "recovery": False, "approval_mode": "review_only"}
            each = replace(asked, given={**asked.given, **only})
            requests.append(await request_of(secrets.token_hex(5), stack.tip, each, here))
            try:
                await check_prices(requests[-1], asked, settings, here)
            except PortError as error:
                unpriced[model] = error
        if len(unpriced) == len(models):
            raise unpriced[models[0]]
        await check_roadmap(requests[0], stack, here)
        work = TaskWork()
        state = (await parse_roadmap(RunState(requests[0]), here.deps, work)).state
        if state.problem:
            raise PortError("file", state.problem)
        try:
            await check_tests(requests[0], here, asked.kept, work)
        finally:
            await work.sandbox.close()
    return requests, stack, {model: error.message for model, error in unpriced.items()}


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
    models = report["models"]
    cells = [
        (
            (row["status"] or "not begun").replace("_", " "),
            "tests fail" if row["verdict"] == "failed" else row["verdict"] or "",
            *(
                ", ".join(row[name][:3]) + " …" * (len(row[name]) > 3)
                for name in ("shown_by", "failing")
            ),
            *(_amounts(row, report["id"]) if row["calls"] else [""] * 6),
        )
        for row in models
    ]
    names = ("Status", "Verdict", "Shown by", "Failing", *_AMOUNTS)
    head = ("", *(row["model"] for row in models))
    title = texts.compared(report)
    rows = (row for row in zip(names, *cells, strict=True) if any(row[1:]))
    return HistoryTable(title, head, tuple(rows))


_AMOUNTS = ("Tokens", "Cost", "Seconds", "Calls", "Change", "Read")


def _amounts(row: dict[str, Any], task: str) -> Sequence[str]:
    return (
        f"{row['tokens']:,}" + (f" ({row['cached']:,} from a cache)" if row["cached"] else ""),
        "unknown" if row["cost"] is None else dollars(row["cost"]),
        f"{row['seconds']:.1f}",
        str(row["calls"]),
        f"{counted(len(row['files']), 'file')}, {counted(row['lines'], 'line')}",
        f"cairn show {row['run']} {task}",
    )


def _row(model: str, ended: Ended) -> dict[str, Any]:
    state = ended.state
    task = find(state.roadmap, state.request.options.scope.task) if state.roadmap else None
    attempt = state.attempts.get(task.key) if task else None
    # a change that nothing judged is none that no test concerns
    trust = trust_of(attempt) if attempt and attempt.tested.verification else None
    stopped = "refused" if _is_refused(ended) else "stopped" * (ended.status == "paused")
    red = bool(attempt and trust and trust.red and attempt.status not in MADE)
    found = attempt.tested.verification if attempt and red else None
    spent = attempt.spent.total if attempt else total(())
    return {
        "model": model,
        "run": state.request.id,
        "task": task.key if task else None,
        "status": stopped or (str(attempt.status) if attempt else None),
        "verdict": "failed" if red else trust.verdict if trust else None,
        "shown_by": list(trust.turned) if trust else [],
        "failing": [failure.test for failure in found.failures] if found else [],
        "why": attempt.failure.message if attempt and attempt.failure else "",
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
