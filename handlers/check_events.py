"""Reduce the webhooks about checks, statuses and merge queues to the few facts we use."""

from __future__ import annotations

from pydantic import BaseModel

from handlers.events import (
    ButtonClicked,
    CheckEnded,
    Envelope,
    Event,
    MergeQueued,
    Numbered,
    RerunRequested,
    common_of,
    validated,
)

_FAILED = ("failure", "timed_out", "error")
"""How check runs and commit statuses end that failed."""


class _App(BaseModel):
    slug: str | None = None


class CheckSuite(BaseModel):
    app: _App | None = None
    pull_requests: list[Numbered] = []


class _Suite(BaseModel):
    head_branch: str | None = None


class CheckRun(CheckSuite):
    id: int
    name: str
    head_sha: str
    external_id: str | None = None
    conclusion: str | None = None
    check_suite: _Suite = _Suite()


class Button(BaseModel):
    identifier: str


class _Group(BaseModel):
    head_sha: str


class CheckPayload(Envelope):
    check_run: CheckRun


class SuitePayload(Envelope):
    check_suite: CheckSuite


class GroupPayload(Envelope):
    merge_group: _Group


class _Head(BaseModel):
    sha: str


class _Branch(BaseModel):
    name: str
    commit: _Head


class StatusPayload(Envelope):
    sha: str
    state: str
    branches: tuple[_Branch, ...] = ()


class ClickPayload(Envelope):
    check_run: CheckRun
    requested_action: Button


def read_click(delivery: str, payload: dict[str, object]) -> Event | None:
    """Read ``check_run``: a click on one of our buttons or on *Re-run*, or the end of a check."""
    if payload.get("action") == "completed":
        return _ended(delivery, validated("check_run", CheckPayload, payload))
    if payload.get("action") == "rerequested":
        clicked = validated("check_run", CheckPayload, payload)
        return _again(delivery, clicked, clicked.check_run)
    if payload.get("action") != "requested_action":
        return None
    found = validated("check_run", ClickPayload, payload)
    check = found.check_run
    return ButtonClicked(
        **common_of(delivery, found),
        issue=_issue_of(check),
        button=found.requested_action.identifier,
        external_id=check.external_id or "",
    )


def read_suite(delivery: str, payload: dict[str, object]) -> Event | None:
    """Read ``check_suite``: a click on *Re-run all checks* of a commit."""
    if payload.get("action") != "rerequested":
        return None
    clicked = validated("check_suite", SuitePayload, payload)
    return _again(delivery, clicked, clicked.check_suite)


def read_queue(delivery: str, payload: dict[str, object]) -> Event | None:
    """Read ``merge_group``: a merge queue wants checks."""
    if payload.get("action") != "checks_requested":
        return None
    found = validated("merge_group", GroupPayload, payload)
    return MergeQueued(**common_of(delivery, found), issue=0, head=found.merge_group.head_sha)


def read_status(delivery: str, payload: dict[str, object]) -> Event | None:
    """Read ``status``: a tool that makes no check runs has ended on the head of some branches.

    GitHub lists branches that hold the commit, too, and names no pull request.
    """
    found = validated("status", StatusPayload, payload)
    branches = tuple(each.name for each in found.branches if each.commit.sha == found.sha)
    if found.state == "pending" or not branches:
        return None
    return CheckEnded(
        **common_of(delivery, found),
        issue=0,
        head=found.sha,
        branches=branches,
        failed=found.state in _FAILED,
    )


def _ended(delivery: str, found: CheckPayload) -> Event | None:
    check, common = found.check_run, common_of(delivery, found)
    branch, failed = check.check_suite.head_branch, check.conclusion in _FAILED
    merged = failed and branch == common["repository"].default_branch
    if not check.pull_requests and not merged:
        return None
    return CheckEnded(
        **common,
        issue=_issue_of(check),
        head=check.head_sha,
        app=_maker(check),
        branches=(branch,) if branch and merged else (),
        failed=failed,
    )


def _again(delivery: str, clicked: Envelope, at: CheckSuite) -> Event:
    return RerunRequested(**common_of(delivery, clicked), issue=_issue_of(at), app=_maker(at))


def _issue_of(check: CheckSuite) -> int:
    return check.pull_requests[0].number if check.pull_requests else 0


def _maker(check: CheckSuite) -> str:
    return (check.app.slug if check.app else None) or ""
