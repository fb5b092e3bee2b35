"""State in GitHub's form: its own example, with the fields that carry state overwritten."""

from __future__ import annotations

import json
import marshal
from collections import Counter
from typing import Any

from tests.fake_github.clock import stamp
from tests.fake_github.spec import example
from tests.fake_github.state import Comment, Issue, Label, Reaction, Repo, Review, User
from tests.fake_github.world import World

REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")
SAMPLE_SHA = "6dcb09b5b57875f334f61aebed695e2e4193db5e"


Swaps = tuple[tuple[str, str], ...]
"""Texts of an example, and what stands in the place of each."""


def template(
    world: World,
    identity: str,
    status: str = "200",
    name: str = "",
    *,
    repo: Repo | None = None,
    swaps: Swaps = (),
) -> Any:
    """A fresh copy of GitHub's example whose addresses and repository are ours."""
    return rewrite(world, example(identity, status, name), repo, swaps)


def rewrite(world: World, text: str, repo: Repo | None, swaps: Swaps = ()) -> Any:
    """Parse an example with our addresses in the place of GitHub's."""
    key = (text, repo.full_name if repo else None, swaps)
    if key not in world.rewritten:
        swaps += (
            ("https://api.github.com", world.api_url),
            ("https://github.com", world.server_url),
        )
        if repo is not None:
            samples = ("octocat/Hello-World", "octocat/hello-world", "octocat/example")
            samples += ("github/hello-world", "Codertocat/Hello-World")
            swaps += tuple((sample, repo.full_name) for sample in samples)
        for sample, ours in swaps:
            text = text.replace(sample, ours)
        world.rewritten[key] = marshal.dumps(json.loads(text))
    return marshal.loads(world.rewritten[key])  # noqa: S302 - our own


def user(world: World, who: User) -> dict[str, Any]:
    """An account (simple-user)."""
    swaps = (("/users/octocat", f"/users/{who.login}"),)
    shape: dict[str, Any] = template(world, "issues/get-comment", swaps=swaps)["user"]
    page = f"apps/{world.app.slug}" if who is world.app.bot else who.login
    shape.update(
        login=who.login,
        id=who.id,
        node_id=f"U_{who.id}",
        type=who.type,
        html_url=f"{world.server_url}/{page}",
        site_admin=False,
    )
    return shape


def repository(world: World, repo: Repo, *, full: bool = True) -> dict[str, Any]:
    """A repository (full-repository, or minimal for lists)."""
    shape: dict[str, Any] = template(world, "repos/get", repo=repo)
    for extra in ("template_repository", "parent", "source", "organization"):
        shape.pop(extra, None)
    base = f"{world.server_url}/{repo.full_name}"
    shape.update(
        id=repo.id,
        node_id=f"R_{repo.id}",
        name=repo.name,
        full_name=repo.full_name,
        owner=user(world, repo.owner),
        private=repo.private,
        archived=repo.archived,
        visibility="private" if repo.private else "public",
        default_branch=repo.default_branch,
        html_url=base,
        clone_url=f"{base}.git",
        language=None,
        allow_merge_commit="merge" in repo.merge_methods,
        allow_squash_merge="squash" in repo.merge_methods,
        allow_rebase_merge="rebase" in repo.merge_methods,
        delete_branch_on_merge=repo.delete_branch_on_merge,
        created_at=stamp(repo.created),
        open_issues_count=sum(i.state == "open" for i in repo.issues.values()),
    )
    if not full:
        shape.pop("security_and_analysis", None)
    return shape


def label(world: World, repo: Repo, one: Label) -> dict[str, Any]:
    """A label."""
    shape: dict[str, Any] = template(world, "issues/create-label", "201", repo=repo)
    shape.update(
        id=one.id,
        node_id=f"LA_{one.id}",
        name=one.name,
        color=one.color,
        description=one.description or "",  # null is off schema in a list of pull requests
        default=False,
        url=f"{world.api_url}/repos/{repo.full_name}/labels/{one.name}",
    )
    return shape


def reaction(world: World, one: Reaction) -> dict[str, Any]:
    """A reaction."""
    shape: dict[str, Any] = template(world, "reactions/create-for-issue-comment", "201")
    shape.update(
        id=one.id,
        node_id=f"REA_{one.id}",
        user=user(world, one.user),
        content=one.content,
        created_at=stamp(one.created),
    )
    return shape


def rollup(reactions: list[Reaction], url: str) -> dict[str, Any]:
    """The summary of reactions every issue and comment carries."""
    counted = Counter(r.content for r in reactions)
    return {
        "url": f"{url}/reactions",
        "total_count": len(reactions),
        **{content: counted[content] for content in REACTIONS},
    }


def app(world: World) -> dict[str, Any]:
    """The App as others see it (integration)."""
    shape: dict[str, Any] = template(world, "apps/get-authenticated")
    one = world.app
    shape.update(
        id=one.id,
        slug=one.slug,
        node_id=f"A_{one.id}",
        name=one.slug.title(),
        owner=user(world, one.owner),
        html_url=f"{world.server_url}/apps/{one.slug}",
        permissions=dict(one.permissions),
        events=list(one.events),
        created_at=stamp(one.created),
        updated_at=stamp(one.created),
    )
    return shape


def _via(world: World) -> dict[str, Any]:
    """The App as an issue or comment names it; the schemas of webhooks know no newer events."""
    shape = app(world)
    shape["events"] = [event for event in shape["events"] if event != "merge_group"]
    return shape


def association(world: World, repo: Repo, who: User) -> str:
    """author_association, as unreliable as the real one: members count as contributors."""
    if who is repo.owner:
        return "OWNER"
    return "CONTRIBUTOR" if repo.roles.get(who.id) else "NONE"


def comment(world: World, repo: Repo, issue: Issue, one: Comment) -> dict[str, Any]:
    """A comment on an issue or pull request."""
    shape: dict[str, Any] = template(world, "issues/get-comment", repo=repo)
    kind = "pull" if issue.pull else "issues"
    url = f"{world.api_url}/repos/{repo.full_name}/issues/comments/{one.id}"
    page = f"{world.server_url}/{repo.full_name}/{kind}/{issue.number}"
    shape.update(
        id=one.id,
        node_id=f"IC_{one.id}",
        url=url,
        html_url=f"{page}#issuecomment-{one.id}",
        issue_url=f"{world.api_url}/repos/{repo.full_name}/issues/{issue.number}",
        body=one.body,
        user=user(world, one.user),
        created_at=stamp(one.created),
        updated_at=stamp(one.updated),
        author_association=association(world, repo, one.user),
        performed_via_github_app=_via(world) if one.by_app else None,
        reactions=rollup(one.reactions, url),
        minimized={"reason": one.minimized} if one.minimized else None,
    )
    return shape


def issue(world: World, repo: Repo, one: Issue) -> dict[str, Any]:
    """An issue, or a pull request in its form as an issue."""
    swaps = (("/1347", f"/{one.number}"),)
    shape: dict[str, Any] = template(world, "issues/create", "201", repo=repo, swaps=swaps)
    url = f"{world.api_url}/repos/{repo.full_name}/issues/{one.number}"
    page = f"{world.server_url}/{repo.full_name}"
    shape.update(
        **common(world, repo, one),
        url=url,
        node_id=f"{'PR' if one.pull else 'I'}_{one.id}",
        html_url=f"{page}/{'pull' if one.pull else 'issues'}/{one.number}",
        state_reason=one.reason,
        closed_by=user(world, one.closed_by) if one.closed_by else None,
        performed_via_github_app=_via(world) if one.by_app else None,
        reactions=rollup(one.reactions, url),
        comments=len(one.comments),
    )
    if one.pull is None:
        blocked, parts = one.blocked_by, one.sub_issues
        shape["issue_dependencies_summary"] = {
            "blocked_by": blocked,
            "blocking": 0,
            "total_blocked_by": blocked,
            "total_blocking": 0,
        }
        shape["sub_issues_summary"] = {"total": parts, "completed": 0, "percent_completed": 0}
        del shape["pull_request"]
    else:
        shape["pull_request"]["merged_at"] = stamp(one.pull.merged) if one.pull.merged else None
    return shape


def common(world: World, repo: Repo, one: Issue) -> dict[str, Any]:
    """What issues and pull requests have in common."""
    return {
        "id": one.id,
        "number": one.number,
        "state": one.state,
        "title": one.title,
        "body": one.body,
        "user": user(world, one.user),
        "labels": [label(world, repo, item) for item in one.labels],
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "locked": one.locked,
        "active_lock_reason": None,
        "author_association": association(world, repo, one.user),
        "created_at": stamp(one.created),
        "updated_at": stamp(one.updated),
        "closed_at": stamp(one.closed) if one.closed else None,
    }


def review(world: World, repo: Repo, one: Issue, given: Review) -> dict[str, Any]:
    """A review of a pull request."""
    swaps = (("/12", f"/{one.number}"),)
    shape: dict[str, Any] = template(world, "pulls/create-review", repo=repo, swaps=swaps)
    page = f"{world.server_url}/{repo.full_name}/pull/{one.number}"
    shape.update(
        id=given.id,
        node_id=f"PRR_{given.id}",
        user=user(world, given.user),
        body=given.body,
        state=given.state,
        commit_id=given.sha,
        html_url=f"{page}#pullrequestreview-{given.id}",
        submitted_at=stamp(given.submitted),
        author_association=association(world, repo, given.user),
    )
    return shape
