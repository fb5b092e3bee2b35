"""Is the process alive, and is it ready to work?"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from aiohttp import web

from app.version import version_of_cairn
from runner.errors import Outage

Check = Callable[[], Awaitable[None]]
Checks = Mapping[str, Check]
PATIENCE = 5.0


async def healthz(request: web.Request) -> web.Response:
    """Answer that the process is alive, and of which version."""
    return web.json_response({"status": "alive", "version": version_of_cairn()})


def readyz(checks: Checks) -> Callable[[web.Request], Awaitable[web.Response]]:
    """Make the handler that asks every part and answers 503 when one does not work."""

    async def handler(request: web.Request) -> web.Response:
        results = await asyncio.gather(*(_result(check) for check in checks.values()))
        ready = all(result == "ok" for result in results)
        body = {"ready": ready, "checks": dict(zip(checks, results, strict=True))}
        return web.json_response(body, status=200 if ready else 503)

    return handler


async def _result(check: Check) -> str:
    try:
        async with asyncio.timeout(PATIENCE):
            await check()
    except Outage as outage:
        return outage.message
    except TimeoutError:
        return f"no answer within {PATIENCE:g} seconds"
    return "ok"
