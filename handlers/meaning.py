"""What a webhook means, so that the same is worked once, under whatever id it arrives.

GitHub gives a redelivery the id of the first delivery. But the id is a header, which the signature
does not cover: whoever holds a signed body could send it again under a fresh one.
(https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks)
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

_REPOSITORY = ("repository", "id")

_PARTS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "issue_comment": (_REPOSITORY, ("action",), ("comment", "id"), ("comment", "body")),
    "pull_request": (
        _REPOSITORY,
        ("action",),
        ("pull_request", "id"),
        ("pull_request", "head", "sha"),
        ("pull_request", "updated_at"),
    ),
    "pull_request_review": (
        _REPOSITORY,
        ("action",),
        ("review", "id"),
        ("review", "state"),
        ("review", "commit_id"),
        ("review", "body"),
    ),
    "push": (_REPOSITORY, ("ref",), ("before",), ("after",), ("repository", "pushed_at")),
}
"""Where each event says what happened to what.

Absent are events that may truly happen twice and look the same: a second click on a button.
"""


def meaning_of(event: str, payload: Mapping[str, Any]) -> str | None:
    """Return the same text for payloads that mean the same; None for an event that has no such."""
    parts = _PARTS.get(event)
    if parts is None:
        return None
    found = [_at(payload, path) for path in parts]
    if found[0] is None:
        return None
    text = json.dumps([event, *found], ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _at(payload: Any, path: tuple[str, ...]) -> Any:
    """What is at a path of keys; None where there is nothing."""
    for key in path:
        payload = payload.get(key) if isinstance(payload, dict) else None
    return payload
