"""``cairn run`` and ``cairn resume``: what they print, ask and end with."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Collection
from dataclasses import replace
from json import dumps
from time import time
from typing import TYPE_CHECKING, Literal

from app.interrupts import CODE, Interrupts, heard_enough
from app.interrupts import KIND as INTERRUPT
from app.local.compose import kept_in
from app.local.options import LocalRun
from app.local.report import OutputFormat, speaker, tell, tell_dry, without_work
from app.local.runs import LocalStore, PendingProposal, answerable, named, parked, undecided
from app.local.work import read_locally, run_locally
from app.logs import PLAIN, mask_for, secrets_of, set_up_logging
from app.settings import (
    RunSettings,
    SettingsError,
    SettingsProblem,
    keep_private,
    load_run_settings,
)
from app.show.watching import watching
from app.terminal import any_encoding, at_terminal, is_live, printable, say
from app.texts import checkout_texts as texts
from runner.config.reading import ConfigError
from runner.errors import PortError
from runner.files.decisions import OVER, KnownRun
from runner.files.results import JsonLines
from runner.loop.driver import MARK
from runner.loop.task_pool import Ended
from runner.model.budget import Budget
from runner.money import NO_LIMIT
from runner.ports import Fanout
from runner.state.options import LONGEST_NOTE
from runner.state.run_state import Status

if TYPE_CHECKING:
    from app.local.replay import Replay

_PAUSED = frozenset({"model", "sandbox"})
"""What keeps a run that has begun from continuing, but may be over soon."""

log = logging.getLogger(__name__)


def command(
    asked: LocalRun, output: OutputFormat, *, dry: bool = False, prompt: bool = False
) -> int:
    """Do what ``cairn run`` was asked for; the report goes to standard output.

    Returns the exit code (docs/design.md, "Exit codes"); standard error says what cannot continue.
    A ``dry`` run lists the tasks; with ``prompt`` it shows the first question.
    """

    if prompt and not output.verbose:
        output = replace(output, log_level="error")  # nothing of what it does is news

    def work(settings: RunSettings) -> int:
        if prompt:
            from app.local.prompt import show

            return show(asked, settings, output)
        if not dry:
            return _run(asked, settings, output)
        state, expected = asyncio.run(read_locally(asked, settings))
        tell_dry(state, expected, settings, output)
        return without_work(state) if state.problem else 0

    return telling(work, output, mark=f"{MARK} " if dry else "")


def resume(asked: LocalRun, output: OutputFormat) -> int:
    """Continue the run that is named, or the newest that can continue."""

    def work(settings: RunSettings) -> int:
        run = _to_resume(asked.run, kept_in(asked.kept))
        if run is None:
            return _complain(texts.nothing_to_resume(), 2)
        # the options given when the run began, except those given again
        cost = run.max_cost if asked.budget.cost is None else asked.budget.cost
        tokens = run.max_tokens if asked.budget.tokens is None else asked.budget.tokens
        budget = Budget(None if cost == NO_LIMIT else cost, None if tokens == NO_LIMIT else tokens)
        sandbox = asked.sandbox or run.sandbox
        lifted: dict[Literal["cost", "tokens"], bool] = {
            "cost": "cost" in run.lifted or asked.budget.cost is not None,
            "tokens": "tokens" in run.lifted or asked.budget.tokens is not None,
        }
        now = tuple(name for name, is_lifted in lifted.items() if is_lifted)
        before = replace(asked, run=run.id, sandbox=sandbox, budget=budget, lifted=now)
        return _run(before, settings, output)

    return telling(work, output, resuming=True)


def replay(wanted: Replay, asked: LocalRun, output: OutputFormat) -> int:
    """Play a run again: 0 it ends as it did, 1 something is different, 4 it stopped before."""
    from app.local.replay import play

    def work(settings: RunSettings) -> int:
        if wanted.ask:
            check_key(settings)
        control = Interrupts(texts.replay_cut)
        try:
            with watching(mask_for(secrets_of(settings))) as listener:
                told = Fanout() if output.json else listener
                ended, report = control.run(play(wanted, asked, settings, told, control))
        except KeyboardInterrupt:
            raise KeyboardInterrupt(texts.replay_cut()) from None
        speaker(settings, output)(dumps(report) if output.json else texts.replayed(report))
        if why := report["stopped"]:
            code = CODE if ended.kind == INTERRUPT else 4
            return _complain(f"Stopped: {mask_for(secrets_of(settings))(why)}", code)
        return 0 if report["same"] else 1

    return telling(work, output)


def compared(asked: LocalRun, named: str, output: OutputFormat, *, dry: bool) -> int:
    """Have one task done by several models; the exit code of the one that ended worst."""
    from app.local.compare import as_table, compare, exit_code_of, report_of
    from runner.people.history_sentences import as_lines

    models = [name for each in named.split(",") if (name := each.strip())]

    def work(settings: RunSettings) -> int:
        others = {"--dry-run or --show-prompt": dry, "--branch": asked.branch}
        others |= {f"--{name}": name in asked.given for name in ("model", "phase")}
        if wrong := next((name for name, given in others.items() if given), ""):
            return _complain(texts.not_compared(wrong), 2)
        if "task" not in asked.given:
            return _complain(texts.compares_a_task(), 2)
        if len(models) < 2:
            return _complain(texts.one_model(models), 2)
        if twice := next((name for name in models if models.count(name) > 1), ""):
            return _complain(texts.same_model(twice), 2)
        check_key(settings)
        control, mask = Interrupts(texts.compare_cut), mask_for(secrets_of(settings))
        found: list[tuple[str, Ended]] = []
        cut = False
        try:
            with watching(mask) as listener:
                told = Fanout() if output.json else listener
                each = replace(asked, repeats=True)
                control.run(compare(each, models, settings, told, control, found))
        except KeyboardInterrupt:
            cut = True
        if cut and not found:
            raise KeyboardInterrupt(texts.compare_cut())
        report = report_of(found)
        shown = dumps(report) if output.json else "\n".join(as_lines(as_table(report)))
        speaker(settings, output)(shown)
        for row in report["models"]:
            if row["stopped"]:
                _complain(mask(texts.model_stopped(row)), 4)
        code = CODE if cut else exit_code_of(found)
        return _complain(texts.compare_cut(), code) if code == CODE else code

    return telling(work, output)


def check_key(settings: RunSettings) -> None:
    """Raise ``SettingsError`` where a model cannot be asked."""
    if settings.missing_model_key:
        raise SettingsError([SettingsProblem("OPENAI_API_KEY", settings.missing_model_key)])


def exit_code(ended: Ended) -> int:
    """130 interrupted, 4 paused, 2 no such work, 3 waits, 1 failed, 0 done."""
    if ended.status == "paused":
        return CODE if ended.kind == INTERRUPT else 4
    if ended.state.problem:
        return without_work(ended.state)
    statuses = {attempt.status for attempt in ended.state.attempts.values()}
    statuses |= {Status.BLOCKED} if ended.state.blocked_by else set()
    if Status.AWAITING_APPROVAL in statuses:
        return 3
    unfinished = {Status.FAILED, Status.DEFERRED, Status.BLOCKED, Status.SKIPPED}
    return 1 if ended.state.stopping or statuses & unfinished else 0


def telling(
    work: Callable[[RunSettings], int],
    output: OutputFormat,
    *,
    mark: str = "",
    resuming: bool = False,
) -> int:
    """Do the work; what keeps it from going on becomes a sentence and an exit code.

    ``mark`` begins every line of it. Only a run that began before (``resuming``) can be paused.
    """
    any_encoding()
    try:
        settings = load_run_settings()
        level = "debug" if output.verbose else output.log_level
        set_up_logging(level, secrets=secrets_of(settings), form=mark + PLAIN)
        keep_private()
        return work(settings)
    except SettingsError as error:
        return _complain(str(error), 2, mark=mark)
    except ConfigError as error:
        return _complain(texts.config_faults(error), 2, mark=mark)
    except PortError as error:
        log.debug("Where it happened:", exc_info=error)
        code = 4 if resuming and error.kind in _PAUSED else 2
        return _complain(error.message, code, mark=mark)
    except KeyboardInterrupt as interrupt:
        heard_enough()
        return _complain(
            str(interrupt) or (texts.not_continued() if resuming else texts.not_begun()),
            CODE,
            mark=mark,
        )


def _to_resume(wanted: str, kept: LocalStore) -> KnownRun | None:
    """The run that is named by its id or the beginning of it; else one that can continue now."""
    if wanted:
        run = named(kept.runs.all(replays=True), wanted)
        if run.replay_of:
            raise PortError("file", texts.is_replay(run))
        return run
    again = {each.run.id for each in asyncio.run(answerable(kept)) if each.decision}
    runs = [run for run in kept.runs.all() if run.state not in OVER or run.id in again]
    answered = {each.run for each in kept.inbox.stored() if not each.step}
    ready = (run for run in runs if run.state != "waiting" or run.id in answered)
    return next(ready, next(iter(runs), None))


def _run(asked: LocalRun, settings: RunSettings, output: OutputFormat) -> int:
    check_key(settings)
    began = time()
    try:
        return _run_and_tell(asked, settings, output, began)
    except KeyboardInterrupt:
        heard_enough()
        raise KeyboardInterrupt(_interrupted(asked, began)) from None


def _run_and_tell(
    asked: LocalRun, settings: RunSettings, output: OutputFormat, began: float
) -> int:
    kept, live, interrupted = kept_in(asked.kept), not output.json and is_live(), False
    answers: dict[str, str] = {}
    ended = _driven(asked, settings, output, began)
    while ended.status == "waiting" and not output.json and at_terminal():
        from app.local.decide import prompted

        asked_about = [each for each in _open(ended, kept, answers) if not each.published]
        try:
            decided, new = prompted(asked_about, kept.inbox, folder=asked.folder)
        except KeyboardInterrupt:
            interrupted = True
            say("", stream=sys.stderr)  # the report begins below the question
            break
        answers |= new
        if not decided:
            break
        # what was edited while it worked is safe, as it was while it worked
        again = replace(asked, run=ended.state.request.id, given={}, dirty=True)
        ended = _driven(again, settings, output, began)
    if output.json:
        from runner.files.kept import KeptFiles

        ended = replace(ended, state=KeptFiles(asked.kept).referenced(ended.state))
    tell(ended, _open(ended, kept, answers), settings, output, live=live)
    if ended.status == "paused":
        advised = f"{ended.reason.rstrip('.')}. Then type `cairn resume`."
        how_on = ended.reason if ended.advised else advised
        text = f"Paused: {mask_for(secrets_of(settings))(how_on)}"
        _complain(_interrupted(asked, began) if ended.kind == INTERRUPT else text, 4)
    code = CODE if interrupted else exit_code(ended)
    for task, answer in answers.items():  # as `cairn retry` does
        given = {"task": task, "note": answer[:LONGEST_NOTE]}
        code = _run(replace(asked, run="", given=given, dirty=True), settings, output)
    return code


def _driven(asked: LocalRun, settings: RunSettings, output: OutputFormat, began: float) -> Ended:
    control = Interrupts(lambda: _interrupted(asked, began))
    if output.json:
        told = JsonLines(speaker(settings, output))
        return control.run(run_locally(asked, settings, told, control))
    with watching(mask_for(secrets_of(settings))) as listener:
        return control.run(run_locally(asked, settings, listener, control))


def _interrupted(asked: LocalRun, began: float) -> str:
    """What is true now: a run that left nothing behind cannot be resumed."""
    runs = kept_in(asked.kept).runs.all()
    there = any(run.id == asked.run or (not asked.run and run.began >= began) for run in runs)
    return texts.interrupted() if there else texts.not_begun()


def _open(ended: Ended, kept: LocalStore, answers: Collection[str]) -> list[PendingProposal]:
    """What nobody has decided about; `answers` were given to the tasks with these keys."""
    run = KnownRun(ended.state.request.id, state="waiting")
    found = undecided(list(parked(run, ended.state, kept.inbox)))
    return [each for each in found if each.state.task.key not in answers]


def _complain(message: str, code: int, *, mark: str = "") -> int:
    say("\n".join(mark + line for line in printable(message).split("\n")), stream=sys.stderr)
    return code
