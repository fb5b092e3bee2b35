"""Listening for HTTP on one address, for as long as a block of code runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from app.settings import Problem, SettingsError


@asynccontextmanager
async def listening(app: web.Application, host: str, port: int) -> AsyncIterator[str]:
    """Serve the application and give its address; leaving lets open requests end.

    Raises ``SettingsError`` when the address cannot be listened on.
    """
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            what = f"{port} on HOST {host} cannot be listened on"
            raise SettingsError([Problem("PORT", f"{what}: {error.strerror}")]) from error
        name, number, *_ = runner.addresses[0]
        yield f"http://{name}:{number}"
    finally:
        await runner.cleanup()
