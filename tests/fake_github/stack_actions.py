"""What people and GitHub do to native stacks, and the two questions about them."""

from __future__ import annotations

from typing import Any

from tests.fake_github import git_shapes, payloads, ripple, shapes, stacks
from tests.fake_github.answers import Answer, Call, missing
from tests.fake_github.clock import stamp
from tests.fake_github.courier import Courier
from tests.fake_github.merging import Conflict, rebase, web_flow
from tests.fake_github.state import Issue, Repo, Stack, User
from tests.fake_github.world import Happening, World


class StackActions:
    """Methods about native stacks; the status of the app's first answer comes back."""

    world: World
    courier: Courier

    async def link(self, repository: str, *numbers: int, by: str = "writer") -> int:
        """Make a stack of pull requests, bottom to top, as a click on the banner does.

        Each member is told as ``stacked``.
        """
        repo, who = self.world.repo(repository), self.world.user(by)
        pulls = [repo.issues[number] for number in numbers]
        assert repo.stacks is not None, f"{repository} has no stacks"
        assert 2 <= len(pulls) <= 100, "a stack has 2 to 100 pull requests"
        for issue, below in zip(pulls, [None, *pulls], strict=False):
            assert issue.pull
            assert issue.state == "open"
            assert not issue.pull.fork
            assert stacks.of(repo, issue) is None, f"#{issue.number} is already part of a stack"
            assert below is None or (below.pull and below.pull.head == issue.pull.base)
        bottom = pulls[0].pull
        assert bottom is not None
        number = max(repo.stacks, default=0) + 1
        sha = git_shapes.base_sha(repo, bottom)
        made = Stack(next(self.world.ids), number, bottom.base, sha, self.world.clock.now(), pulls)
        repo.stacks[number] = made
        return await self.courier.tell([_stacked(self.world, repo, each, who) for each in pulls])

    def unstack(self, repository: str, number: int) -> None:
        """Dissolve the stack of a pull request: merged ones stay in it, and GitHub tells nobody."""
        repo = self.world.repo(repository)
        stack = stacks.of(repo, repo.issues[number])
        assert stack is not None
        assert repo.stacks is not None
        stack.pulls = [each for each in stack.pulls if each.pull and each.pull.merged]
        if not stack.pulls:
            del repo.stacks[stack.number]

    async def merge_stack(
        self,
        repository: str,
        number: int,
        *,
        by: str = "writer",
        method: str = "squash",
        rebase: bool = True,
    ) -> int:
        """Merge a member and all below it; GitHub then retargets the next and rebases the rest.

        Without ``rebase`` that is still to come: ``rebase_stack`` does it.
        """
        repo, who = self.world.repo(repository), self.world.user(by)
        stack = stacks.of(repo, repo.issues[number])
        assert stack is not None, f"#{number} is in no stack"
        assert (why := stacks.obstacle(repo, repo.issues[number])) is None, why
        members = stacks.opened(stack)
        at = members.index(repo.issues[number]) + 1
        events = _merge(self.world, repo, stack, members[:at], who, method)
        if members[at:]:
            events.append(_retarget(self.world, repo, stack, members[at], who))
        if repo.delete_branch_on_merge:
            before = repo.bare.refs()
            for each in members[:at]:
                assert each.pull is not None
                repo.bare.update(f"refs/heads/{each.pull.head}", None)
            events += ripple.moved(self.world, repo, before, who)
        if rebase:
            events += _rebase(self.world, repo, stack, who)
        return await self.courier.tell(events)

    async def rebase_stack(self, repository: str, number: int, *, by: str = "writer") -> int:
        """Rebase the open members, bottom to top: GitHub after a merge, or *Rebase stack*.

        What conflicts stays as it is, and what is above it.
        """
        repo, who = self.world.repo(repository), self.world.user(by)
        stack = stacks.of(repo, repo.issues[number])
        assert stack is not None, f"#{number} is in no stack"
        return await self.courier.tell(_rebase(self.world, repo, stack, who))


def _stacked(world: World, repo: Repo, issue: Issue, by: User) -> Happening:
    return payloads.pull(world, "stacked", repo, issue, by, stack=stacks.of_pull(repo, issue))


def _merge(
    world: World, repo: Repo, stack: Stack, group: list[Issue], by: User, method: str
) -> list[Happening]:
    """One commit a member (squash), one for all (merge), or all commits anew (rebase).

    What a member was made against stays written on it.
    """
    before = repo.bare.refs()
    ref = f"refs/heads/{stack.base}"
    tip = begun = before[ref]
    for issue in group:
        assert issue.pull is not None
        if method == "rebase":
            tip = rebase(world, repo, tip, issue.pull.sha, tip)
            continue
        if method == "merge" and issue is not group[-1]:
            continue
        parents = [tip] if method == "squash" else [begun, issue.pull.sha]
        tree = repo.bare.resolve(issue.pull.sha, "tree") or ""
        tip = repo.bare.commit(
            tree,
            parents,
            f"{issue.title} (#{issue.number})",
            author=git_shapes.noreply(world, by),
            committer=web_flow(world),
            signature=git_shapes.SIGNED,
        )
        issue.pull.merge_sha = tip
    repo.bare.update(ref, tip)
    for issue in group:
        assert issue.pull is not None
        ripple.merge(world, issue, by, issue.pull.merge_sha or tip, begun)
        stack.base_sha = issue.pull.sha
    events = [payloads.pull(world, "closed", repo, issue, by) for issue in group]
    return events + ripple.moved(world, repo, before, by)


def _retarget(world: World, repo: Repo, stack: Stack, issue: Issue, by: User) -> Happening:
    pull = issue.pull
    assert pull is not None
    was = {"ref": {"from": pull.base}, "sha": {"from": pull.base_sha}}
    pull.base, pull.base_sha = stack.base, repo.bare.refs()[f"refs/heads/{stack.base}"]
    issue.updated = world.clock.now()
    return payloads.pull(world, "edited", repo, issue, by, changes={"base": was})


def _rebase(world: World, repo: Repo, stack: Stack, by: User) -> list[Happening]:
    """Put each open member on the new head below it; approvals are lost (github/gh-stack#446)."""
    before = repo.bare.refs()
    start = onto = before[f"refs/heads/{stack.base}"]
    try:
        for issue in stack.pulls:
            assert issue.pull is not None
            old = issue.pull.sha
            if issue.state == "open":
                onto = rebase(world, repo, start, old, onto)
                repo.bare.update(f"refs/heads/{issue.pull.head}", onto)
                for review in issue.reviews:
                    review.state = "DISMISSED" if review.state == "APPROVED" else review.state
            start = old
    except Conflict:
        pass  # this one and those above keep their heads
    return ripple.moved(world, repo, before, by)


def list_stacks(call: Call) -> Answer:
    """The stacks of a repository, the newest number first; that of one pull request."""
    wanted = call.query.get("pull_request")
    found = [
        stack
        for _, stack in sorted(_of(call.repo).items(), reverse=True)
        if wanted is None or wanted in {each.number for each in stack.pulls}
    ]
    items, headers = call.page(found)
    return Answer(body=[_shape(call, each) for each in items], headers=headers)


def get_stack(call: Call) -> Answer:
    """One stack by its number."""
    stack = _of(call.repo).get(int(call.params["stack_number"]))
    if stack is None:
        raise missing()
    pulls = [_pull(call, each) for each in stack.pulls]
    return Answer(body=_shape(call, stack) | {"pull_requests": pulls})


def _of(repo: Repo) -> dict[int, Stack]:
    if repo.stacks is None:
        raise missing()
    return repo.stacks


def _shape(call: Call, stack: Stack) -> dict[str, Any]:
    return {
        "id": stack.id,
        "number": stack.number,
        "node_id": f"S_{stack.id}",
        "url": f"{call.world.api_url}/repos/{call.repo.full_name}/stacks/{stack.number}",
        "base": {"ref": stack.base},
        "open": bool(stacks.opened(stack)),
        "created_at": stamp(stack.created),
        "pull_requests": [_brief(each) for each in stack.pulls],
    }


def _brief(issue: Issue) -> dict[str, Any]:
    pull = issue.pull
    assert pull is not None
    return {
        "number": issue.number,
        "state": issue.state,
        "draft": pull.draft,
        "merged_at": stamp(pull.merged) if pull.merged else None,
        "head": {"ref": pull.head, "sha": pull.sha},
    }


def _pull(call: Call, issue: Issue) -> dict[str, Any]:
    whole = git_shapes.pull(call.world, call.repo, issue, full=False)
    names = ("id", "url", "node_id", "title", "html_url")
    ends = {
        end: {
            "ref": whole[end]["ref"],
            "sha": whole[end]["sha"],
            "repo": {key: whole[end]["repo"][key] for key in ("id", "url", "name")},
        }
        for end in ("head", "base")
    }
    user = shapes.user(call.world, issue.user)
    return _brief(issue) | {name: whole[name] for name in names} | ends | {"user": user}


ROUTES = {"pull-request-stacks/list": list_stacks, "pull-request-stacks/get": get_stack}
