"""``cairn action``: one workflow run, from the event to outputs, summary and exit code."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Mapping

from app.action.compose import acting, entered
from app.action.job import ActionRefused, Inputs, Job, read_inputs, read_job
from app.action.report import ActionReport, Annotation, Console, report_of, summary, write_outputs
from app.action.work import work
from app.github.client import SUSPENDED
from app.logs import PLAIN, secrets_of, set_up_logging
from app.runs.parts import Surroundings
from app.settings import ActionSettings, SettingsError, keep_private, load_action_settings
from app.store.database import StoreError
from app.texts import action_texts as texts
from runner.config.reading import ConfigError
from runner.errors import Outage, TaskError
from runner.ports import SystemClock

log = logging.getLogger(__name__)


def command() -> int:
    """Do one workflow run's work; return the exit code: 2 says that nothing was changed."""
    console = Console(_write)
    try:
        job, inputs = read_job(os.environ), read_inputs(os.environ)
        settings = read_settings(job, inputs, os.environ)
    except (ActionRefused, SettingsError) as refused:
        return _ended(console, None, [_error(str(refused))], 2)
    secrets = (settings.github_token, settings.openai_api_key)
    on_github = os.environ.get("GITHUB_ACTIONS") == "true"
    console.begin(s.get_secret_value() for s in secrets if s and on_github)
    level = settings.cairn_log_level
    set_up_logging(level, secrets=secrets_of(settings), form=PLAIN, stream=sys.stdout)
    keep_private()
    notes, code, report = asyncio.run(_guarded(job, inputs, settings))
    if report is not None:
        text = summary(report)
        _write(f"\n{text}")
        _summarise(job, text)
        if job.output is not None:
            write_outputs(job.output, report.outputs())
    return _ended(console, job, notes, code)


async def _guarded(
    job: Job, inputs: Inputs, settings: ActionSettings
) -> tuple[list[Annotation], int, ActionReport | None]:
    """Work until all rests or is done; what keeps it from that becomes a sentence and a code."""
    task = asyncio.current_task()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)  # type: ignore[union-attr]
    try:
        report = await act(job, inputs, settings, Surroundings(SystemClock()))
    except (ActionRefused, StoreError, ConfigError, SettingsError) as refused:
        return [_error(str(refused))], 2, None
    except Outage as outage:
        return [_error(outage.message)], 4, None
    except asyncio.CancelledError:
        return [Annotation("warning", "Cairn", texts.stopped())], 130, None
    return report.notes(), report.exit_code, report


async def act(
    job: Job, inputs: Inputs, settings: ActionSettings, around: Surroundings
) -> ActionReport:
    """Do the work and keep the state. Raises ``ActionRefused``, ``StoreError`` or ``Outage``."""
    async with entered(job.repository, settings, around, branch=inputs.state_branch) as entry:
        await entry.state.restore(settings.cairn_data_dir)
        opened = False
        try:
            async with acting(entry, settings, inputs, around) as house:
                opened = not inputs.dry_run
                log.info(house.work.parts.sandbox.reason)
                report = await report_of(house, await work(house, job, inputs))
        except ActionRefused:
            opened = False  # nothing was done that is to be remembered
            raise
        except Outage as outage:
            if outage.kind not in ("permission", "credential", SUSPENDED):
                raise
            opened = False
            raise ActionRefused(texts.lacks(outage.message)) from outage
        finally:
            if opened:
                try:
                    await entry.state.save(settings.cairn_data_dir)
                except TaskError as refused:
                    raise ActionRefused(refused.message) from refused
        return report


def read_settings(job: Job, inputs: Inputs, environment: Mapping[str, str]) -> ActionSettings:
    """Read the settings; the database is ours whatever the job's own DATABASE_URL says.

    Raises ``ActionRefused`` for a missing token or key, ``SettingsError`` for all else.
    """
    if not environment.get("GITHUB_TOKEN"):
        raise ActionRefused(texts.tokenless())
    options: dict[str, object] = {
        "CAIRN_DATA_DIR": job.data,
        "DATABASE_URL": f"sqlite:///{job.data}/cairn.db",
    }
    if inputs.dry_run and not environment.get("OPENAI_API_KEY"):
        options["OPENAI_API_KEY"] = "no model is asked"
    try:
        return load_action_settings(**options)
    except SettingsError as error:
        if any(problem.name == "OPENAI_API_KEY" for problem in error.problems):
            raise ActionRefused(texts.no_key()) from error
        raise


def _ended(console: Console, job: Job | None, notes: list[Annotation], code: int) -> int:
    console.end(notes)
    refused = [note.message for note in notes if note.level == "error" and code == 2]
    if job and refused:
        _summarise(job, "\n\n".join(["## Cairn", *refused]) + "\n")
    return code


def _summarise(job: Job, text: str) -> None:
    """Write a text where the runner looks for it."""
    if job.summary is not None:
        with job.summary.open("a", encoding="utf-8") as file:
            file.write(text)


def _error(message: str) -> Annotation:
    return Annotation("error", "Cairn did nothing", message)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
