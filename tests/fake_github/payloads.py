"""Webhook payloads: a real sample of the event with our state laid over it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from tests.fake_github import git_shapes, shapes, trees
from tests.fake_github.clock import stamp
from tests.fake_github.spec import DATA
from tests.fake_github.state import Comment, Installation, Issue, Repo, Review, User
from tests.fake_github.world import Happening, World

SAMPLES = {
    "issues.closed": "issues.reopened",
    "issues.locked": "issues.reopened",
    "issues.unlocked": "issues.reopened",
    "issue_comment.deleted": "issue_comment.deleted.2",
    "issues.deleted": "issues.opened",
    "pull_request.edited": "pull_request.opened",
    "pull_request.stacked": "pull_request.opened",
    "repository.archived": "repository.renamed",
    "repository.transferred": "repository.renamed",
    "repository.privatized": "repository.renamed",
    "repository.unarchived": "repository.renamed",
}
ZERO = "0" * 40
MOST_COMMITS = 2048


@cache
def _sample(name: str) -> str:
    return (DATA / "webhook-payloads" / f"{name}.json").read_text(encoding="utf-8")


def _overlay(sample: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
    return {**sample, **ours}


def happening(
    world: World, event: str, action: str | None, repo: Repo, sender: User, **parts: Any
) -> Happening:
    """The webhook of an event in a repository; ``parts`` lie over the sample's own."""
    key = f"{event}.{action}" if action else event
    data = shapes.rewrite(world, _sample(SAMPLES.get(key, key)), repo)
    for name in ("organization", "label", "assignee", "changes"):
        data.pop(name, None)
    installation = world.installation_of(repo.owner)
    number = installation.id if installation else 0
    data.update(
        repository=shapes.repository(world, repo),
        sender=shapes.user(world, sender),
        installation={"id": number, "node_id": f"INST_{number}"},
    )
    if action:
        data["action"] = action
    for name, value in parts.items():
        known = data.get(name)
        both = isinstance(known, dict) and isinstance(value, dict)
        data[name] = _overlay(known, value) if both else value
    return Happening(event, action, data, repo)


def comment(
    world: World, action: str, repo: Repo, where: Issue, one: Comment, by: User, **more: Any
) -> Happening:
    """issue_comment: created, edited (with ``changes``) or deleted."""
    parts = {
        "issue": shapes.issue(world, repo, where),
        "comment": shapes.comment(world, repo, where, one),
    }
    if one.minimized is None:
        parts["comment"].pop("minimized")
    return happening(world, "issue_comment", action, repo, by, **parts, **more)


def issue(world: World, action: str, repo: Repo, where: Issue, by: User, **more: Any) -> Happening:
    """issues: opened, edited, closed, reopened, labeled, deleted."""
    shape = shapes.issue(world, repo, where)
    return happening(world, "issues", action, repo, by, issue=shape, **more)


def pull(world: World, action: str, repo: Repo, where: Issue, by: User, **more: Any) -> Happening:
    """pull_request: opened, closed, reopened, synchronize, ready_for_review, and so on."""
    shape = git_shapes.pull(world, repo, where)
    parts = {"pull_request": shape, "number": where.number}
    return happening(world, "pull_request", action, repo, by, **parts, **more)


def review(world: World, repo: Repo, where: Issue, given: Review, by: User) -> Happening:
    """pull_request_review.submitted."""
    shape = shapes.review(world, repo, where, given)
    shape["state"] = given.state.lower()
    pulled = git_shapes.pull(world, repo, where, full=False)
    parts = {"review": shape, "pull_request": pulled}
    return happening(world, "pull_request_review", "submitted", repo, by, **parts)


def review_comment(
    world: World, repo: Repo, where: Issue, shape: dict[str, Any], by: User
) -> Happening:
    """pull_request_review_comment.created."""
    pulled = git_shapes.pull(world, repo, where, full=False)
    parts = {"comment": shape, "pull_request": pulled}
    return happening(world, "pull_request_review_comment", "created", repo, by, **parts)


def check_run(
    world: World, action: str, repo: Repo, run: dict[str, Any], by: User, **more: Any
) -> Happening:
    """check_run: created, completed, rerequested, requested_action."""
    suite = {"id": run["check_suite"]["id"], "head_sha": run["head_sha"], "app": run["app"]}
    heads = (ref for ref, head in repo.bare.refs().items() if head == run["head_sha"])
    suite["head_branch"] = next((ref.removeprefix("refs/heads/") for ref in heads), None)
    built = happening(world, "check_run", action, repo, by, **more)
    sample: Any = built.payload["check_run"]
    inner = _overlay(sample["check_suite"], suite)
    merged = {**_overlay(sample, run), "check_suite": inner}
    return Happening("check_run", action, {**built.payload, "check_run": merged}, repo)


def check_suite(world: World, repo: Repo, run: dict[str, Any], by: User) -> Happening:
    """check_suite.rerequested, for the suite that a check run is in."""
    built = happening(world, "check_suite", "rerequested", repo, by)
    sample: Any = built.payload["check_suite"]
    sample["id"] = run["check_suite"]["id"]
    sample["app"] |= {name: run["app"][name] for name in ("id", "slug", "name")}  # not every event
    sample |= {name: run[name] for name in ("head_sha", "pull_requests")}
    return built


def status(world: World, repo: Repo, sha: str, shape: dict[str, Any], by: User) -> Happening:
    """status: the branches are those that hold the commit, ten at most, each with its head."""
    api = f"{world.api_url}/repos/{repo.full_name}"
    branches = [
        {"name": ref, "commit": {"sha": head, "url": f"{api}/commits/{head}"}, "protected": False}
        for ref, head in (
            (ref.removeprefix("refs/heads/"), h) for ref, h in repo.bare.refs().items()
        )
        if repo.bare.is_ancestor(sha, head)
    ]
    said = {name: shape[name] for name in ("id", "state", "context", "description", "target_url")}
    times = {name: shape[name] for name in ("created_at", "updated_at")}
    parts = {**said, **times, "sha": sha, "name": repo.full_name, "branches": branches[:10]}
    built = happening(world, "status", None, repo, by, **parts)
    commit: Any = built.payload["commit"]
    commit["sha"] = sha
    commit["commit"]["verification"]["verified_at"] = None  # newer than the sample
    return built


def push(
    world: World, repo: Repo, ref: str, before: str | None, after: str | None, by: User
) -> Happening:
    """A push to one ref; None stands for "was not there" and "is gone"."""
    commits = _commits(world, repo, before, after)
    parts = {
        "ref": ref,
        "before": before or ZERO,
        "after": after or ZERO,
        "created": before is None,
        "deleted": after is None,
        "forced": bool(before and after and not repo.bare.is_ancestor(before, after)),
        "base_ref": None,
        "commits": commits,
        "pusher": {"name": by.login, "email": f"{by.login}@users.noreply.github.com"},
    }
    built = happening(world, "push", None, repo, by, **parts)
    head = _pushed(world, repo, after) if after else None
    repository = shapes.repository(world, repo)
    created = int(repo.created.timestamp())
    repository.update(created_at=created, pushed_at=int(world.clock.now().timestamp()))
    more = {"head_commit": head, "repository": repository}
    return Happening("push", None, {**built.payload, **more}, repo)


def _commits(
    world: World, repo: Repo, before: str | None, after: str | None
) -> list[dict[str, Any]]:
    if after is None:
        return []
    main = repo.bare.resolve(f"refs/heads/{repo.default_branch}")
    start = before or main
    new = repo.bare.between(start, after) if start else []
    return [_pushed(world, repo, sha) for sha in new[:MOST_COMMITS]]


def _pushed(world: World, repo: Repo, sha: str) -> dict[str, Any]:
    raw = git_shapes.git_commit(world, repo, sha)
    parent = raw["parents"][0]["sha"] if raw["parents"] else None
    lists: dict[str, list[str]] = {"added": [], "removed": [], "modified": []}
    old = repo.bare.resolve(parent, "tree") if parent else None
    for status, path in trees.changed(repo.bare.objects, old, raw["tree"]["sha"]):
        lists[{"A": "added", "D": "removed"}.get(status, "modified")].append(path)
    return {
        "id": sha,
        "tree_id": raw["tree"]["sha"],
        "distinct": True,
        "message": raw["message"],
        "timestamp": raw["committer"]["date"],
        "url": raw["html_url"],
        "author": raw["author"],
        "committer": raw["committer"],
        **lists,
    }


def renamed(world: World, repo: Repo, old: str, by: User) -> Happening:
    """repository.renamed."""
    changes = {"repository": {"name": {"from": old}}}
    return happening(world, "repository", "renamed", repo, by, changes=changes)


def transferred(world: World, repo: Repo, old: User, by: User) -> Happening:
    """repository.transferred, from another owner."""
    changes = {"owner": {"from": {"user": shapes.user(world, old)}}}
    return happening(world, "repository", "transferred", repo, by, changes=changes)


def installation(world: World, action: str, one: Installation) -> Happening:
    """installation: created, deleted, suspend, unsuspend, new_permissions_accepted."""
    like = "unsuspend" if action == "new_permissions_accepted" else action
    data = _about(world, f"installation.{like}", one) | {"action": action}
    return Happening("installation", action, data)


def installed(world: World, one: Installation, repositories: Sequence[Repo]) -> Happening:
    """installation.created, for some repositories."""
    data = _about(world, "installation.created", one)
    data["repositories"] = [_named(world, repo) for repo in repositories]
    return Happening("installation", "created", data)


def _named(world: World, repo: Repo) -> dict[str, Any]:
    shape = shapes.repository(world, repo)
    return {name: shape[name] for name in ("id", "node_id", "name", "full_name", "private")}


def installation_repositories(
    world: World, action: str, one: Installation, repo: Repo
) -> Happening:
    """installation_repositories: added, removed."""
    data = _about(world, f"installation_repositories.{action}", one)
    told = [_named(world, repo)]
    data["repositories_added"] = told if action == "added" else []
    data["repositories_removed"] = told if action == "removed" else []
    return Happening("installation_repositories", action, data)


def _about(world: World, sample: str, one: Installation) -> dict[str, Any]:
    data: dict[str, Any] = shapes.rewrite(world, _sample(sample), None)
    data["installation"].update(
        id=one.id,
        account=shapes.user(world, one.account),
        app_id=world.app.id,
        app_slug=world.app.slug,
        permissions=one.permissions,
        suspended_at=stamp(one.suspended) if one.suspended else None,
        created_at=stamp(one.created),
        updated_at=stamp(one.created),
    )
    data["sender"] = shapes.user(world, one.account)
    return data
