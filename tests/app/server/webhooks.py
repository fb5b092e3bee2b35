"""What the tests of the server and the inbox share: a clock and signed requests."""

from __future__ import annotations

import hashlib
import hmac
import json
from datetime import UTC, datetime

from pydantic import SecretStr

SECRET = SecretStr("It's a Secret to Everybody")


async def always(_name, _payload):
    """Everything has work."""
    return True


class FixedClock:
    """A clock that stands still."""

    def now(self):
        return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

    def monotonic(self):
        return 0.0


def sign(body, secret=SECRET):
    digest = hmac.new(secret.get_secret_value().encode(), body, hashlib.sha256).hexdigest()
    return f"sha256={digest}"


def webhook(payload=None, *, body=None, id="d-1", event="issue_comment", **headers):
    """The arguments of a signed POST; a header given as None is left out."""
    body = json.dumps(payload or {"repository": {"id": 42}}).encode() if body is None else body
    all_headers = {
        "X-Hub-Signature-256": sign(body),
        "X-GitHub-Delivery": id,
        "X-GitHub-Event": event,
        "Content-Type": "application/json",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    return {"data": body, "headers": {k: v for k, v in all_headers.items() if v is not None}}
