"""The parts of GitHub's webhook payloads that we read, checked when they come in.

(https://docs.github.com/en/webhooks/webhook-events-and-payloads)
"""

from __future__ import annotations

from datetime import datetime
from typing import TypeVar

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


class Installation(BaseModel):
    id: int


class Envelope(BaseModel):
    """What every event of a repository has."""

    repository: Repo
    installation: Installation
    sender: User


class Issue(BaseModel):
    number: int
    pull_request: dict[str, object] | None = None


class Comment(BaseModel):
    id: int
    node_id: str
    created_at: datetime
    body: str
    user: User


class CommentPayload(Envelope):
    issue: Issue
    comment: Comment


class _Branch(BaseModel):
    ref: str


class Pull(BaseModel):
    number: int
    head: _Branch
    merged: bool = False
    closed_at: datetime | None = None


class PullPayload(Envelope):
    pull_request: Pull


class Review(BaseModel):
    id: int
    state: str
    commit_id: str | None = None
    body: str | None = None
    submitted_at: datetime
    user: User


class _Numbered(BaseModel):
    number: int


class _Head(BaseModel):
    sha: str


class _Reviewed(_Numbered):
    head: _Head


class ReviewPayload(Envelope):
    review: Review
    pull_request: _Reviewed


class CheckRun(BaseModel):
    id: int
    name: str
    external_id: str | None = None
    pull_requests: list[_Numbered] = []


class Button(BaseModel):
    identifier: str


class ClickPayload(Envelope):
    check_run: CheckRun
    requested_action: Button


P = TypeVar("P", bound=BaseModel)


def validated(name: str, model: type[P], payload: dict[str, object]) -> P:
    """Check a payload; raises ``MalformedPayload`` with the first wrong field."""
    try:
        return model.model_validate(payload)
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise MalformedPayload(name, field, first["msg"]) from wrong
