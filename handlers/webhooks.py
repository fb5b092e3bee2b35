"""The webhooks Cairn works: the one list for manifest, set-up, doctor and dispatch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from handlers.check_events import read_click, read_queue, read_status, read_suite
from handlers.events import (
    Event,
    MalformedPayload,
    read_comment,
    read_issue,
    read_review,
    read_review_comment,
)
from handlers.pull_events import read_pull
from handlers.pushes import (
    BranchPushed,
    InstallationChanged,
    RepositoryChanged,
    read_installation,
    read_push,
    read_repository,
    read_selection,
)

Happening = Event | BranchPushed | InstallationChanged | RepositoryChanged
"""What a webhook is reduced to."""

_REPOSITORY = ("repository", "id")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookKind:
    """One kind of webhook by GitHub's name: why we want it and how its payload is read.

    ``parts`` are the places that say what happened to what: two payloads that agree there mean the
    same. Without any, the same thing may truly happen twice and look the same. An ``unasked`` one
    comes without a subscription: GitHub sends ``installation`` events to every App and refuses a
    manifest that names them, and sends what we want of ``check_suite`` to every App that may write
    checks (https://docs.github.com/en/webhooks/webhook-events-and-payloads).

    ``line`` is the place of what must be worked in order: a number of an issue or pull request, or
    a branch. Without one, those of a repository are worked in order. ``slow``: its work may change
    every open pull request, and nobody waits for an answer.
    """

    name: str
    why: str
    read: Callable[[str, dict[str, object]], Happening | None]
    parts: tuple[tuple[str, ...], ...] = ()
    line: tuple[str, ...] = ()
    slow: bool = False
    unasked: bool = False


WEBHOOKS = (
    WebhookKind(
        name="check_run",
        why="clicks on the buttons of a proposal and on Re-run; checks of other apps that fail on "
        "a checkpoint, or since its merge",
        read=read_click,
    ),
    WebhookKind(
        name="issue_comment",
        why="commands such as /execute, on issues and pull requests",
        read=read_comment,
        line=("issue", "number"),
        parts=(_REPOSITORY, ("action",), ("comment", "id"), ("comment", "body")),
    ),
    WebhookKind(
        name="issues",
        why="an issue gets the label that makes it a task, or its text changes; somebody ticks a "
        "checkbox of the dashboard, reopens it, or unlocks an issue",
        read=read_issue,
        line=("issue", "number"),
    ),
    WebhookKind(
        name="merge_group",
        why="a merge queue waits for the check cairn/trust",
        read=read_queue,
    ),
    WebhookKind(
        name="pull_request",
        why="a checkpoint or a proposal is merged or closed; a branch rule waits for a check of "
        "Cairn",
        read=read_pull,
        line=("pull_request", "number"),
        slow=True,
        parts=(
            _REPOSITORY,
            ("action",),
            ("pull_request", "id"),
            ("pull_request", "head", "sha"),
            ("pull_request", "updated_at"),
            ("pull_request", "merged_at"),  # closed, reopened and merged within a second
            ("pull_request", "stack", "number"),  # in and out of a native stack
        ),
    ),
    WebhookKind(
        name="pull_request_review",
        why="a review answers a proposal, or asks for changes of a checkpoint",
        read=read_review,
        line=("pull_request", "number"),
        parts=(
            _REPOSITORY,
            ("action",),
            ("review", "id"),
            ("review", "state"),
            ("review", "commit_id"),
            ("review", "body"),
        ),
    ),
    WebhookKind(
        name="pull_request_review_comment",
        why="a comment on lines of a checkpoint asks for a change",
        read=read_review_comment,
        line=("pull_request", "number"),
        parts=(_REPOSITORY, ("action",), ("comment", "id"), ("comment", "body")),
    ),
    WebhookKind(
        name="push",
        why="the roadmap changes",
        read=read_push,
        line=("ref",),
        slow=True,
        parts=(_REPOSITORY, ("ref",), ("before",), ("after",), ("repository", "pushed_at")),
    ),
    WebhookKind(
        name="repository",
        why="a repository is renamed, transferred, archived, unarchived, made private or public",
        read=read_repository,
    ),
    WebhookKind(
        name="status",
        why="commit statuses of other systems that fail on a checkpoint, or since its merge",
        read=read_status,
    ),
    WebhookKind(
        name="check_suite",
        why="clicks on Re-run all checks",
        read=read_suite,
        unasked=True,
    ),
    WebhookKind(
        name="installation",
        why="the App is suspended, removed, or granted new permissions",
        read=read_installation,
        unasked=True,
    ),
    WebhookKind(
        name="installation_repositories",
        why="a repository is added to the App's installation or taken out of it",
        read=read_selection,
        unasked=True,
    ),
)

SUBSCRIBED = tuple(each.name for each in WEBHOOKS if not each.unasked)
"""The manifest's ``default_events``: what the App has to subscribe to."""

RESTACK = "restack"
"""What is stored like a webhook when one of a pull request changed a stack: work of its own."""

SLOW = frozenset((*(each.name for each in WEBHOOKS if each.slow), RESTACK))

_LINE = 300
_BY_NAME: Mapping[str, WebhookKind] = {each.name: each for each in WEBHOOKS}


def read_webhook(*, name: str, delivery: str, payload: object) -> Happening | None:
    """Reduce a webhook (its ``X-GitHub-Event`` and ``X-GitHub-Delivery``) to what happened.

    None for events that we do not use. Raises ``MalformedPayload``.
    """
    known = _BY_NAME.get(name)
    if known is None:
        return None
    if not isinstance(payload, dict):
        raise MalformedPayload(name, "", "is not a JSON object")
    return known.read(delivery, payload)


def meaning_of(name: str, payload: Mapping[str, Any]) -> str | None:
    """Return the same text for payloads that mean the same; None for an event that has no such."""
    known = _BY_NAME.get(name)
    if known is None or not known.parts:
        return None
    found = [_at(payload, path) for path in known.parts]
    if found[0] is None:
        return None
    text = json.dumps([name, *found], ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def line_of(name: str, payload: Mapping[str, Any]) -> str:
    """Return the line within its repository in which a delivery is worked."""
    known = _BY_NAME.get(name)
    return f" {_at(payload, known.line)!a}"[:_LINE] if known and known.line else ""


def _at(payload: Any, path: tuple[str, ...]) -> Any:
    """What is at a path of keys; None where there is nothing."""
    for key in path:
        payload = payload.get(key) if isinstance(payload, dict) else None
    return payload
