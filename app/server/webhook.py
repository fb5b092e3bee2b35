"""One webhook request: size, signature, headers, body, in this order; then store, then answer.

https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries

"""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiohttp import web
from pydantic import SecretStr
from pydantic_core import from_json

from app.server.bodies import Bodies
from app.store.deliveries import Deliveries
from handlers.webhooks import line_of, meaning_of
from runner.text.logged import about

logger = logging.getLogger(__name__)

# GitHub sends no payload over 25 MB:
# https://docs.github.com/webhooks/webhook-events-and-payloads#payload-cap
LIMIT = 25 * 1024 * 1024
Handles = Callable[[str, Mapping[str, Any]], Awaitable[bool]]
"""Says of an event, by name and payload, whether its work could do anything. Raises ``Outage``."""

_GUID = re.compile(r"[A-Za-z0-9-]{1,100}")
_EVENT = re.compile(r"[a-z][a-z0-9_]{0,99}")


class Webhook:
    """The webhook endpoint."""

    def __init__(
        self,
        *,
        secret: SecretStr,
        deliveries: Deliveries,
        on_delivery: Callable[[], None],
        handles: Handles,
        bodies: Bodies,
    ) -> None:
        self._secret = secret
        self._deliveries = deliveries
        self._on_delivery = on_delivery
        self._handles = handles
        self._bodies = bodies

    async def receive(self, request: web.Request) -> web.Response:
        """Store one delivery, unless nothing would come of it, and answer 202.

        Raises 400, 403, 408, 413 and 503 with what to do; ``Outage`` when the database cannot
        store it.
        """
        body = await self._signed_body(request)
        id = _header(request, "X-GitHub-Delivery", _GUID)
        event = _header(request, "X-GitHub-Event", _EVENT)
        payload = parse(body, request.content_type)
        fate = "ignored"
        if await self._handles(event, payload):
            new = await self._deliveries.store(
                id=id,
                event=event,
                repository_id=repository_of(payload),
                headers=_githubs(request.headers),
                payload=body,
                meaning=meaning_of(event, payload),
                line=line_of(event, payload),
            )
            fate = "stored" if new else "known"
            if new:
                self._on_delivery()
        # most events ask for nothing, and are no news
        level = logging.DEBUG if fate == "ignored" else logging.INFO
        if logger.isEnabledFor(level):
            with about(delivery=id):
                logger.log(level, "Delivery %s (%s) %s", id, event, fate)
        return web.json_response({"delivery": id, "status": fate}, status=202)

    async def _signed_body(self, request: web.Request) -> bytes:
        """Read the body; one that GitHub did not sign is not kept."""
        if request.headers.get("Content-Encoding", "identity") != "identity":
            raise web.HTTPBadRequest(text="The body is compressed; GitHub sends it plain.")
        async with self._bodies.read(request) as body:
            if not signed(body, request.headers.get("X-Hub-Signature-256", ""), self._secret):
                id = _GUID.fullmatch(request.headers.get("X-GitHub-Delivery", ""))
                name = id[0] if id else "without an id"
                with about(delivery=name):
                    logger.warning(
                        "Delivery %s was refused: its signature is missing or wrong", name
                    )
                raise web.HTTPForbidden(text=_UNSIGNED)
            return bytes(body)


_UNSIGNED = (
    "X-Hub-Signature-256 is missing or does not match the body. Set the same secret in the App's "
    "webhook settings and in GITHUB_WEBHOOK_SECRET (SHA-1 signatures are not taken)."
)


def signed(body: bytes | bytearray, signature: str, secret: SecretStr) -> bool:
    """Say whether ``signature`` (the header's value) is that of the raw body."""
    digest = hmac.new(secret.get_secret_value().encode(), body, hashlib.sha256).hexdigest()
    given = signature.encode("utf-8", "surrogateescape")
    return hmac.compare_digest(f"sha256={digest}".encode(), given)


def parse(body: bytes, content_type: str) -> dict[str, Any]:
    """Return the payload. Raises 400 if it is not a JSON object."""
    if content_type != "application/json":
        raise web.HTTPBadRequest(
            text=f"The content type is {content_type}. "
            "Set it to application/json in the App's webhook settings."
        )
    try:
        payload = from_json(body, allow_inf_nan=False, cache_strings="keys")
    except ValueError as error:
        raise web.HTTPBadRequest(text=f"The body is not JSON: {error}") from error
    if not isinstance(payload, dict):
        raise web.HTTPBadRequest(text="The body is JSON, but not an object.")
    return payload


def repository_of(payload: Mapping[str, Any]) -> int | None:
    """Return the repository's id; None for events of no repository."""
    repository = payload.get("repository")
    id = repository.get("id") if isinstance(repository, dict) else None
    return id if isinstance(id, int) and 0 < id < 2**63 else None


def _header(request: web.Request, name: str, form: re.Pattern[str]) -> str:
    value = request.headers.get(name, "")
    if not form.fullmatch(value):
        raise web.HTTPBadRequest(text=f"The header {name} is missing or malformed.")
    return value


def _githubs(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower().startswith("x-github-")}
