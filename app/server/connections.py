"""Listening: how many connections there may be, how long one may say nothing, and what none lacks.

Whoever knows the address may be rude: open connections and never speak, send headers letter by
letter, or send what is not HTTP. None of this may take what the others need, or fill the log.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from aiohttp import web

from app.settings import SettingsError, SettingsProblem

log = logging.getLogger(__name__)

HEADER_SECONDS = 10.0
"""That a connection may take until the headers of its (next) request are complete.

A reverse proxy that keeps connections open must be prepared for one being closed, as it must for
nearly every server.
"""

CONNECTIONS = 300
"""At a time; more than there can be streams of events (``app/pages/stream.py``)."""

_HEADERS_EACH = 64
"""Of one request; each has at most 8 kB."""

_LINGERING = 2.0
"""Seconds in which what is still sent after an answer is taken and thrown away."""

# https://cheatsheetseries.owasp.org/cheatsheets/HTTP_Headers_Cheat_Sheet.html; form-action,
# frame-ancestors and base-uri do not fall back to default-src
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Vary": "Accept, Cookie",
}
"""Of every answer that does not say otherwise itself."""


def with_security_headers(response: web.StreamResponse) -> None:
    """Add what an answer does not say itself, and name the server without its version."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers["Server"] = "Cairn"


class _Connection(web.RequestHandler):
    """One connection; what it cannot read, and what fails in a handler, is said as everywhere."""

    __slots__ = ()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Answer in JSON; only a bug of ours is worth a traceback."""
        if status >= 500:
            log.error("An answer failed because of a bug", exc_info=exc)
        else:
            log.info("A request was refused that is not proper HTTP")
        if request.writer.output_size > 0:
            raise ConnectionError("the answer has begun, so that no other one can be sent")
        text = "This failed because of a bug; the log says more."
        response = web.json_response(
            {"error": text if status >= 500 else "This is not a proper HTTP request."},
            status=status,
        )
        with_security_headers(response)
        response.force_close()
        return response


class _Refusal(asyncio.Protocol):
    """A connection too many: it is told so, and closed."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Answer without having read anything."""
        assert isinstance(transport, asyncio.WriteTransport)  # noqa: S101 - of every stream socket
        lines = {**HEADERS, "Server": "Cairn", "Retry-After": "10", "Connection": "close"}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        answer = f"HTTP/1.1 503 Service Unavailable\r\n{head}Content-Length: 0\r\n\r\n"
        transport.write(answer.encode())
        transport.close()


@asynccontextmanager
async def listening(
    app: web.Application,
    host: str,
    port: int,
    *,
    connections: int = CONNECTIONS,
    header_seconds: float = HEADER_SECONDS,
) -> AsyncIterator[str]:
    """Serve the application and give its address; leaving lets open requests end.

    Raises ``SettingsError`` when the address cannot be listened on.
    """
    runner = web.AppRunner(app)
    await runner.setup()
    loop, server = asyncio.get_running_loop(), runner.server
    assert server is not None  # noqa: S101 - set up above

    full = False

    def connected() -> asyncio.Protocol:
        nonlocal full
        before, full = full, len(server.connections) >= connections
        if full:
            if not before:  # a line for each would fill the log
                log.warning("Connections are refused: %s are open", connections)
            return _Refusal()
        return _Connection(
            server,
            loop=loop,
            # to aiohttp a connection without a complete request is idle, so this is one limit
            keepalive_timeout=header_seconds,
            lingering_time=_LINGERING,
            max_headers=_HEADERS_EACH,
            auto_decompress=False,  # what is small here could be large unpacked
            access_log=None,  # type: ignore[arg-type]  # as aiohttp documents it
        )

    try:
        try:
            listener = await loop.create_server(connected, host, port, backlog=128)
        except OSError as error:
            what = f"{port} on HOST {host} cannot be listened on"
            raise SettingsError(
                [SettingsProblem("PORT", f"{what}: {os.strerror(error.errno or 0)}")]
            ) from error
        try:
            name, number, *_ = listener.sockets[0].getsockname()
            yield f"http://{name}:{number}"
        finally:
            listener.close()
    finally:
        await runner.cleanup()
