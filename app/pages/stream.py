"""The events of a run as server-sent events.

https://html.spec.whatwg.org/multipage/server-sent-events.html

"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

from aiohttp import web

from app.pages import answers
from app.pages.answers import problem
from app.runs.live import Hub, LiveMessage
from app.store.runs import OVER, Run, StoredRuns
from runner.errors import Outage

READERS = 200
"""Streams that may be open at the same time."""

PATIENCE = 30.0
"""Seconds a reader may take for what was sent; then it is dropped."""

Put = Callable[[bytes], Awaitable[None]]

_BEAT = b": still here\n\n"
_END = b"event: end\ndata: {}\n\n"


class Streams:
    """Serves ``GET /runs/{id}/events``; ``heartbeat`` is in seconds."""

    def __init__(
        self, hub: Hub, runs: StoredRuns, *, heartbeat: float, readers: int = READERS
    ) -> None:
        self._hub = hub
        self._runs = runs
        self._heartbeat = heartbeat
        self._free = readers

    async def events(self, request: web.Request) -> web.StreamResponse:
        """Send what happens until the run is over; 204 tells a browser not to come back."""
        row = await self._runs.get(request.match_info["id"])
        if row is None:
            return problem(request, answers.NO_RUN, status=404)
        # a page gives the newest event it shows; a browser that comes back the last it has heard
        after = request.headers.get("Last-Event-ID") or request.query.get("after", "")
        if row.status in OVER and not self._hub.has_more(row.id, after):
            return web.Response(status=204)
        if self._free <= 0:
            return problem(request, answers.TOO_MANY, status=503)
        self._free -= 1
        try:
            return await self._send(request, row, after)
        finally:
            self._free += 1

    async def _send(self, request: web.Request, row: Run, after: str) -> web.StreamResponse:
        # proxies must not gather what belongs to now
        response = web.StreamResponse(headers={"X-Accel-Buffering": "no"})
        response.content_type = "text/event-stream"
        response.charset = "utf-8"
        await response.prepare(request)
        # when the reader is gone, or the database away, the browser reconnects
        with suppress(ConnectionResetError, Outage):
            await self._write(partial(_put, response, request), row.id, after)
        return response

    async def _write(self, put: Put, run: str, after: str) -> None:
        async for message in self._hub.follow(run, after=after, patience=self._heartbeat):
            if message is not None:
                await put(_frame(message))
            elif await self._is_over(run):
                break
            else:
                await put(_BEAT)
        if await self._is_over(run) or self._hub.is_over(run):
            await put(_END)

    async def _is_over(self, run: str) -> bool:
        """Ask the table: no event here reports what ended elsewhere, or before it began."""
        row = await self._runs.get(run)
        return row is None or row.status in OVER


async def _put(response: web.StreamResponse, request: web.Request, frame: bytes) -> None:
    """Send a frame. Raises ``ConnectionResetError`` when the reader is gone or too slow."""
    try:
        async with asyncio.timeout(PATIENCE):
            await response.write(frame)
    except TimeoutError:
        if request.transport is not None:
            request.transport.abort()  # what it has not taken will never be
        raise ConnectionResetError from None


def _frame(message: LiveMessage) -> bytes:
    """One event; JSON has no line ends, so that it is one line of data."""
    data = {"at": message.at.isoformat(timespec="seconds"), **message.data}
    return f"id: {message.id}\ndata: {json.dumps(data)}\n\n".encode()
