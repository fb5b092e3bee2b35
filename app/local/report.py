"""What ``cairn run``, ``resume`` and ``status`` print, and the checks before a run starts."""

from __future__ import annotations

import asyncio
import json as jsonlib
import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from app.local.compose import LocalCheckout, checkout_in, kept_in, prices_of, repository_in
from app.local.files import beside, started_bases
from app.local.options import FOLDER, ON_A_CHECKOUT, LocalRun
from app.local.runs import MOST_ENDED, PendingProposal, answerable, as_it_stands, states
from app.logs import mask_for, secrets_of
from app.settings import RunSettings
from app.terminal import any_encoding, is_plain, printable, say
from app.texts import checkout_texts as texts
from runner.config.model import CONFIG_PATH, RepositoryConfig
from runner.errors import Outage, PortError
from runner.files.decisions import KnownRun
from runner.files.results import line
from runner.loop.deps import TaskWork
from runner.loop.driver import MARK, lines, would_do
from runner.loop.problems import missing_roadmap
from runner.loop.task_pool import Ended
from runner.model.prices import unknown_price
from runner.nodes.preflight import preflight
from runner.nodes.run import parse_roadmap
from runner.people.report import markdown, report, table
from runner.people.run_view import view_of
from runner.people.trust import MADE
from runner.ports import SystemClock
from runner.roadmap.named_work import in_phase
from runner.state.options import Request
from runner.state.publishing import Stack
from runner.state.run_state import RunState, Status

if TYPE_CHECKING:
    from runner.analysis.preview import CostPreview

DRY = "dry-run"


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """How much is shown, and in which form."""

    json: bool = False
    log_level: str = "info"
    verbose: bool = False


def speaker(settings: RunSettings, output: OutputFormat) -> Callable[[str], None]:
    """Return what prints a text on standard output, without secrets and with nothing active."""
    mask = mask_for(secrets_of(settings))
    # JSON itself escapes control characters
    return lambda text: say(mask(text) if output.json else printable(mask(text)))


def tell(
    ended: Ended,
    waits: Sequence[PendingProposal],
    settings: RunSettings,
    output: OutputFormat,
    *,
    live: bool,
) -> None:
    """Print what the run did; last what waits for a decision."""
    state, write = _final_state(ended), speaker(settings, output)
    if output.json:
        _tell_programs(state, waits, write)
        return
    if ended.state.problem and not ended.state.attempts:  # it took up nothing
        write(ended.state.problem)
        return
    view = view_of(state)
    if live:
        say(_drawn(state, mask_for(secrets_of(settings))), end="")
    else:
        write(markdown(state, view))
    if reviewing := [t for t in view.tasks if t.status is Status.IN_REVIEW]:
        say(texts.how_to_accept(reviewing), stream=sys.stderr)
    for each in waits:
        say(texts.how_to_answer(each), stream=sys.stderr)


def tell_dry(
    state: RunState, expected: CostPreview | None, settings: RunSettings, output: OutputFormat
) -> None:
    """Print what a run would do and take: marked lines, or one object a line."""
    write = speaker(settings, output)
    for text in _would_do(state, expected) if output.json else lines(state):
        write(text)
    tasks = len(would_do(state))
    if tasks and not state.problem and not output.json:
        from runner.people.analysis_sentences import preview_text

        write(f"{MARK} {preview_text(expected, tasks)}")


def _tell_programs(
    state: RunState, waits: Sequence[PendingProposal], write: Callable[[str], None]
) -> None:
    for each in waits:
        proposal = each.proposal
        about = {"task": proposal.task, "proposal": proposal.id, "strategy": proposal.strategy}
        write(line("proposal", state.request.id, **about))
    write(line("report", state.request.id, report=report(state)))


def _drawn(state: RunState, mask: Callable[[str], str]) -> str:
    """The summary as the terminal takes it."""
    from rich.console import Console

    from app.show.ending import ending
    from app.show.live import Look

    console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
    look = Look(console.width, console.height, plain=is_plain(sys.stdout), safe=mask)
    with console.capture() as caught:
        for part in ending(state, look):
            console.print(part)
    return mask(caught.get())


def _final_state(ended: Ended) -> RunState:
    """The state for the report: a run that stopped has ended for now; one paused says why."""
    if ended.status not in ("paused", "waiting"):
        return ended.state
    problem = f"Paused: {ended.reason}" if ended.status == "paused" else ended.state.problem
    times = replace(ended.state.times, ended=SystemClock().now().timestamp())
    return replace(ended.state, times=times, problem=problem)


def _would_do(state: RunState, expected: CostPreview | None) -> list[str]:
    """One JSON line per task, in order, then the report of what blocks the run; all marked."""
    from runner.people.analysis_sentences import preview_json

    tasks = [
        line("would_do", DRY, task=task.key, id=task.id, title=task.title, dry_run=True)
        for task in would_do(state)
    ]
    last = {"dry_run": True, "problem": state.problem, "expected": preview_json(expected)}
    return [*tasks, line("report", DRY, report=last, dry_run=True)]


def command(folder: Path, *, json: bool) -> int:
    """Print the newest runs; 2 when what they left cannot be read."""
    any_encoding()
    try:
        found = asyncio.run(_read(folder))
    except PortError as error:
        print(error.message, file=sys.stderr)
        return 2
    if json:
        runs = [run_object(*each[:3]) for each in found]
        say(jsonlib.dumps({"runs": runs}, ensure_ascii=False))
        return 0
    # what was only played says nothing about how the plan stands
    work = next((run for run, *_ in found if not run.replay_of), None)
    for each in found:
        say(run_text(*each, tasks=each[0] is work))
    if not found:
        say(texts.no_run())
    return 0


Found = tuple[KnownRun, RunState, list[PendingProposal], str]


async def _read(folder: Path) -> list[Found]:
    kept = kept_in(folder / FOLDER)
    waits, repository = await answerable(kept), await repository_in(folder)
    found: list[Found] = []
    runs = kept.runs.all(replays=True)
    replays = [run for run in runs if run.replay_of][:MOST_ENDED]
    work = [run for run in runs if not run.replay_of][:MOST_ENDED]
    shown = [run for run in runs if run in work or run in replays]  # the newest first
    for run, left in await states(shown, kept):
        state, elsewhere = await as_it_stands(repository, folder, run, left)
        found.append((run, state, [w for w in waits if w.run.id == run.id], elsewhere))
    return found


def run_text(
    run: KnownRun,
    state: RunState,
    waits: Sequence[PendingProposal],
    elsewhere: str = "",
    *,
    tasks: bool = True,
) -> str:
    """A run: how it stands, its ``tasks``, and what to type to answer or to continue it.

    Without its tasks, those that it took up are counted. ``elsewhere`` is its branch where that is
    not the one that is checked out.
    """
    views = [task for task in view_of(state).tasks if tasks or task.touched]
    counts = Counter(task.stands for task in views)
    done = ", ".join(f"{number} {status}" for status, number in counts.items())
    began = datetime.fromtimestamp(run.began, UTC).isoformat(" ", "minutes")[:16]
    shown = views if tasks else []
    reviewing = [task for task in shown if task.status is Status.IN_REVIEW]
    return texts.run(run, state, began, done, shown, reviewing, waits, elsewhere)


def run_object(
    run: KnownRun,
    state: RunState,
    open_: Sequence[PendingProposal],
) -> dict[str, object]:
    """The same for programs."""
    return {
        "run": run.id,
        "replay_of": run.replay_of or None,
        "state": run.state,
        "reason": run.reason,
        "until": run.until.isoformat() if run.until else None,
        "roadmap": state.request.roadmap,
        "branch": state.stack.branch,
        "began": datetime.fromtimestamp(run.began, UTC).isoformat(timespec="seconds"),
        "tasks": table(state),
        "proposals": [
            {
                "id": each.proposal.id,
                "task": each.proposal.task,
                "kind": each.proposal.kind,
                "strategy": each.proposal.strategy,
                "reason": each.proposal.reason,
                "explanation": each.proposal.explanation,
                "evidence": list(each.proposal.evidence),
                "tasks": [task.text for task in each.proposal.replacements],
                "decision": each.decision.verdict if each.decision else None,
            }
            for each in open_
        ],
    }


async def check_folder(asked: LocalRun) -> None:
    """Raise ``PortError`` for a folder that cannot be written, or that is not a project."""
    if not os.access(asked.folder, os.W_OK | os.X_OK):
        raise PortError("file", texts.not_writable(asked.folder))
    await check_place(asked)


async def check_place(asked: LocalRun) -> None:
    """Raise ``PortError`` for a plain folder without a roadmap, or a branch of one.

    This is checked before it is read completely: it could be somebody's home.
    """
    folder, path = asked.folder, asked.roadmap or RepositoryConfig().roadmap.path
    if asked.run or asked.branch or (folder / CONFIG_PATH).is_file() or (folder / path).is_file():
        return
    if await checkout_in(folder) is None:
        raise PortError(
            "file", missing_roadmap(path, ON_A_CHECKOUT, beside(folder), "in this folder")
        )


async def check_model(here: LocalCheckout) -> None:
    """Raise ``PortError`` when nothing answers where the model should be, or the key is wrong."""
    try:
        await here.model.offered()
    except Outage as outage:
        wrong_key = outage.kind == "credential"
        text = (
            texts.nothing_changed(outage.message) if wrong_key else texts.no_answer(outage.message)
        )
        raise PortError("credential", text) from outage


async def check_roadmap(request: Request, stack: Stack, here: LocalCheckout) -> None:
    """Raise ``PortError`` when the commit a run would build on has no roadmap with such work."""
    entries = (await here.repository.snapshot(stack.tip)).entries
    if request.roadmap not in entries:
        raise PortError(
            "file",
            texts.not_committed(request.roadmap)
            if request.roadmap in beside(Path())
            else missing_roadmap(
                request.roadmap,
                ON_A_CHECKOUT,
                entries,
                projects=request.options.projects.plans,
            ),
        )
    state = (await parse_roadmap(RunState(request), here.deps, TaskWork())).state
    if state.problem and without_work(state) == 2:
        raise PortError("file", state.problem)


async def check_tests(request: Request, here: LocalCheckout, kept: Path, work: TaskWork) -> None:
    """Raise ``PortError`` when the tests of the commit a run would build on cannot start."""
    state = (await parse_roadmap(RunState(request), here.deps, work)).state
    with started_bases(kept / "started.json") as started:
        found = await preflight(state, here.deps, started, work.sandbox)
    if found:
        raise PortError("environment", texts.tests_cannot_start(str(found)))


def without_work(state: RunState) -> int:
    """The exit code of a run that has nothing to do.

    0 when all that was asked for was done before or is in review, 3 when it waits for a person, 2
    when there is no such work.
    """
    scope = state.request.options.scope
    statuses = {
        state.status(task)
        for task in state.tasks
        if task.kind == "work"
        and (not scope.task or scope.task in (task.key, task.id))
        and (not scope.phase or in_phase(task, scope.phase))
    }
    if Status.AWAITING_APPROVAL in statuses:
        return 3
    return 0 if statuses and statuses <= MADE else 2


async def check_prices(
    request: Request, asked: LocalRun, settings: RunSettings, here: LocalCheckout
) -> None:
    """Raise ``PortError`` when a limit of money is set and the price of a model is unknown."""
    if asked.budget.cost is None:
        return
    prices = prices_of(settings)
    for name in request.options.models.named(settings.cairn_model):
        if prices.cost(name, 1, 1) is None:
            wrong = await here.model.unlisted(name)
            why = unknown_price(name, repeats=asked.repeats)
            raise PortError("budget", f"{wrong} {why} Nothing was changed.".lstrip())


def refused(ended: Ended) -> PortError | None:
    """What a new run is refused for: its very first question named a model that is not there."""
    spent = any(attempt.spent.total.calls for attempt in ended.state.attempts.values())
    if ended.status != "paused" or ended.kind != "model_name" or spent:
        return None
    return PortError(ended.kind, texts.nothing_changed(ended.reason))
