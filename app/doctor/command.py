"""``cairn doctor``: make the checks in order and print what each one finds."""

from __future__ import annotations

import asyncio
import json as jsonlib
import os
import sys
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import aiohttp
from gidgethub import GitHubException

from app.doctor import github, local
from app.doctor.local import CEILINGS
from app.doctor.values import Check, Finding, Surveyed, problem, skipped
from app.interrupts import CODE, Interrupts
from app.logs import PLAIN, mask_for, secrets_of, set_up_logging
from app.settings import (
    RunSettings,
    ServerSettings,
    SettingsError,
    SettingsProblem,
    WorkSettings,
    load_run_settings,
    load_server_settings,
    load_work_settings,
)
from app.settings.reading import APP_NAMES, registered_app
from app.store.database import StoreError
from app.terminal import any_encoding, one_line, say
from app.texts import doctor_texts as texts
from runner.config.reading import ConfigError
from runner.errors import PortError

REACHED, KEY = "GitHub", "App key"

CHECKS: tuple[Check, ...] = (
    Check("configuration", local.configuration),
    Check("git", local.git),
    Check("roadmap", local.roadmap, needs=("configuration", "git")),
    Check("model endpoint", local.model, seconds=60),
    Check("limits", local.limits, needs=("configuration",)),
    Check("notices", local.notices),
    Check("traces", local.traces),
    Check("sandbox", local.sandbox, seconds=120, needs=("configuration",)),
    Check("tests", local.tests, seconds=330, needs=("configuration", "git", "roadmap", "sandbox")),
    Check("data folder", local.data_folder),
    Check("database", local.database, seconds=45, needs=("data folder",)),
    Check(REACHED, github.reached, seconds=30),
    Check("clock", github.clock, seconds=30, needs=(REACHED,)),
    Check(KEY, github.key, seconds=30, needs=(REACHED,)),
    Check("permissions", github.permissions, needs=(REACHED, KEY)),
    Check("events", github.events, needs=(REACHED, KEY)),
    Check("webhook", github.webhook, needs=(REACHED, KEY)),
    Check("installations", github.installations, needs=(REACHED, KEY)),
    Check("rate limit", github.rate_limit, needs=(REACHED, KEY)),
    Check("deliveries", github.deliveries, needs=(REACHED, KEY)),
)


_FROM_OUTSIDE = (aiohttp.ClientError, GitHubException, OSError, SettingsError)


async def examine(
    patient: Surveyed, checks: Iterable[Check]
) -> AsyncIterator[tuple[Check, Finding]]:
    """Yield each check with what it found, as soon as it is made."""
    failed: set[str] = set()
    for check in checks:
        missing = next((name for name in check.needs if name in failed), "")
        try:
            async with asyncio.timeout(check.seconds):
                without = skipped(texts.without(missing)) if missing else None
                found = without or await check.look(patient)
        except TimeoutError:
            found = problem(texts.no_answer(check.seconds), texts.again())
        except PortError as error:
            found = problem(error.message)
        except StoreError as error:
            found = problem(str(error))
        except ConfigError as error:
            found = problem(texts.config_problems(error.problems))
        except _FROM_OUTSIDE as error:
            found = problem(f"{type(error).__name__}: {error}.", texts.again())
        if found.level == "problem" or missing:
            failed.add(check.name)
        yield check, found


_WIDTH = max(len(check.name) for check in CHECKS)


def command(folder: Path, *, json: bool, verbose: bool = False) -> int:
    """Examine a folder and the environment; 0 when nothing is a problem, else 2."""
    any_encoding()
    patient = _patient(folder)
    secrets = [s for each in (patient.run, patient.server) if each for s in secrets_of(each)]
    set_up_logging("debug" if verbose else "error", secrets=secrets, form=PLAIN)
    mask = mask_for(secrets)
    found: list[tuple[Check, Finding]] = []

    async def look() -> None:
        async for check, each in examine(patient, CHECKS):
            found.append((check, each))
            if json or each.text == texts.no_app():
                continue  # one line for all of them comes last
            text = each.text if each.text.endswith((".", "!", "?")) else f"{each.text}."
            line = one_line(f"{text} {each.todo}".rstrip())
            say(mask(f"{each.level:<8} {check.name:<{_WIDTH}}  {line}"))

    try:
        Interrupts(texts.stopped).run(look())
    except KeyboardInterrupt:
        say(texts.stopped(), stream=sys.stderr)
        return CODE
    healthy = all(each.level != "problem" for _, each in found)
    if json:
        checks = [
            {"check": check.name, "level": each.level, "said": each.text, "todo": each.todo}
            for check, each in found
        ]
        said = jsonlib.dumps({"healthy": healthy, "checks": checks}, ensure_ascii=False)
        say(mask(said))
    elif names := [check.name for check, each in found if each.text == texts.no_app()]:
        line = texts.no_app_for(names)
        say(f"{'skipped':<8} {'GitHub App':<{_WIDTH}}  {line}")
    return 0 if healthy else 2


def _patient(folder: Path) -> Surveyed:
    """Read the settings; what the server's lack need not keep a run on a checkout from working."""
    # anything that names an App: the environment, or the file of our own set-up
    app = any(os.environ.get(name) for name in APP_NAMES) or registered_app({}) is not None
    problems: tuple[SettingsProblem, ...] = ()
    run: RunSettings | None = None
    server: ServerSettings | None = None
    try:
        run = load_run_settings()
        server = load_server_settings() if app else None
    except SettingsError as error:
        problems = error.problems
    unread: tuple[SettingsProblem, ...] = ()
    operator: WorkSettings | None = server
    if run and not app:
        try:
            operator = load_work_settings()
        except SettingsError as error:
            unread = tuple(each for each in error.problems if each.name.startswith(CEILINGS))
    return Surveyed(folder, app, server or run, server, problems, operator, unread)
