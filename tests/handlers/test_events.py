"""From a payload to an event."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any

import pytest

from handlers.events import IssueCommentCreated, MalformedPayload, User, is_from_bot, read_event
from tests.handlers.conftest import comment

PAYLOAD: dict[str, Any] = {
    "action": "created",
    "issue": {"number": 7},
    "comment": {
        "id": 55,
        "node_id": "IC_1",
        "created_at": "2026-01-02T03:04:05Z",
        "body": "/execute",
        "user": {"id": 2, "login": "writer", "type": "User"},
    },
    "repository": {"id": 1, "full_name": "o/r", "default_branch": "main", "private": False},
    "installation": {"id": 3},
    "sender": {"id": 2, "login": "writer", "type": "User"},
}


def read(payload: object, name: str = "issue_comment") -> IssueCommentCreated | None:
    return read_event(name=name, delivery="d-1", payload=payload)


def test_a_new_comment_is_reduced() -> None:
    """A new comment becomes the few facts we use."""
    assert read(PAYLOAD) == comment("/execute")


def test_a_comment_on_a_pull_request_is_marked() -> None:
    """A pull request is an issue with a pull_request field."""
    event = read(PAYLOAD | {"issue": {"number": 7, "pull_request": {"url": "x"}}})

    assert event
    assert event.is_pull_request


@pytest.mark.parametrize("action", ["edited", "deleted", "pinned"])
def test_other_actions_are_ignored(action: str) -> None:
    """Edits of comments trigger nothing: others may edit one's comment."""
    assert read(PAYLOAD | {"action": action}) is None


@pytest.mark.parametrize("name", ["ping", "push", "something_new"])
def test_other_events_are_ignored(name: str) -> None:
    """An event we have no use for is no error."""
    assert read({"zen": "x"}, name) is None


@pytest.mark.parametrize(
    "path",
    [
        ("installation",),
        ("installation", "id"),
        ("repository", "default_branch"),
        ("issue", "number"),
        ("comment", "body"),
        ("comment", "user", "id"),
        ("sender", "login"),
    ],
    ids=".".join,
)
def test_a_missing_field_is_named(path: Sequence[str]) -> None:
    """A payload off GitHub's schema is refused with the field's path."""
    payload = copy.deepcopy(PAYLOAD)
    inner = payload
    for part in path[:-1]:
        inner = inner[part]
    del inner[path[-1]]

    with pytest.raises(MalformedPayload) as refusal:
        read(payload)
    assert refusal.value.field == ".".join(path)


@pytest.mark.parametrize("payload", [[], None, "x", json.loads("1")])
def test_a_payload_that_is_no_object_is_refused(payload: object) -> None:
    """JSON that is no object is malformed, not a crash."""
    with pytest.raises(MalformedPayload):
        read(payload)


BOT = User(id=9, login="Renovate[bot]", type="Bot")


def test_bots_are_dropped() -> None:
    """A bot's comment triggers nothing."""
    assert is_from_bot(comment("/execute", by=BOT), own="cairn[bot]")


def test_a_bot_can_be_allowed() -> None:
    """A bot on the operator's list is heard; case does not matter."""
    event = comment("/execute", by=BOT)

    assert not is_from_bot(event, own="cairn[bot]", allowed={"renovate[bot]"})


def test_we_never_hear_ourselves() -> None:
    """Our own comments are dropped even when somebody allows us."""
    us = User(id=99, login="Cairn[bot]", type="Bot")

    assert is_from_bot(comment("/execute", by=us), own="cairn[bot]", allowed={"cairn[bot]"})


def test_people_are_heard() -> None:
    """A person is no bot."""
    assert not is_from_bot(comment("/execute"), own="cairn[bot]")
