"""The mutations of GraphQL that are built: drafts, hidden comments, descriptions, several refs."""

from __future__ import annotations

from typing import Any

from graphql import GraphQLError

from tests.fake_github import auth, ripple
from tests.fake_github.answers import Refused
from tests.fake_github.objects import GitError
from tests.fake_github.routes_git import guard_workflows
from tests.fake_github.state import Issue, Repo, Token
from tests.fake_github.world import World

NOBODY = "0" * 40
"""As ``beforeOid``: there must be no such ref; as ``afterOid``: delete it."""


def allow(world: World, token: Token, what: str, **needed: str) -> None:
    """Refuse what the token may not do, in GraphQL's way; it is also a violation."""
    if not auth.grants(token.permissions, needed):
        world.violations.append(f"permission missing for {what} (needs {needed})")
        raise _told("Resource not accessible by integration", "FORBIDDEN")


def update_refs(world: World, token: Token, input: dict[str, Any]) -> None:
    """Create, move and delete refs: all of them, or none when one is not as expected."""
    allow(world, token, "updateRefs", contents="write")
    repo = _repository(world, token, input["repositoryId"])
    before = repo.bare.refs()
    for update in input["refUpdates"]:
        _check(repo, token, update)
    for update in input["refUpdates"]:
        after = update["afterOid"]
        repo.bare.update(update["name"], None if after == NOBODY else after)
    world.outbox += ripple.moved(world, repo, before, world.app.bot)


def update_pull(world: World, token: Token, issue: Issue, input: dict[str, Any]) -> None:
    """Give a pull request another description; nothing else of it is built."""
    allow(world, token, "updatePullRequest", pull_requests="write")
    if set(input) - {"pullRequestId", "body", "clientMutationId"}:
        world.violations.append("GraphQL: updatePullRequest changes only a body in the fake")
    issue.body, issue.updated = input["body"], world.clock.now()


def auto_merge(world: World, token: Token, repo: Repo, issue: Issue, input: dict[str, Any]) -> None:
    """Have GitHub merge a pull request once the rules of its branch are met.

    The events about it are not sent: they say nothing that the App does not know.
    https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/automatically-merging-a-pull-request
    """
    allow(world, token, "auto-merge", contents="write", pull_requests="write")
    pull, method = issue.pull, input.get("mergeMethod", "MERGE").lower()
    assert pull is not None
    if not repo.allow_auto_merge:
        raise _told("Auto merge is not allowed for this repository", "UNPROCESSABLE")
    if pull.draft or missing_approvals(repo, issue) == 0:
        raise _told("Pull request is in clean status", "UNPROCESSABLE")
    if input.get("expectedHeadOid", pull.sha) != pull.sha:
        raise _told("Head sha didn't match expected head sha", "UNPROCESSABLE")
    if method not in repo.merge_methods:
        raise _told(f"Merge method {method} merging is not allowed", "UNPROCESSABLE")
    pull.auto_merge = (world.app.bot, method)


def no_auto_merge(world: World, token: Token, repo: Repo, issue: Issue) -> None:
    """Leave merging to people again."""
    allow(world, token, "auto-merge", contents="write", pull_requests="write")
    assert issue.pull is not None
    if issue.pull.auto_merge is None:
        raise _told("Can't disable auto-merge for this pull request.", "UNPROCESSABLE")
    issue.pull.auto_merge = None


def missing_approvals(repo: Repo, issue: Issue) -> int:
    """How many reviews a pull request still needs: the newest one of each reviewer counts."""
    assert issue.pull is not None
    newest = {each.user.id: each.state for each in issue.reviews if each.state != "COMMENTED"}
    approved = sum(state == "APPROVED" for state in newest.values())
    return max(0, repo.approvals.get(issue.pull.base, 0) - approved)


def _repository(world: World, token: Token, node: str) -> Repo:
    repo = world.repo_by_id(int(node.removeprefix("R_"))) if node.startswith("R_") else None
    if repo is None or not world.visible(token, repo):
        raise _told(f"Could not resolve to a node with the global id of '{node}'", "NOT_FOUND")
    return repo


def _check(repo: Repo, token: Token, update: dict[str, Any]) -> None:
    now, after = repo.bare.refs("refs/").get(update["name"]), update["afterOid"]
    expected = update.get("beforeOid")
    if expected is not None and expected != (now or NOBODY):
        raise _told(f"Reference {update['name']} does not point to {expected}", "UNPROCESSABLE")
    if after == NOBODY:
        if now is None:
            raise _told(f"Reference {update['name']} does not exist", "UNPROCESSABLE")
        return
    if repo.bare.kind(after) != "commit":
        raise _told(f"{after} is no commit", "UNPROCESSABLE")
    if now and not update.get("force", False) and not repo.bare.is_ancestor(now, after):
        raise _told("Update is not a fast forward", "UNPROCESSABLE")
    try:
        guard_workflows(repo, token, after)
    except (Refused, GitError) as refused:
        raise _told(str(refused), "FORBIDDEN") from refused


def _told(said: str, kind: str) -> GraphQLError:
    return GraphQLError(said, extensions={"type": kind})
