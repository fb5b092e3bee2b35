"""What makes two webhooks the same, whatever id they arrive under."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from handlers.events import meaning_of

REPOSITORY = {"id": 1, "pushed_at": 1_700_000_000}
COMMENT = {
    "action": "created",
    "repository": REPOSITORY,
    "comment": {"id": 5, "body": "/execute", "updated_at": "2026-01-01T00:00:00Z"},
}
PUSH = {"repository": REPOSITORY, "ref": "refs/heads/main", "before": "a" * 40, "after": "b" * 40}
REVIEW = {
    "action": "submitted",
    "repository": REPOSITORY,
    "review": {"id": 9, "state": "approved", "commit_id": "c" * 40, "body": ""},
}
PULL = {
    "action": "closed",
    "repository": REPOSITORY,
    "pull_request": {"id": 7, "head": {"sha": "d" * 40}, "updated_at": "2026-01-01T00:00:00Z"},
}
PAYLOADS: Mapping[str, dict[str, Any]] = {
    "issue_comment": COMMENT,
    "push": PUSH,
    "pull_request_review": REVIEW,
    "pull_request": PULL,
}


@pytest.mark.parametrize("event", PAYLOADS)
def test_the_same_happening_means_the_same(event: str) -> None:
    """Another sender's name or a longer payload changes nothing."""
    payload = PAYLOADS[event]

    assert meaning_of(event, payload) == meaning_of(event, {**payload, "installation": {"id": 3}})
    assert meaning_of(event, payload) is not None


@pytest.mark.parametrize(
    ("event", "change"),
    [
        ("issue_comment", {"comment": {"id": 6, "body": "/execute"}}),
        ("issue_comment", {"comment": {"id": 5, "body": "/execute cancel"}}),
        ("issue_comment", {"action": "deleted"}),
        ("issue_comment", {"repository": {"id": 2}}),
        ("push", {"after": "a" * 40}),
        ("push", {"ref": "refs/heads/other"}),
        ("push", {"repository": {"id": 1, "pushed_at": 1_700_000_060}}),
        ("pull_request_review", {"review": {**REVIEW["review"], "id": 10}}),
        ("pull_request_review", {"review": {**REVIEW["review"], "state": "changes_requested"}}),
        ("pull_request", {"action": "reopened"}),
        ("pull_request", {"pull_request": {**PULL["pull_request"], "updated_at": "later"}}),
    ],
)
def test_another_happening_means_something_else(event: str, change: dict[str, Any]) -> None:
    """Also a second push of the same commits, which somebody undid in between."""
    payload = PAYLOADS[event]

    assert meaning_of(event, {**payload, **change}) != meaning_of(event, payload)


@pytest.mark.parametrize("payload", [{}, {"repository": None}, {"repository": "x"}])
def test_what_is_malformed_means_nothing(payload: dict[str, Any]) -> None:
    """So it is never taken for a repetition of something else."""
    assert meaning_of("issue_comment", payload) is None


def test_a_click_can_be_meant_twice() -> None:
    """GitHub shows no difference between two clicks on a button."""
    assert meaning_of("check_run", {"repository": REPOSITORY, "action": "requested_action"}) is None
