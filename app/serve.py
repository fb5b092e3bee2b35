"""``cairn serve``: listen, work, and stop in order when asked to."""

from __future__ import annotations

import asyncio
import logging
import signal

from aiohttp import web

from app.composition import server
from app.logs import secrets_of, set_up_logging
from app.settings import load_server_settings

log = logging.getLogger(__name__)


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
        site = web.TCPSite(runner, settings.host, settings.port)
        await site.start()
        log.info("Listening on %s", _address(runner))
        await stop.wait()
        log.info("Stopping: runs go on from their last step at the next start")
        await runner.cleanup()


def _address(runner: web.AppRunner) -> str:
    host, port, *_ = runner.addresses[0]
    return f"http://{host}:{port}"
