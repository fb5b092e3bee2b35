"""``cairn run``: the loop on the checkout in front of you."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from app.composition_local import local_deps
from app.local_run import LocalRun
from app.logs import PLAIN, mask_for, secrets_of, set_up_logging
from app.settings import Problem, RunSettings, SettingsError, load_run_settings
from runner.adapters.clock import SystemClock
from runner.adapters.durable import take_folder
from runner.adapters.fanout import Fanout
from runner.adapters.json_lines import JsonLines, line
from runner.driver import Ended, drive
from runner.dry_run import lines, would_do
from runner.errors import PortError
from runner.nodes import NODES
from runner.nodes.run import parse_roadmap
from runner.ports import Events
from runner.report import markdown, report
from runner.state import Request, RunState, Status

EVERY_TASK = sys.maxsize
INTERRUPTED = (
    "Interrupted. What was committed stays, the task in hand was given up. Type `cairn run` again "
    "to go on with it."
)
_PAUSED_BEFORE_IT_BEGAN = frozenset({"model", "sandbox"})


def command(asked: LocalRun, *, dry: bool, json: bool, log_level: str) -> int:
    """Do what ``cairn run`` was asked for; the report goes to standard output.

    Returns the exit code of DESIGN §11; what cannot go on is said on standard error.
    """
    try:
        settings = load_run_settings()
        set_up_logging(log_level, secrets=secrets_of(settings), form=PLAIN)
        if dry:
            return _dry(asked, settings, json=json)
        return _run(asked, settings, json=json)
    except SettingsError as error:
        return _complain(str(error), 2)
    except PortError as error:
        return _complain(error.message, 4 if error.kind in _PAUSED_BEFORE_IT_BEGAN else 2)
    except KeyboardInterrupt:
        return _complain(INTERRUPTED, 130)


async def run_locally(asked: LocalRun, settings: RunSettings, listener: Events) -> Ended:
    """Drive a new run on the checkout. Raises ``PortError`` when it cannot even start."""
    request = Request(secrets.token_hex(5), asked.roadmap, asked.options)
    async with local_deps(asked, settings, listener) as (deps, repository):
        await repository.prepare()
        await repository.check_clean()
        await repository.stack()
        mine = _take(asked.folder / ".executor")
        try:
            await deps.sandbox.sweep()
            return await drive(request, NODES, deps)
        finally:
            os.close(mine)


async def read_locally(asked: LocalRun, settings: RunSettings) -> RunState:
    """Read the roadmap as a run would; nothing is asked and nothing is written."""
    request = Request("dry-run", asked.roadmap, asked.options)
    async with local_deps(asked, settings, Fanout(), dry=True) as (deps, _):
        return (await parse_roadmap(RunState(request), deps)).state


def exit_code(ended: Ended) -> int:
    """DESIGN §11: 4 paused, 2 no such work, 3 waits for approval, 1 something failed, 0 done."""
    if ended.status == "paused":
        return 4
    if ended.state.problem:
        return _without_work(ended.state)
    statuses = {attempt.status for attempt in ended.state.attempts.values()}
    if Status.AWAITING_APPROVAL in statuses:
        return 3
    unfinished = {Status.FAILED, Status.DEFERRED, Status.BLOCKED, Status.SKIPPED}
    return 1 if ended.state.stopping or statuses & unfinished else 0


def _run(asked: LocalRun, settings: RunSettings, *, json: bool) -> int:
    if settings.missing_model_key:
        raise SettingsError([Problem("OPENAI_API_KEY", settings.missing_model_key)])
    say = _speaker(settings)
    ended = asyncio.run(run_locally(asked, settings, JsonLines(say) if json else Fanout()))
    state = _as_told(ended)
    if json:
        say(line("report", state.request.id, report=report(state)))
    else:
        say(markdown(state))
    if ended.status == "paused":
        _complain(f"Paused: {mask_for(secrets_of(settings))(ended.reason)}", 4)
    return exit_code(ended)


def _as_told(ended: Ended) -> RunState:
    """The state for the report: a run that was paused has ended for now, and says why."""
    if ended.status != "paused":
        return ended.state
    now = SystemClock().now().timestamp()
    return replace(ended.state, ended=now, problem=f"Paused: {ended.reason}")


def _dry(asked: LocalRun, settings: RunSettings, *, json: bool) -> int:
    state = asyncio.run(read_locally(asked, settings))
    say = _speaker(settings)
    for text in _would_do(state) if json else lines(state):
        say(text)
    return _without_work(state) if state.problem else 0


def _without_work(state: RunState) -> int:
    """0 when all that was asked for was done before, 2 when there is no such work."""
    wanted = state.request.options.task
    asked = [t for t in state.tasks if t.kind == "work" and (not wanted or wanted in (t.key, t.id))]
    done = bool(asked) and all(state.status(task) is Status.COMPLETED for task in asked)
    return 0 if done else 2


def _would_do(state: RunState) -> list[str]:
    """One JSON line a task, in order, the report of what stands in the way last."""
    tasks = [
        line("would_do", "dry-run", task=task.key, id=task.id, title=task.title)
        for task in would_do(state)
    ]
    return [*tasks, line("report", "dry-run", report={"dry_run": True, "problem": state.problem})]


def _take(folder: Path) -> int:
    """Let one run at a time work on the checkout, and keep git from seeing what it leaves."""
    taken = take_folder(folder, name=str(folder))
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n")
    return taken


def _speaker(settings: RunSettings) -> Callable[[str], None]:
    mask = mask_for(secrets_of(settings))
    return lambda text: print(mask(text), flush=True)


def _complain(message: str, code: int) -> int:
    print(message, file=sys.stderr)
    return code
