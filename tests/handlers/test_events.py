"""From a payload to an event."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any

import pytest

from handlers.events import (
    ButtonClicked,
    CommentDeleted,
    Event,
    IssueCommentCreated,
    IssueLabelled,
    MalformedPayload,
    PullClosed,
    PullPushed,
    PullReopened,
    PullReviewed,
    PullTouched,
    RerunRequested,
    ReviewCommented,
    User,
    is_from_bot,
)
from handlers.webhooks import read_webhook
from tests.fake_github.spec import DATA
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


def read(payload: object, name: str = "issue_comment") -> Event | None:
    return read_webhook(name=name, delivery="d-1", payload=payload)


def test_a_new_comment_is_reduced() -> None:
    """A new comment becomes the few facts we use."""
    assert read(PAYLOAD) == comment("/execute")


def test_a_comment_on_a_pull_request_is_marked() -> None:
    """A pull request is an issue with a pull_request field."""
    event = read(PAYLOAD | {"issue": {"number": 7, "pull_request": {"url": "x"}}})

    assert isinstance(event, IssueCommentCreated)
    assert event.is_pull_request


@pytest.mark.parametrize("action", ["edited", "pinned"])
def test_other_actions_are_ignored(action: str) -> None:
    """Edits of comments trigger nothing: others may edit one's comment."""
    assert read(PAYLOAD | {"action": action}) is None


def test_an_edit_on_a_pull_request_only_touches_it() -> None:
    """It says that something happened there, and nothing of what was written."""
    pull = {"number": 7, "pull_request": {"url": "x"}}

    assert type(read(PAYLOAD | {"action": "edited", "issue": pull})) is PullTouched


SAMPLES: dict[str, tuple[str, type, dict[str, object]]] = {
    "issue_comment.deleted.2": ("issue_comment", CommentDeleted, {}),
    "issues.labeled": ("issues", IssueLabelled, {"issue": 1, "label": "bug"}),
    "pull_request.closed": ("pull_request", PullClosed, {"issue": 2}),
    "pull_request.synchronize": ("pull_request", PullPushed, {}),
    "pull_request.reopened": ("pull_request", PullReopened, {}),
    "pull_request_review.submitted": (
        "pull_request_review",
        PullReviewed,
        {"issue": 2, "verdict": "commented"},
    ),
    "pull_request_review_comment.created": (
        "pull_request_review_comment",
        ReviewCommented,
        {"issue": 2, "review": 237895671},
    ),
    "check_run.requested_action": ("check_run", ButtonClicked, {"issue": 26764}),
    "check_suite.rerequested": ("check_suite", RerunRequested, {"issue": 2}),
}


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_real_payload_is_reduced(sample: str) -> None:
    """GitHub's own samples become the events we use."""
    name, kind, has = SAMPLES[sample]
    payload = json.loads((DATA / "webhook-payloads" / f"{sample}.json").read_text())
    event = read({"installation": {"id": 3}, **payload}, name)

    assert type(event) is kind
    assert {key: getattr(event, key) for key in has} == has


@pytest.mark.parametrize(
    ("stack", "number"),
    [({"base": {"ref": "main"}, "number": 7}, 7), ({"base": {"ref": "main"}}, 0), (None, 0)],
)
def test_a_pull_request_may_be_in_a_native_stack(stack: object, number: int) -> None:
    """``stacked`` and all later events say which one; what is not as described costs no event."""
    payload = json.loads((DATA / "webhook-payloads" / "pull_request.opened.json").read_text())
    payload |= {"action": "stacked", "installation": {"id": 3}}
    for shown in (stack, [stack], str(stack)):
        payload["pull_request"]["stack"] = shown
        event = read(payload, "pull_request")
        assert isinstance(event, PullTouched)
        assert (event.moved, event.shows and event.shows.branch) == (False, "changes")
        assert event.shows
        assert event.shows.stack == (number if shown is stack else 0)


@pytest.mark.parametrize("state", ["approved", "changes_requested"])
def test_a_review_with_a_verdict_says_something(state: str) -> None:
    """Comments and dismissals do not."""
    path = DATA / "webhook-payloads/pull_request_review.submitted.json"
    payload = json.loads(path.read_text())
    payload["review"]["state"] = state
    event = read({"installation": {"id": 3}, **payload}, "pull_request_review")

    assert isinstance(event, PullReviewed)
    assert event.verdict == state


@pytest.mark.parametrize("outdated", [True, False])
def test_a_review_is_of_a_commit(outdated: bool) -> None:
    """Whoever pushed between the look and the click changed what is reviewed."""
    path = DATA / "webhook-payloads/pull_request_review.submitted.json"
    payload = json.loads(path.read_text())
    head = payload["pull_request"]["head"]["sha"]
    payload["review"] |= {"state": "approved", "commit_id": "0" * 40 if outdated else head}
    event = read({"installation": {"id": 3}, **payload}, "pull_request_review")

    assert isinstance(event, PullReviewed)
    assert event.outdated is outdated


@pytest.mark.parametrize("name", ["ping", "something_new"])
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
    assert is_from_bot(comment("/execute", by=BOT).accounts, own="cairn[bot]")


def test_a_bot_can_be_allowed() -> None:
    """A bot on the operator's list is heard; case does not matter."""
    event = comment("/execute", by=BOT)

    assert not is_from_bot(event.accounts, own="cairn[bot]", allowed={"renovate[bot]"})


def test_we_never_hear_ourselves() -> None:
    """Our own comments are dropped even when somebody allows us."""
    us = User(id=99, login="Cairn[bot]", type="Bot")

    assert is_from_bot(
        comment("/execute", by=us).accounts, own="cairn[bot]", allowed={"cairn[bot]"}
    )


def test_people_are_heard() -> None:
    """A person is no bot."""
    assert not is_from_bot(comment("/execute").accounts, own="cairn[bot]")
