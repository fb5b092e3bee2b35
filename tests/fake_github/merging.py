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
        sha = rebase(world, repo, base, pull.sha, base)
    else:
        squash = method == "squash"
        title, more = _texts(repo, issue, squash=squash, texts=texts)
        sha = repo.bare.commit(
            tree,
            [base] if squash else [base, pull.sha],
            f"{title}\n\n{more}".rstrip("\n"),
            author=git_shapes.noreply(world, by),
            committer=web_flow(world),
            signature=git_shapes.SIGNED,
        )
    before = repo.bare.refs()
    repo.bare.update(f"refs/heads/{pull.base}", sha)
    ripple.merge(world, issue, by, sha, base)
    events = [payloads.pull(world, "closed", repo, issue, by)]
    events += ripple.closed_with(world, repo, issue, by)
    events += ripple.moved(world, repo, before, by)
    return sha, events + _delete_branch(world, repo, issue, by)


def rebase(world: World, repo: Repo, start: str, head: str, onto: str) -> str:
    """Put each commit from ``start`` to ``head`` on another one; return the new head.

    Merges and what is there already are left out. GitHub signs none of them
    (https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/
    incorporating-changes-from-a-pull-request/about-pull-request-merges#rebase-and-merge-your-commits).
    Raises ``Conflict``.
    """
    for sha in repo.bare.between(start, head):
        raw = git_shapes.raw_commit(repo.bare, sha)
        if len(raw["parents"]) != 1:
            continue
        tree = repo.bare.picked_tree(onto, sha)
        if tree is None:
            raise Conflict(f"{sha} cannot be rebased")
        if tree == repo.bare.resolve(onto, "tree"):
            continue
        author, who = git_shapes.author(raw), web_flow(world)
        onto = repo.bare.commit(tree, [onto], raw["message"], author=author, committer=who)
    return onto


def web_flow(world: World) -> Person:
    """Who commits what GitHub's pages make."""
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
