"""Reduce a webhook payload to the few facts we use, at the door; beyond it nobody indexes one.

Events and actions we have no use for are None. A payload that lacks what GitHub's schema promises
raises ``MalformedPayload``, which names the field.
(https://docs.github.com/en/webhooks/webhook-events-and-payloads#issue_comment)
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel, ValidationError


class MalformedPayload(ValueError):
    """A payload lacks a field or has a wrong type in it; ``field`` is its dotted path."""

    def __init__(self, event: str, field: str, problem: str) -> None:
        super().__init__(f"{event} payload: {field or 'the payload'}: {problem}")
        self.event = event
        self.field = field


class User(BaseModel, frozen=True):
    """An account; ``type`` is GitHub's word (User, Bot, Organization, Mannequin)."""

    id: int
    login: str
    type: str = "User"


class Repo(BaseModel, frozen=True):
    """A repository; all state is keyed by ``id``, for names change and are reused."""

    id: int
    full_name: str
    default_branch: str
    private: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueCommentCreated:
    """Somebody wrote a new comment on an issue or pull request (both are issues here).

    ``delivery`` is GitHub's GUID, the same for a redelivery. ``author`` wrote the comment,
    ``sender`` caused the event; for a new comment they are the same account.
    """

    delivery: str
    repository: Repo
    installation_id: int
    issue: int
    is_pull_request: bool
    comment_id: int
    comment_node_id: str
    created_at: datetime
    body: str
    author: User
    sender: User


class _Issue(BaseModel):
    number: int
    pull_request: dict[str, object] | None = None


class _Comment(BaseModel):
    id: int
    node_id: str
    created_at: datetime
    body: str
    user: User


class _Installation(BaseModel):
    id: int


class _Payload(BaseModel):
    repository: Repo
    installation: _Installation
    issue: _Issue
    comment: _Comment
    sender: User


def read_event(*, name: str, delivery: str, payload: object) -> IssueCommentCreated | None:
    """Reduce a webhook (its ``X-GitHub-Event`` and ``X-GitHub-Delivery``) to an event.

    Only new comments trigger something: whoever can write may edit the comment of another, so an
    edit proves nothing about its author. Raises ``MalformedPayload``.
    """
    if name != "issue_comment":
        return None
    if not isinstance(payload, dict):
        raise MalformedPayload(name, "", "is not a JSON object")
    if payload.get("action") != "created":
        return None
    return _comment_created(delivery, _validated(name, payload))


def is_from_bot(event: IssueCommentCreated, *, own: str, allowed: Set[str] = frozenset()) -> bool:
    """Say whether the event is to be dropped: ours, or a bot's that the operator did not allow.

    Without this the bot would answer itself for ever. Logins compare without case, as on GitHub.
    """
    accounts = (event.sender, event.author)
    if any(account.login.lower() == own.lower() for account in accounts):
        return True
    welcome = {login.lower() for login in allowed}
    return any(a.type == "Bot" and a.login.lower() not in welcome for a in accounts)


def _validated(name: str, payload: dict[str, object]) -> _Payload:
    try:
        return _Payload.model_validate(payload)
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise MalformedPayload(name, field, first["msg"]) from wrong


def _comment_created(delivery: str, payload: _Payload) -> IssueCommentCreated:
    return IssueCommentCreated(
        delivery=delivery,
        repository=payload.repository,
        installation_id=payload.installation.id,
        issue=payload.issue.number,
        is_pull_request=payload.issue.pull_request is not None,
        comment_id=payload.comment.id,
        comment_node_id=payload.comment.node_id,
        created_at=payload.comment.created_at,
        body=payload.comment.body,
        author=payload.comment.user,
        sender=payload.sender,
    )
