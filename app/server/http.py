"""The HTTP server: webhooks, health, and who may see the pages.

A delivery is answered after its row is committed, and worked after it is answered. Of an unsigned
request, only the size is looked at; ``app/server/bodies.py`` and ``app/server/connections.py``
bound its bytes and its time. A session cookie is made from the admin token and an end time: the
token itself is stored nowhere, a new token ends every session, and a restart ends none.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping

from aiohttp import web
from cachetools import TTLCache
from pydantic import SecretStr

from app.server.bodies import Bodies
from app.server.connections import with_security_headers
from app.server.webhook import LIMIT, Handles, Webhook
from app.store.deliveries import Deliveries
from app.version import version_of_cairn
from runner.errors import Outage
from runner.ports import Clock

log = logging.getLogger(__name__)

Check = Callable[[], Awaitable[None]]
Checks = Mapping[str, Check]
PATIENCE = 5.0


async def healthz(request: web.Request) -> web.Response:
    """Answer that the process is alive, and of which version."""
    return web.json_response({"status": "alive", "version": version_of_cairn()})


def readyz(checks: Checks) -> Callable[[web.Request], Awaitable[web.Response]]:
    """Make the handler that asks every part and answers 503 when one does not work.

    What was found counts for a second, for anybody may ask and the database is written each time.
    """
    asked = -1.0
    found: asyncio.Future[list[str]] | None = None

    async def handler(request: web.Request) -> web.Response:
        nonlocal asked, found
        now = asyncio.get_running_loop().time()
        if found is None or now - asked >= 1:
            asked = now
            found = asyncio.gather(*(_result(check) for check in checks.values()))
        results = await asyncio.shield(found)
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


def build_app(
    *,
    secret: SecretStr,
    deliveries: Deliveries,
    on_delivery: Callable[[], None],
    handles: Handles,
    readiness: Checks,
    limit: int = LIMIT,
    bodies: Bodies | None = None,
    routes: Iterable[web.AbstractRouteDef] = (),
) -> web.Application:
    """Make the application of a registered App.

    ``on_delivery`` is called for each delivery that is new and committed, and must only put it
    on a queue. What ``handles`` denies is not stored. Each check of
    ``readiness`` raises ``Outage`` when its part does not work. ``limit`` is in bytes.
    ``bodies`` reads what is sent to the webhook; ``routes`` are those of the pages.
    """
    app = bare_app(limit)
    webhook = Webhook(
        secret=secret,
        deliveries=deliveries,
        on_delivery=on_delivery,
        handles=handles,
        bodies=bodies or Bodies(limit),
    )
    app.router.add_post("/webhook", webhook.receive)
    app.router.add_get("/healthz", healthz)
    app.router.add_get("/readyz", readyz(readiness))
    app.router.add_routes(routes)
    return app


def bare_app(limit: int = LIMIT) -> web.Application:
    """Make an application without routes: its errors are JSON, its answers safe in a browser."""
    app = web.Application(middlewares=[_errors_as_json], client_max_size=limit)
    app.on_response_prepare.append(_with_security_headers)
    return app


@web.middleware
async def _errors_as_json(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Say every error as ``{"error": "..."}``, with what to do."""
    try:
        return await handler(request)
    except web.HTTPNotFound:
        return _error(404, f"There is nothing at {request.path}. Webhooks go to POST /webhook.")
    except web.HTTPMethodNotAllowed as error:
        allowed = ", ".join(sorted(error.allowed_methods))
        text = f"{request.path} does not take {request.method}. Use {allowed}."
        return _error(405, text, headers={"Allow": allowed})
    except (web.HTTPClientError, web.HTTPServerError) as error:
        return _error(error.status, error.text or error.reason)
    except Outage as outage:
        return _error(503, f"{outage.message} Nothing was stored; deliver it again later.")
    except ConnectionError:
        if request.transport is not None:  # something else is gone, not who asked
            raise
        log.info("A client hung up before it had sent its request")
        return _error(400, "The connection is gone.")  # nobody reads it


def _error(status: int, text: str, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.json_response({"error": text}, status=status, headers=headers)


async def _with_security_headers(request: web.Request, response: web.StreamResponse) -> None:
    with_security_headers(response)


SETTING = "CAIRN_ADMIN_TOKEN"
LASTS = 12 * 3600
"""Seconds a session lasts."""
MOST_WRONG = 10
"""Wrong tokens that are looked at from one address before it has to wait."""
_SHUT = 60.0
"""Seconds for which it has to wait after the last of them."""


class Access:
    """Checks tokens and sessions; ``secure`` when people reach the server by https."""

    def __init__(self, token: SecretStr | None, *, secure: bool, clock: Clock) -> None:
        given = token.get_secret_value() if token else ""
        self._token = given.encode()
        self._key = hmac.digest(self._token, b"cairn session", "sha256")
        self._clock = clock
        self._wrong = TTLCache[str | None, int](
            maxsize=1_000, ttl=_SHUT, timer=lambda: clock.now().timestamp()
        )
        self.secure = secure
        # browsers take a cookie of this prefix only from the host itself, over https:
        # https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Set-Cookie#cookie_prefixes
        self.cookie = "__Host-cairn" if secure else "cairn"

    @property
    def configured(self) -> bool:
        """Without a token nobody is let in."""
        return bool(self._token)

    def is_shut_to(self, address: str | None) -> bool:
        """Say whether an address has given too many wrong tokens; sessions go on."""
        return self._wrong.get(address, 0) >= MOST_WRONG

    def takes(self, token: str, address: str | None) -> bool:
        """Say whether this is the token, which may come from an address; a wrong one is counted.

        It takes as long for a wrong one. Behind a proxy, the address is the proxy's.
        """
        if self.is_shut_to(address):
            return False
        given = token.encode("utf-8", "surrogateescape")
        # digests, so that not even the length of the token shows in the time it takes
        same = hmac.compare_digest(_digest(given), _digest(self._token))
        if not same:
            self._wrong[address] = self._wrong.get(address, 0) + 1
        return same and self.configured

    def session(self) -> str:
        """Make the value of a session's cookie."""
        end = str(int(self._clock.now().timestamp()) + LASTS)
        return f"{end}.{self._signature(end)}"

    def admits(
        self, headers: Mapping[str, str], cookies: Mapping[str, str], address: str | None = None
    ) -> bool:
        """Say whether a request carries the token, or a session that still lasts."""
        scheme, _, token = headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.takes(token.strip(), address)
        return self.configured and self._lasts(cookies.get(self.cookie, ""))

    def form_mark(self, cookies: Mapping[str, str]) -> str:
        """What a form has that is sent in a session; '' without one."""
        session = cookies.get(self.cookie, "")
        return self._signature(f"form {session}") if session else ""

    def sent_by_us(self, request: web.Request, mark: str) -> bool:
        """Say whether a form was sent by our own page, or by a program that has the token."""
        if request.headers.get("Authorization", "").lower().startswith("bearer "):
            return True
        given = mark.encode("utf-8", "surrogateescape")
        ours = self.form_mark(request.cookies).encode()
        return bool(ours) and hmac.compare_digest(given, ours)

    def _lasts(self, session: str) -> bool:
        end, _, signature = session.partition(".")
        given = signature.encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(given, self._signature(end).encode()):
            return False
        return int(end) > self._clock.now().timestamp()

    def _signature(self, end: str) -> str:
        return hmac.new(self._key, end.encode("utf-8", "surrogateescape"), "sha256").hexdigest()


def from_elsewhere(headers: Mapping[str, str]) -> bool:
    """Say whether another site's page made the browser send this request.

    Fetch metadata first (https://www.w3.org/TR/fetch-metadata/); of browsers that send none the
    origin, which is ``null`` for forms of our own pages because they send no referrer.
    """
    if site := headers.get("Sec-Fetch-Site"):
        return site not in ("same-origin", "none")
    origin = headers.get("Origin", "null")
    return origin != "null" and origin.partition("://")[2] != headers.get("Host")


def _digest(value: bytes) -> bytes:
    return hashlib.sha256(value).digest()
