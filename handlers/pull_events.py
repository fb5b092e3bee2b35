"""Reduce the webhooks about pull requests to the few facts we use."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class NativeStack:
    """The stack of GitHub itself that a pull request is in: its number, and what it is merged into.

    Members keep the base that GitHub gives them, are merged together with those below, and GitHub
    rebases what is left. Servers without it, and pull requests outside, simply have none
    (https://docs.github.com/rest/pulls/stacks).
    """

    number: int
    base: str


def read_native(found: Any) -> NativeStack | None:
    """Read the ``stack`` of a pull request; what is not as described counts as none: a preview."""
    base = found.get("base") if isinstance(found, dict) else None
    number = found.get("number") if isinstance(found, dict) else None
    if not (isinstance(base, dict) and isinstance(base.get("ref"), str)):
        return None
    return NativeStack(number if isinstance(number, int) else 0, base["ref"])


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
    base = pull.base.ref if pull.base else found.repository.default_branch
    native = read_native(pull.stack) if pull.merged else None
    return PullClosed(
        **common,
        issue=pull.number,
        merged=pull.merged,
        branch=pull.head.ref,
        base=native.base if native else base,
        closed_at=pull.closed_at,
    )


def _shown(pull: PullRequest) -> PullHead | None:
    if not (pull.base and pull.head.sha):
        return None
    author = pull.user.login if pull.user else ""
    native = read_native(pull.stack)
    stack = native.number if native else 0
    return PullHead(pull.head.sha, pull.base.ref, author, pull.body or "", pull.head.ref, stack)
