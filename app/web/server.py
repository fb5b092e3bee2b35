"""The HTTP server: takes webhooks in, says whether it is well.

A delivery is answered after its row is committed and worked after it is answered. Nothing of an
unsigned request is looked at but its size.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping

from aiohttp import web
from pydantic import SecretStr

from app.store.deliveries import Arrival
from app.web.health import Checks, healthz, readyz
from app.web.webhook import LIMIT, Storing, Webhook
from runner.errors import Outage


def build_app(
    *,
    secret: SecretStr,
    deliveries: Storing,
    on_delivery: Callable[[Arrival], None],
    events: Collection[str],
    readiness: Checks,
    limit: int = LIMIT,
    routes: Iterable[web.AbstractRouteDef] = (),
) -> web.Application:
    """Make the application.

    ``on_delivery`` is called for each delivery that is new and committed, and must only put it
    on a queue. ``events`` are the names that have work; others are stored as ignored. Each check of
    ``readiness`` raises ``Outage`` when its part does not work. ``limit`` is in bytes.
    ``routes`` are those of the pages.
    """
    app = web.Application(middlewares=[_errors_as_json], client_max_size=limit)
    app.on_response_prepare.append(_name_without_version)
    webhook = Webhook(
        secret=secret, deliveries=deliveries, on_delivery=on_delivery, events=events, limit=limit
    )
    app.router.add_post("/webhook", webhook.receive)
    app.router.add_get("/healthz", healthz)
    app.router.add_get("/readyz", readyz(readiness))
    app.router.add_routes(routes)
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
    except web.HTTPClientError as error:
        return _error(error.status, error.text or error.reason)
    except Outage as outage:
        return _error(503, f"{outage.message} Nothing was stored; deliver it again later.")


def _error(status: int, text: str, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.json_response({"error": text}, status=status, headers=headers)


async def _name_without_version(request: web.Request, response: web.StreamResponse) -> None:
    response.headers["Server"] = "Cairn"
