"""Native stacks: which pull requests are in one, and what that forbids.

GitHub's page on them is https://docs.github.com/rest/pulls/stacks; what was measured beyond that is
in the issues of github/gh-stack that are named below.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.fake_github.answers import invalid
from tests.fake_github.bare import Bare
from tests.fake_github.state import Issue, Repo, Stack

NO_STACK = "Pull requests must form a stack, where each PR's base ref is the previous PR's head ref"
FIXED = "Cannot change the base branch because the pull request is part of a stack."


def of(repo: Repo, issue: Issue) -> Stack | None:
    """The stack that a pull request is in."""
    return next((s for s in (repo.stacks or {}).values() if issue in s.pulls), None)


def of_pull(repo: Repo, issue: Issue) -> dict[str, Any] | None:
    """What a pull request shows of its stack: merged members count in size and position."""
    stack = of(repo, issue)
    if stack is None:
        return None
    return {
        "id": stack.id,
        "number": stack.number,
        "size": len(stack.pulls),
        "position": stack.pulls.index(issue) + 1,
        "base": {"ref": stack.base, "sha": stack.base_sha},
    }


def refuse_base(repo: Repo, issue: Issue) -> None:
    """Refuse a base for a member, even the one it has (Mergifyio/mergify-cli#1762)."""
    if of(repo, issue):
        error = {"resource": "PullRequest", "field": "base", "code": "invalid", "message": FIXED}
        raise invalid("Validation Failed", error)


def chain(repo: Repo, numbers: Sequence[int], on: Stack | None = None) -> list[Issue]:
    """The pull requests of a new stack, bottom to top, or those that go ``on`` one.

    The refusals are those of GitHub's description.
    """
    gone = [number for number in numbers if number not in repo.issues]
    gone += [number for number in numbers if number in repo.issues and not repo.issues[number].pull]
    if gone:
        error = {"resource": "Stack", "field": "pull_requests", "code": "missing", "value": gone}
        raise invalid("Validation Failed", error)
    pulls = [repo.issues[number] for number in numbers]
    for each in pulls:
        if of(repo, each):
            raise invalid(f"Pull request #{each.number} is already part of a stack")
    below = on.pulls[-1] if on else None
    for each in pulls:
        assert each.pull is not None
        apart = each.state != "open" or each.pull.fork
        if apart or (below and below.pull and below.pull.head != each.pull.base):
            raise invalid(NO_STACK)
        below = each
    return pulls


def dissolve(repo: Repo, stack: Stack) -> None:
    """Let go of what can leave; merged ones never do (getstackit/stackit#1719)."""
    stack.pulls = [each for each in stack.pulls if each.pull and each.pull.merged]
    if not stack.pulls and repo.stacks is not None:
        del repo.stacks[stack.number]


def opened(stack: Stack) -> list[Issue]:
    """Its open members, from the bottom to the top."""
    return [issue for issue in stack.pulls if issue.state == "open"]


def obstacle(repo: Repo, issue: Issue) -> str | None:
    """Why a member cannot be merged; None for one that can, and for one in no stack.

    GitHub wants no closed one below it, and a history without merges from the head of the base up
    (github/gh-stack, docs/src/content/docs/faq.md).
    """
    stack = of(repo, issue)
    if stack is None:
        return None
    under = [each for each in stack.pulls[: stack.pulls.index(issue) + 1] if each.pull]
    below = repo.bare.refs().get(f"refs/heads/{stack.base}", "")
    for each in under:
        assert each.pull is not None
        if each.pull.merged:
            continue
        if each.state == "closed":
            return f"#{each.number} is closed"
        if not _linear(repo.bare, below, each.pull.sha):
            return f"#{each.number} is not on the head of what is below it"
        below = each.pull.sha
    return None


def _linear(bare: Bare, below: str, head: str) -> bool:
    if not (below and bare.is_ancestor(below, head)):
        return False
    return all(len(bare.parents(sha)) < 2 for sha in bare.between(below, head))
