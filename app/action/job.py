"""The workflow job around us: what the runner says of it, and the event that started it.

(https://docs.github.com/en/actions/reference/workflows-and-actions/variables)
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.action import texts
from app.action.errors import Refused
from app.github.token_identity import INSTALLATION
from app.store.deliveries import Arrival
from handlers.events import MalformedPayload, read_event
from handlers.payloads import User
from handlers.pushes import EVENT as PUSH
from handlers.pushes import read_push

DELIVERED = frozenset({"issue_comment", "pull_request", "pull_request_review", PUSH})
"""Events that are worked as the server works a delivery."""

STARTED = frozenset({"schedule", "workflow_dispatch"})
"""Events that ask for a run by themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job of one workflow run. ``run`` is its number, the same when it is run again."""

    repository: str
    event: str
    payload: Mapping[str, Any]
    run: str
    name: str
    output: Path | None
    summary: Path | None
    data: Path

    @property
    def delivery(self) -> str:
        """Name the event: what happens once has one name, however often it is told."""
        comment = self.payload.get("comment")
        if isinstance(comment, dict) and self.payload.get("action") == "created":
            return comment_delivery(comment.get("id"))
        if self.event == PUSH:
            return f"push-{self.payload.get('after')}"
        return f"workflow-{self.run}-{hashlib.sha256(self.name.encode()).hexdigest()[:8]}"

    @property
    def body(self) -> bytes:
        """The payload as an App would get it."""
        return delivered(self.payload)

    @property
    def sender(self) -> User:
        """Who started it by hand; nobody in particular on a schedule."""
        found = self.payload.get("sender")
        if self.event == "schedule" or not isinstance(found, dict):
            return User(id=0, login=self.event)
        return User.model_validate(found)

    def arrival(self, repository_id: int) -> Arrival:
        """The event as a delivery of a repository."""
        return Arrival(self.delivery, repository_id)


def comment_delivery(id: object) -> str:
    """Name a new comment, whoever tells of it."""
    return f"comment-{id}"


def delivered(payload: Mapping[str, Any]) -> bytes:
    """A payload with the installation it would have if an App got it."""
    return json.dumps({**payload, "installation": {"id": INSTALLATION}}).encode()


def read_job(environment: Mapping[str, str]) -> Job:
    """Read what the runner says. Raises ``Refused`` for what no job can be."""
    repository, event = (environment.get(f"GITHUB_{n}", "") for n in ("REPOSITORY", "EVENT_NAME"))
    if not repository or not event:
        raise Refused(texts.NO_JOB)
    if event not in DELIVERED | STARTED:
        raise Refused(texts.unknown_event(event, sorted(DELIVERED | STARTED)))
    payload = _payload(environment.get("GITHUB_EVENT_PATH", ""), event)
    _check(event, payload)
    temporary = environment.get("RUNNER_TEMP") or "."
    return Job(
        repository=repository,
        event=event,
        payload=payload,
        run=environment.get("GITHUB_RUN_ID", "0"),
        name=environment.get("GITHUB_JOB", ""),
        output=_path(environment.get("GITHUB_OUTPUT")),
        summary=_path(environment.get("GITHUB_STEP_SUMMARY")),
        data=Path(temporary, "cairn-data").resolve(),
    )


def _payload(path: str, event: str) -> dict[str, Any]:
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8")) if path else None
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict) or (event in DELIVERED and not found):
        raise Refused(texts.no_payload(event))
    return found


def _check(event: str, payload: Mapping[str, Any]) -> None:
    if event not in DELIVERED:
        return
    whole = json.loads(delivered(payload))
    try:
        if event == PUSH:
            read_push(delivery="", payload=whole)
        else:
            read_event(name=event, delivery="", payload=whole)
    except MalformedPayload as wrong:
        raise Refused(texts.malformed(str(wrong))) from wrong


def _path(value: str | None) -> Path | None:
    return Path(value) if value else None
