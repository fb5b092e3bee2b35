"""Make the checks one after the other; what fails in one is its finding."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable

import aiohttp
from gidgethub import GitHubException

from app.doctor import texts
from app.doctor.values import Check, Finding, Patient, problem, skipped
from app.settings import SettingsError
from app.store.database import StoreError
from runner.config import ConfigError
from runner.errors import PortError

_FROM_OUTSIDE = (aiohttp.ClientError, GitHubException, OSError, SettingsError, StoreError)


async def examine(
    patient: Patient, checks: Iterable[Check]
) -> AsyncIterator[tuple[Check, Finding]]:
    """Yield each check with what it found, as soon as it is made."""
    failed: set[str] = set()
    for check in checks:
        missing = next((name for name in check.needs if name in failed), "")
        found = skipped(texts.without(missing)) if missing else await _made(check, patient)
        if found.level == "problem" or missing:
            failed.add(check.name)
        yield check, found


async def _made(check: Check, patient: Patient) -> Finding:
    try:
        async with asyncio.timeout(check.seconds):
            return await check.look(patient)
    except TimeoutError:
        return problem(texts.no_answer(check.seconds), texts.AGAIN)
    except PortError as error:
        return problem(error.message)
    except ConfigError as error:
        return problem(str(error))
    except _FROM_OUTSIDE as error:
        return problem(texts.unexpected(error), texts.AGAIN)
