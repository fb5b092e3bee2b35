"""Bodies of requests of which nobody knows yet who sent them: bounded in time and in memory.

A webhook's signature covers its whole body, so that it shows only at the end whether a body is
GitHub's. Until then a body may take ``SECONDS``, and all that are being read may hold ``MOST``
bytes together: beyond that the largest one is given up. Whoever fills the memory loses what they
sent, and what GitHub sends, which is small nearly always, is read all the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web
from aiohttp.http import HttpProcessingError

SECONDS = 30.0
"""That a body may take from the end of the headers on."""

MOST = 64 * 1024 * 1024
"""Bytes that all bodies hold together while they are read."""

_LONGEST_FORM = 4096
_UNREADABLE = (
    *(ValueError, LookupError, AssertionError),
    *(HttpProcessingError, web.RequestPayloadError),
)
"""What aiohttp raises for a form whose bytes, encoding or parts are nonsense."""


@dataclass(eq=False, slots=True)
class _Body:
    time: asyncio.Timeout
    content: bytearray = field(default_factory=bytearray)
    given_up: bool = False


class Bodies:
    """Reads bodies of at most ``limit`` bytes, each in ``seconds``, together in ``most`` bytes."""

    def __init__(self, limit: int, *, seconds: float = SECONDS, most: int = MOST) -> None:
        self._limit = limit
        self._seconds = seconds
        self._most = most
        self._being_read: set[_Body] = set()
        self._held = 0

    @asynccontextmanager
    async def read(self, request: web.Request) -> AsyncIterator[bytearray]:
        """Lend a body; it counts as held until this is left.

        Raises 400, 408, 413 and 503 with what is wrong.
        """
        if (request.content_length or 0) > self._limit:
            raise self._too_large()
        body = _Body(asyncio.timeout(self._seconds))
        self._being_read.add(body)
        try:
            await self._fill(body, request)
            yield body.content
        finally:
            self._being_read.discard(body)
            self._held -= len(body.content)
            body.content.clear()  # the traceback of a refusal keeps it as long as the connection

    async def _fill(self, body: _Body, request: web.Request) -> None:
        try:
            async with body.time:
                async for chunk in request.content.iter_any():
                    body.content += chunk
                    self._held += len(chunk)
                    if len(body.content) > self._limit:
                        raise self._too_large()
                    if self._held > self._most:
                        self._give_up_the_largest()
        except TimeoutError:
            if body.given_up:
                raise web.HTTPServiceUnavailable(text=_BUSY) from None
            late = f"The body was not complete within {self._seconds:g} seconds."
            raise web.HTTPRequestTimeout(text=late) from None
        except web.RequestPayloadError as error:
            raise web.HTTPBadRequest(text=f"The body cannot be read: {error}") from error

    def _give_up_the_largest(self) -> None:
        largest = max(self._being_read, key=lambda body: len(body.content))
        if not largest.given_up:
            largest.given_up = True
            largest.time.reschedule(asyncio.get_running_loop().time())

    def _too_large(self) -> web.HTTPException:
        text = f"The body is larger than {self._limit} bytes; GitHub sends none over 25 MB."
        return web.HTTPRequestEntityTooLarge(self._limit, text=text)


_BUSY = "Too many large bodies are being sent at once. Deliver it again later."


async def short_form(request: web.Request) -> dict[str, str] | None:
    """Return the fields of a form; None if it is longer than ours are. Raises 400 and 408."""
    if request.content_length is None or request.content_length > _LONGEST_FORM:
        return None
    try:
        async with asyncio.timeout(SECONDS):
            return {name: str(value) for name, value in (await request.post()).items()}
    except TimeoutError:
        late = f"The form was not complete within {SECONDS:g} seconds."
        raise web.HTTPRequestTimeout(text=late) from None
    except _UNREADABLE:
        raise web.HTTPBadRequest(text="The form cannot be read.") from None
