"""The list of webhooks, and what makes two of them the same, whatever id they arrive under."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from app.compose.server import WORKED
from app.setup.addresses import heard, manifest
from handlers.webhooks import SUBSCRIBED, WEBHOOKS, line_of, meaning_of
from tests.fake_github.world import NEEDS

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests/data/github"
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
    "pull_request_review_comment": COMMENT,
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
        ("pull_request", {"pull_request": {**PULL["pull_request"], "stack": {"number": 7}}}),
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


def test_every_name_is_github_s_own():
    """GitHub sends a webhook of each name that is worked."""
    described = json.loads((DATA / "webhooks-subset.json").read_text())["x-webhooks"]

    for each in WEBHOOKS:
        assert any(name.startswith(each.name.replace("_", "-")) for name in described), each.name


def test_the_app_asks_for_what_is_worked_but_not_for_what_comes_unasked():
    """GitHub sends ``installation`` events to every App and refuses a manifest that lists them.

    It sends the clicks of ``check_suite`` to every App that may write checks.
    """
    asked = manifest(name="x", public_url="https://x.test", redirect_url="https://x.test/setup")

    assert asked["default_events"] == list(SUBSCRIBED)
    assert {each.name for each in WEBHOOKS if each.unasked} == {
        "check_suite",
        "installation",
        "installation_repositories",
    }
    assert not {name for name in SUBSCRIBED if name.startswith("installation")}


def test_the_fake_sends_every_event() -> None:
    """An event without a permission in ``NEEDS`` could never be subscribed to in a test."""
    assert set(SUBSCRIBED) == NEEDS.keys(), "NEEDS in tests/fake_github/world.py"


def test_every_event_with_parts_is_tried() -> None:
    """An event that has parts in ``WEBHOOKS`` and no payload in ``PAYLOADS`` is named here."""
    assert {each.name for each in WEBHOOKS if each.parts} == PAYLOADS.keys()


def test_no_other_list_of_events():
    """The server works what is listed, the set-up explains what it asks for, the docs tell it."""
    told = (ROOT / "docs/setup.md").read_text()

    assert set(WORKED) == {each.name for each in WEBHOOKS}
    assert {one["name"]: one["why"] for one in heard()} == {
        each.name: each.why for each in WEBHOOKS if not each.unasked
    }
    assert all((f"| `{each.name}` |" in told) != each.unasked for each in WEBHOOKS)


@pytest.mark.parametrize(
    ("event", "payload", "line"),
    [
        ("issue_comment", {"issue": {"number": 5}}, " 5"),
        ("issues", {"issue": {"number": 5}}, " 5"),
        ("pull_request", {"pull_request": {"number": 5}}, " 5"),
        ("pull_request_review", {"pull_request": {"number": 5}}, " 5"),
        ("pull_request_review_comment", {"pull_request": {"number": 5}}, " 5"),
        ("push", {"ref": "refs/heads/main"}, " 'refs/heads/main'"),
        ("check_run", {"check_run": {"id": 5}}, ""),
        ("star", {}, ""),
    ],
)
def test_what_depends_on_order_is_one_line(event: str, payload: dict[str, Any], line: str) -> None:
    """What people say about one issue or pull request, and what becomes of one branch."""
    assert line_of(event, payload) == line
