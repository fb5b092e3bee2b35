"""What follows from moved refs: push events, and pull requests that move, close or merge."""

from __future__ import annotations

import re

from tests.fake_github import payloads
from tests.fake_github.state import Activity, Issue, Repo, User
from tests.fake_github.world import Happening, World


def moved(world: World, repo: Repo, before: dict[str, str], by: User) -> list[Happening]:
    """Settle the pull requests after refs changed from ``before``; return the events due."""
    after = repo.bare.refs()
    _note(world, repo, before, after, by)
    events = [
        payloads.push(world, repo, ref, before.get(ref), after.get(ref), by)
        for ref in sorted({*before, *after})
        if before.get(ref) != after.get(ref)
    ]
    for issue in list(repo.issues.values()):
        if issue.pull is not None and issue.state == "open":
            events += _settle(world, repo, issue, before, after, by)
    return events


def _note(
    world: World, repo: Repo, before: dict[str, str], after: dict[str, str], by: User
) -> None:
    """Keep what moved the branches."""
    for ref in sorted({*before, *after}):
        old, new = before.get(ref), after.get(ref)
        if old == new:
            continue
        kind = "branch_creation" if old is None else "branch_deletion" if new is None else "push"
        if old and new and not repo.bare.is_ancestor(old, new):
            kind = "force_push"
        ends = (old or payloads.ZERO, new or payloads.ZERO)
        repo.activity.append(Activity(next(world.ids), ref, *ends, kind, by, world.clock.now()))


def _settle(
    world: World,
    repo: Repo,
    issue: Issue,
    before: dict[str, str],
    after: dict[str, str],
    by: User,
) -> list[Happening]:
    pull = issue.pull
    assert pull is not None
    head, base = after.get(f"refs/heads/{pull.head}"), after.get(f"refs/heads/{pull.base}")
    if base is None or head is None:
        world.set_state(issue, "closed", by)
        return [payloads.pull(world, "closed", repo, issue, by)]
    moved_base = before.get(f"refs/heads/{pull.base}") != base
    old, pull.sha = pull.sha, head
    point(repo, issue)
    if moved_base and repo.bare.is_ancestor(head, base):
        merge(world, issue, by, base, before.get(f"refs/heads/{pull.base}", base))
        return [payloads.pull(world, "closed", repo, issue, by)]
    if moved_base:
        pull.base_sha = base
    if old == head:
        return []
    issue.updated = world.clock.now()
    ends = {"before": old, "after": head}
    return [payloads.pull(world, "synchronize", repo, issue, by, **ends)]


def merge(world: World, issue: Issue, by: User, sha: str, base_sha: str) -> None:
    """Mark a pull request as merged by commit ``sha`` into a branch that was at ``base_sha``."""
    pull = issue.pull
    assert pull is not None
    world.set_state(issue, "closed", by)
    issue.reason = None
    pull.merged, pull.merge_sha = world.clock.now(), sha
    pull.merged_by, pull.base_sha = by, base_sha


_CLOSES = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d+)\b", re.IGNORECASE)


def closed_with(world: World, repo: Repo, issue: Issue, by: User) -> list[Happening]:
    """Close the issues that the text of a merged pull request says it closes.

    https://docs.github.com/en/issues/tracking-your-work-with-issues/using-issues/linking-a-pull-request-to-an-issue
    """
    if issue.pull is None or issue.pull.base != repo.default_branch:
        return []
    events = []
    for number in map(int, _CLOSES.findall(issue.body or "")):
        named = repo.issues.get(number)
        if named and named.pull is None and named.state == "open":
            world.set_state(named, "closed", by, "completed")
            events.append(payloads.issue(world, "closed", repo, named, by))
    return events


def drafted(world: World, repo: Repo, issue: Issue, by: User, *, draft: bool) -> list[Happening]:
    """Make a pull request a draft, or ready for review; nothing is due when it is so already."""
    assert issue.pull is not None
    if issue.pull.draft == draft:
        return []
    issue.pull.draft, issue.updated = draft, world.clock.now()
    action = "converted_to_draft" if draft else "ready_for_review"
    return [payloads.pull(world, action, repo, issue, by)]


def point(repo: Repo, issue: Issue) -> None:
    """Keep refs/pull/N/head, by which a pull request's commits outlive its branch."""
    assert issue.pull is not None
    repo.bare.update(f"refs/pull/{issue.number}/head", issue.pull.sha)
