"""``cairn doctor``: print what each check finds, and end with 2 when something is a problem."""

from __future__ import annotations

import asyncio
import json as jsonlib
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path

from pydantic import SecretStr

from app.doctor.checks import CHECKS
from app.doctor.examine import examine
from app.doctor.texts import on_one_line
from app.doctor.values import Check, Finding, Patient
from app.logs import PLAIN, mask_for, secrets_of, set_up_logging
from app.settings import (
    Problem,
    RunSettings,
    ServerSettings,
    SettingsError,
    load_run_settings,
    load_server_settings,
)
from app.settings.registered import APP_NAMES, registered_app
from app.terminal import any_encoding, one_line

_WIDTH = max(len(check.name) for check in CHECKS)


def command(folder: Path, *, json: bool, verbose: bool = False) -> int:
    """Examine a folder and the environment; 0 when nothing is a problem, else 2."""
    any_encoding()
    patient = _patient(folder)
    secrets = _secrets(patient)
    set_up_logging("debug" if verbose else "error", secrets=secrets, form=PLAIN)
    mask = mask_for(secrets)
    said = (lambda _check, _found: None) if json else _printer(mask)
    found = asyncio.run(_all(patient, CHECKS, said))
    if json:
        print(mask(_object(found)))
    return 2 if any(each.level == "problem" for _, each in found) else 0


Found = list[tuple[Check, Finding]]


async def _all(
    patient: Patient, checks: Iterable[Check], said: Callable[[Check, Finding], None]
) -> Found:
    found = []
    async for check, each in examine(patient, checks):
        said(check, each)
        found.append((check, each))
    return found


def _patient(folder: Path) -> Patient:
    """Read the settings; what the server's lack need not keep a run on a checkout from working."""
    app = _has_app()
    problems: tuple[Problem, ...] = ()
    run: RunSettings | None = None
    server: ServerSettings | None = None
    try:
        run = load_run_settings()
        server = load_server_settings() if app else None
    except SettingsError as error:
        problems = error.problems
    return Patient(folder, app, server or run, server, problems)


def _has_app() -> bool:
    """Whether anything names an App: the environment, or the file of our own set-up."""
    return any(os.environ.get(name) for name in APP_NAMES) or registered_app({}) is not None


def _secrets(patient: Patient) -> list[SecretStr]:
    return [s for each in (patient.run, patient.server) if each for s in secrets_of(each)]


def _printer(mask: Callable[[str], str]) -> Callable[[Check, Finding], None]:
    def said(check: Check, found: Finding) -> None:
        text = one_line(on_one_line(found.said, found.todo))
        print(mask(f"{found.level:<8} {check.name:<{_WIDTH}}  {text}"), flush=True)

    return said


def _object(found: Found) -> str:
    checks = [{"check": check.name, **asdict(each)} for check, each in found]
    healthy = all(each.level != "problem" for _, each in found)
    return jsonlib.dumps({"healthy": healthy, "checks": checks}, ensure_ascii=False)
