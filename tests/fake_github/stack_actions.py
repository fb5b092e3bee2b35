"""What people and GitHub do to native stacks, and the two questions about them."""

from __future__ import annotations

from typing import Any

from tests.fake_github import git_shapes, payloads, ripple, shapes, stacks
from tests.fake_github.answers import Answer, Call, Refused, invalid, missing
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
        made = _made(self.world, repo, stacks.chain(repo, numbers))
        events = [_stacked(self.world, repo, each, who) for each in made.pulls]
        return await self.courier.tell(events)

    def unstack(self, repository: str, number: int) -> None:
        """Dissolve the stack of a pull request: merged ones stay in it, and GitHub tells nobody."""
        repo = self.world.repo(repository)
        stack = stacks.of(repo, repo.issues[number])
        assert stack is not None
        stacks.dissolve(repo, stack)

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


def _made(world: World, repo: Repo, pulls: list[Issue]) -> Stack:
    """Put a chain into a stack of its own; numbers count in each repository."""
    bottom = pulls[0].pull
    assert bottom is not None
    assert repo.stacks is not None, f"{repo.full_name} has no stacks"
    repo.stacks_made += 1
    sha, now = git_shapes.base_sha(repo, bottom), world.clock.now()
    made = Stack(next(world.ids), repo.stacks_made, bottom.base, sha, now, pulls)
    repo.stacks[made.number] = made
    return made


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
    return _whole(call, _named(call), 200)


def create_stack(call: Call) -> Answer:
    """A stack of these pull requests, bottom to top; each is told as ``stacked``."""
    _of(call.repo)
    made = _made(call.world, call.repo, stacks.chain(call.repo, call.body["pull_requests"]))
    _tell(call, made.pulls)
    return _whole(call, made, 201)


def add_to_stack(call: Call) -> Answer:
    """More pull requests on top; 409 while another change runs."""
    stack = _changing(call)
    new = stacks.chain(call.repo, call.body["pull_requests"], on=stack)
    stack.pulls.extend(new)
    _tell(call, new)
    return _whole(call, stack, 200)


def unstack(call: Call) -> Answer:
    """All that can leave does, whatever a body says; merged ones stay, and nobody is told."""
    stack = _changing(call)
    if all(each.pull and each.pull.merged for each in stack.pulls):
        raise invalid("Pull requests in this stack cannot be removed")
    stacks.dissolve(call.repo, stack)
    return _whole(call, stack, 200) if stack.pulls else Answer(204)


def _named(call: Call) -> Stack:
    stack = _of(call.repo).get(int(call.params["stack_number"]))
    if stack is None:
        raise missing()
    return stack


def _changing(call: Call) -> Stack:
    stack = _named(call)
    if stack.busy:
        stack.busy -= 1
        raise Refused(409, "Stack is currently being modified")
    return stack


def _tell(call: Call, joined: list[Issue]) -> None:
    call.world.outbox.extend(_stacked(call.world, call.repo, each, call.actor) for each in joined)


def _whole(call: Call, stack: Stack, status: int) -> Answer:
    pulls = [_pull(call, each) for each in stack.pulls]
    return Answer(status, _shape(call, stack) | {"pull_requests": pulls})


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


ROUTES = {
    "pull-request-stacks/list": list_stacks,
    "pull-request-stacks/get": get_stack,
    "pull-request-stacks/create": create_stack,
    "pull-request-stacks/add": add_to_stack,
    "pull-request-stacks/unstack": unstack,
}
