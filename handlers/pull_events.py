"""Reduce the webhooks about pull requests to the few facts we use."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

from handlers.events import (
    Envelope,
    Event,
    PullClosed,
    PullHead,
    PullPushed,
    PullReopened,
    PullTouched,
    User,
    common_of,
    validated,
)


class _Branch(BaseModel):
    ref: str
    sha: str = ""


class PullRequest(BaseModel):
    number: int
    head: _Branch
    base: _Branch | None = None
    user: User | None = None
    body: str | None = None
    merged: bool = False
    closed_at: datetime | None = None
    stack: Any = None


class PullPayload(Envelope):
    pull_request: PullRequest
    changes: dict[str, Any] = Field(default_factory=dict)


def read_pull(delivery: str, payload: dict[str, object]) -> Event | None:
    """Read ``pull_request``: its end, a push to its branch, or something else."""
    action = payload.get("action")
    found = validated("pull_request", PullPayload, payload)
    common, pull = common_of(delivery, found), found.pull_request
    if action == "synchronize":
        return PullPushed(**common, issue=pull.number, shows=_shown(pull))
    if action == "reopened":
        shows = _shown(pull)
        return PullReopened(**common, issue=pull.number, branch=pull.head.ref, shows=shows)
    if action != "closed" or pull.closed_at is None:
        moved = action == "opened" or "base" in found.changes
        return PullTouched(**common, issue=pull.number, shows=_shown(pull), moved=moved)
    return PullClosed(
        **common,
        issue=pull.number,
        merged=pull.merged,
        branch=pull.head.ref,
        base=pull.base.ref if pull.base else found.repository.default_branch,
        closed_at=pull.closed_at,
    )


def _shown(pull: PullRequest) -> PullHead | None:
    if not (pull.base and pull.head.sha):
        return None
    author = pull.user.login if pull.user else ""
    # a preview: what is not as described counts as none, and costs no event
    number = pull.stack.get("number") if isinstance(pull.stack, dict) else None
    stack = number if isinstance(number, int) else 0
    return PullHead(pull.head.sha, pull.base.ref, author, pull.body or "", pull.head.ref, stack)
