"""``cairn serve``: listen, work, and stop in order when asked to."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys

from aiohttp import web

from app.composition import server
from app.logs import secrets_of, set_up_logging
from app.settings import Problem, ServerSettings, SettingsError, load_server_settings
from app.store.database import StoreError
from runner.errors import Outage

log = logging.getLogger(__name__)


def command() -> int:
    """Serve until the end; what keeps the server from starting is said on standard error.

    Returns the exit code: 2 for settings and database, 4 when something outside does not work.
    """
    try:
        asyncio.run(serve())
    except (SettingsError, StoreError) as error:
        return _complain(str(error), 2)
    except Outage as outage:
        return _complain(outage.message, 4)
    except KeyboardInterrupt:  # before there was a server to be stopped in order
        return 130
    return 0


async def serve() -> None:
    """Run until SIGTERM or SIGINT. Raises ``SettingsError``, ``StoreError`` or ``Outage``."""
    settings = load_server_settings()
    set_up_logging(settings.cairn_log_level, secrets=secrets_of(settings))
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with server(settings) as running:
        log.info(running.sandbox.reason)
        runner = web.AppRunner(running.app, access_log=None)
        await runner.setup()
        try:
            await _listen(runner, settings)
            await stop.wait()
            log.info("Stopping: runs go on from their last step at the next start")
        finally:
            await runner.cleanup()


async def _listen(runner: web.AppRunner, settings: ServerSettings) -> None:
    try:
        await web.TCPSite(runner, settings.host, settings.port).start()
    except OSError as error:
        what = f"{settings.port} on HOST {settings.host} cannot be listened on"
        raise SettingsError([Problem("PORT", f"{what}: {error.strerror}")]) from error
    host, port, *_ = runner.addresses[0]
    log.info("Listening on http://%s:%s", host, port)


def _complain(message: str, code: int) -> int:
    print(message, file=sys.stderr)
    return code
