"""``cairn serve``: listen, work, and stop in order when asked to."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
from dataclasses import replace

from app.compose.server import server
from app.logs import FULL, JSON, secrets_of, set_up_logging
from app.runs.parts import ROLE, Role
from app.server.connections import listening
from app.settings import (
    ServerSettings,
    SettingsError,
    SettingsProblem,
    keep_private,
    load_server_settings,
    load_setup_settings,
)
from app.settings.reading import APP_NAMES
from app.setup.command import lacks_an_app, set_up
from app.store.database import StoreError, is_sqlite
from app.texts import setup_texts as words
from runner.errors import Outage

log = logging.getLogger(__name__)


def command(role: Role = ROLE) -> int:
    """Serve, or only work, until the end; if it cannot start, standard error says why.

    Returns the exit code: 2 for settings and database, 4 when something outside does not work.
    """
    try:
        asyncio.run(serve(role))
    except SettingsError as error:
        hint = f"\n{words.hint()}" if lacks_an_app(error.problems) else ""
        return _complain(f"{error}{hint}", 2)
    except StoreError as error:
        return _complain(str(error), 2)
    except Outage as outage:
        return _complain(outage.message, 4)
    return 0


async def serve(role: Role = ROLE) -> None:
    """Run until SIGTERM or SIGINT. Raises ``SettingsError``, ``StoreError`` or ``Outage``."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    settings = await _settings(stop) if role.serves else load_server_settings()
    if settings is None:
        return
    form = JSON if settings.cairn_log_format == "json" else FULL
    set_up_logging(settings.cairn_log_level, secrets=secrets_of(settings), form=form)
    keep_private()
    allowed = settings.cairn_allow_unsandboxed == "root" or os.geteuid() != 0
    if role.works and settings.may_run_bare and not allowed:
        raise SettingsError([SettingsProblem("CAIRN_SANDBOX", words.never_as_root())])
    alone = is_sqlite(settings.database_url.get_secret_value())
    if alone and not (role.serves and role.works):
        raise StoreError(words.one_process())

    def outdated() -> None:
        if not stop.is_set():
            log.warning("A newer Cairn has changed the database. This process ends.")
        stop.set()

    async with server(settings, role=replace(role, outdated=outdated)) as running:
        gc.freeze()  # what is there stays
        gc.set_threshold(5_000, 10, 10)  # and what a delivery leaves does not wait for thousands
        log.info(running.sandbox.reason)
        if not role.serves:
            log.info("Working on up to %s runs at the same time", running.slots)
            await stop.wait()
            log.info("Stopping: other workers continue what was at work here")
            return
        async with listening(running.app, settings.host, settings.port) as address:
            log.info("Listening on %s", address)
            await stop.wait()
            if role.works:
                log.info("Stopping: runs continue from their last step at the next start")


async def _settings(stop: asyncio.Event) -> ServerSettings | None:
    """Read the settings; without an App serve its set-up first. None when stopped meanwhile."""
    try:
        return load_server_settings()
    except SettingsError as error:
        # without an address GitHub could neither deliver nor send a browser back
        if not lacks_an_app(error.problems) or not os.environ.get("CAIRN_PUBLIC_URL"):
            raise
        if others := [each for each in error.problems if each.name not in APP_NAMES]:
            raise SettingsError(others) from None  # the set-up brings the App itself
    return load_server_settings() if await set_up(load_setup_settings(), stop) else None


def _complain(message: str, code: int) -> int:
    print(message, file=sys.stderr)
    return code
