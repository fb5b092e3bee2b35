"""Merging a pull request in the bare repository."""

from __future__ import annotations

from tests.fake_github import git_shapes, payloads, ripple
from tests.fake_github.bare import Person
from tests.fake_github.state import Issue, Repo, User
from tests.fake_github.world import Happening, World


class Conflict(Exception):
    """Base and head do not merge."""


def merge_commit(
    world: World,
    repo: Repo,
    issue: Issue,
    by: User,
    method: str = "merge",
    texts: tuple[str, str] = ("", ""),
) -> tuple[str, list[Happening]]:
    """Merge (or squash, or rebase) into the base branch; return the commit and the events due.

    Raises ``Conflict`` where GitHub's button is grey.
    """
    pull = issue.pull
    assert pull is not None
    base = repo.bare.refs()[f"refs/heads/{pull.base}"]
    tree = repo.bare.merged_tree(base, pull.sha)
    if tree is None:
        raise Conflict(f"#{issue.number} conflicts with {pull.base}")
    if method == "rebase":
        sha = _rebased(world, repo, issue, base)
    else:
        squash = method == "squash"
        title, more = _texts(repo, issue, squash=squash, texts=texts)
        sha = repo.bare.commit(
            tree,
            [base] if squash else [base, pull.sha],
            f"{title}\n\n{more}".rstrip("\n"),
            author=git_shapes.noreply(world, by),
            committer=_web_flow(world),
            signature=git_shapes.SIGNED,
        )
    before = repo.bare.refs()
    repo.bare.update(f"refs/heads/{pull.base}", sha)
    ripple.merge(world, issue, by, sha, base)
    events = [payloads.pull(world, "closed", repo, issue, by)]
    events += ripple.moved(world, repo, before, by)
    return sha, events + _delete_branch(world, repo, issue, by)


def _rebased(world: World, repo: Repo, issue: Issue, base: str) -> str:
    """Put each commit on the base branch anew; merges and what is there already are left out.

    GitHub signs none of them (https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/
    incorporating-changes-from-a-pull-request/about-pull-request-merges#rebase-and-merge-your-commits).
    """
    assert issue.pull is not None
    tip = base
    for sha in repo.bare.between(base, issue.pull.sha):
        raw = git_shapes.raw_commit(repo.bare, sha)
        if len(raw["parents"]) != 1:
            continue
        tree = repo.bare.picked_tree(tip, sha)
        if tree is None:
            raise Conflict(f"{sha} of #{issue.number} cannot be rebased")
        if tree == repo.bare.resolve(tip, "tree"):
            continue
        author = git_shapes.author(raw)
        who = _web_flow(world)
        tip = repo.bare.commit(tree, [tip], raw["message"], author=author, committer=who)
    return tip


def _web_flow(world: World) -> Person:
    return Person("GitHub", "noreply@github.com", world.clock.now())


def _texts(repo: Repo, issue: Issue, *, squash: bool, texts: tuple[str, str]) -> tuple[str, str]:
    assert issue.pull is not None
    if squash:
        return texts[0] or f"{issue.title} (#{issue.number})", texts[1]
    source = f"{repo.owner.login}/{issue.pull.head}"
    default = f"Merge pull request #{issue.number} from {source}"
    return texts[0] or default, texts[1] or issue.title


def _delete_branch(world: World, repo: Repo, issue: Issue, by: User) -> list[Happening]:
    """With the setting on, the branch goes and pull requests upon it move to its base."""
    pull = issue.pull
    assert pull is not None
    if not repo.delete_branch_on_merge:
        return []
    for other in repo.issues.values():
        if other.pull and other.state == "open" and other.pull.base == pull.head:
            other.pull.base = pull.base
    before = repo.bare.refs()
    repo.bare.update(f"refs/heads/{pull.head}", None)
    return ripple.moved(world, repo, before, by)
