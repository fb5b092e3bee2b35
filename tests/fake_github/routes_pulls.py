"""Routes about pull requests."""

from __future__ import annotations

from tests.fake_github import git_shapes, payloads, ripple, shapes, stacks
from tests.fake_github.answers import Answer, Call, Refused, invalid, missing
from tests.fake_github.merging import Conflict, merge_commit
from tests.fake_github.state import Issue, Pull, Repo, Review
from tests.fake_github.world import fit

EVENTS = {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}


def list_pulls(call: Call) -> Answer:
    """Pull requests. As on GitHub, ``head`` filters only when written ``owner:branch``."""
    query, repo = call.query, call.repo
    state, head = query.get("state", "open"), query.get("head", "")
    found = [
        i
        for i in repo.issues.values()
        if i.pull is not None
        and state in ("all", i.state)
        and query.get("base", i.pull.base) == i.pull.base
        and (":" not in head or head.lower() == f"{repo.owner.login}:{i.pull.head}".lower())
    ]
    sort = query.get("sort", "created")
    down = query.get("direction", "desc" if sort == "created" else "asc") == "desc"
    found.sort(
        key=lambda i: (i.updated if sort == "updated" else i.created, i.number), reverse=down
    )
    items, headers = call.page(found)
    shaped = [git_shapes.pull(call.world, repo, i, full=False) for i in items]
    return Answer(body=shaped, headers=headers)


def create_pull(call: Call) -> Answer:
    """A new pull request by the bot."""
    repo, body, world = call.repo, call.body, call.world
    head, base = _branch(repo, body["head"], "head"), _branch(repo, body["base"], "base")
    if "title" not in body:
        raise invalid("Validation Failed", _error("missing_field", field="title"))
    _refuse_twins(repo, head, base)
    tip, below = repo.bare.refs()[f"refs/heads/{head}"], repo.bare.refs()[f"refs/heads/{base}"]
    if not repo.bare.between(below, tip):
        said = f"No commits between {base} and {head}"
        raise invalid("Validation Failed", _error("custom", message=said))
    if body.get("draft") and not repo.drafts:
        raise invalid("Draft pull requests are not supported in this repository.")
    made = world.open_issue(repo, call.actor, body["title"], body.get("body"))
    made.pull = Pull(made.id, head, base, tip, below, draft=bool(body.get("draft")))
    ripple.point(repo, made)
    world.outbox.append(payloads.pull(world, "opened", repo, made, call.actor))
    shape = git_shapes.pull(world, repo, made)
    return Answer(201, shape, {"location": shape["url"]})


def _error(code: str, **more: str) -> dict[str, str]:
    return {"resource": "PullRequest", "code": code, **more}


def _branch(repo: Repo, name: str, field: str) -> str:
    owner, _, branch = name.rpartition(":")
    foreign = owner and owner.lower() != repo.owner.login.lower()
    if foreign or f"refs/heads/{branch}" not in repo.bare.refs():
        raise invalid("Validation Failed", _error("invalid", field=field))
    return branch


def _refuse_twins(repo: Repo, head: str, base: str) -> None:
    for other in repo.issues.values():
        twin = other.pull and (other.pull.head, other.pull.base) == (head, base)
        if twin and other.state == "open":
            said = f"A pull request already exists for {repo.owner.login}:{head}."
            raise invalid("Validation Failed", _error("custom", message=said))


def get_pull(call: Call) -> Answer:
    """A pull request."""
    return Answer(body=git_shapes.pull(call.world, call.repo, call.pull))


def update_pull(call: Call) -> Answer:
    """Change title, body, base or state."""
    body, issue, repo = call.body, call.pull, call.repo
    fit(body.get("body"), "PullRequest")
    issue.title, issue.body = body.get("title", issue.title), body.get("body", issue.body)
    issue.updated = call.world.clock.now()
    _set_state(call, issue, body.get("state", issue.state))
    if "base" in body:
        stacks.refuse_base(repo, issue)
        _retarget(repo, issue, body["base"])
    return Answer(body=git_shapes.pull(call.world, repo, issue))


def _retarget(repo: Repo, issue: Issue, base: str) -> None:
    """Change the base, as far as GitHub does (seen in cli/cli#14223 and in its own messages)."""
    pull = issue.pull
    assert pull is not None
    if base == pull.base:
        return
    if issue.state != "open":
        said = "Cannot change the base branch of a closed pull request."
        raise invalid("Validation Failed", _error("invalid", field="base", message=said))
    base = _branch(repo, base, "base")
    _refuse_twins(repo, pull.head, base)
    below = repo.bare.refs()[f"refs/heads/{base}"]
    if not repo.bare.between(below, pull.sha):
        ends = f"base branch '{base}' and head branch '{pull.head}'"
        said = f"There are no new commits between {ends}"
        raise invalid("Validation Failed", _error("invalid", field="base", message=said))
    pull.base, pull.base_sha = base, below


def _set_state(call: Call, issue: Issue, state: str) -> None:
    if state == issue.state:
        return
    pull = issue.pull
    assert pull is not None
    if state == "open":
        if pull.merged:
            raise invalid("Validation Failed", _error("invalid", field="state"))
        _branch(call.repo, pull.head, "head")
        _branch(call.repo, pull.base, "base")
    call.world.set_state(issue, state, call.actor)
    action = "closed" if state == "closed" else "reopened"
    call.world.outbox.append(payloads.pull(call.world, action, call.repo, issue, call.actor))


def _range(call: Call) -> tuple[str, str]:
    pull = call.pull.pull
    assert pull is not None
    below = git_shapes.base_sha(call.repo, pull)
    return call.repo.bare.merge_base(below, pull.sha) or below, pull.sha


def pull_files(call: Call) -> Answer:
    """What a pull request changes."""
    items, headers = call.page(git_shapes.files(call.world, call.repo, *_range(call)))
    return Answer(body=items, headers=headers)


def pull_commits(call: Call) -> Answer:
    """The commits of a pull request, oldest first, at most 250."""
    shas = call.repo.bare.between(*_range(call))[:250]
    items, headers = call.page(shas)
    shaped = [git_shapes.commit(call.world, call.repo, sha) for sha in items]
    return Answer(body=shaped, headers=headers)


def merge_pull(call: Call) -> Answer:
    """Merge: 405 when it cannot be, 409 when the head is another than ``sha`` says."""
    issue, body, repo = call.pull, call.body or {}, call.repo
    pull = issue.pull
    assert pull is not None
    if body.get("sha", pull.sha) != pull.sha:
        raise Refused(409, "Head branch was modified. Review and try the merge again.")
    if issue.state != "open":
        raise Refused(405, "Pull Request is not mergeable")
    if pull.draft:
        raise Refused(405, "Pull Request is still a draft")
    if stacks.of(repo, issue):
        raise Refused(405, "Pull Request is part of a stack")
    method = body.get("merge_method", "merge")
    if method not in repo.merge_methods:
        raise Refused(405, f"{method.capitalize()} merges are not allowed on this repository.")
    try:
        texts = (body.get("commit_title", ""), body.get("commit_message", ""))
        sha, events = merge_commit(call.world, repo, issue, call.actor, method, texts)
    except Conflict as error:
        raise Refused(405, "Pull Request is not mergeable") from error
    call.world.outbox += events
    done = {"sha": sha, "merged": True, "message": "Pull Request successfully merged"}
    return Answer(body=done)


def list_reviews(call: Call) -> Answer:
    """The reviews of a pull request, oldest first."""
    issue = call.pull
    items, headers = call.page(issue.reviews)
    shaped = [shapes.review(call.world, call.repo, issue, r) for r in items]
    return Answer(body=shaped, headers=headers)


def create_review(call: Call) -> Answer:
    """A review by the bot, who may not approve its own pull request."""
    issue, body = call.pull, call.body
    pull = issue.pull
    assert pull is not None
    event = body.get("event", "COMMENT")
    if issue.user is call.actor and event != "COMMENT":
        raise invalid("Unprocessable Entity", "Can not approve your own pull request")  # type: ignore[arg-type]
    now = call.world.clock.now()
    number, sha = next(call.world.ids), body.get("commit_id", pull.sha)
    made = Review(number, call.actor, body.get("body", ""), EVENTS[event], sha, now)
    issue.reviews.append(made)
    return Answer(body=shapes.review(call.world, call.repo, issue, made))


def request_reviewers(call: Call) -> Answer:
    """Ask for reviews; 422 for whoever is no collaborator, and for the author."""
    issue, body, repo, world = call.pull, call.body, call.repo, call.world
    pull = issue.pull
    assert pull is not None
    for login in body.get("reviewers", ()):
        who = world.user(login)
        if who is issue.user:
            raise invalid("Review cannot be requested from pull request author.")
        if who.id not in repo.roles:
            raise invalid(
                "Reviews may only be requested from collaborators. One or more of the users or "
                "teams you specified is not a collaborator of the "
                f"{repo.full_name} repository."
            )
        if who not in pull.reviewers:
            pull.reviewers.append(who)
    pull.teams += body.get("team_reviewers", ())
    shape = git_shapes.pull(world, repo, issue, full=False)
    return Answer(201, shape)


def pulls_of_commit(call: Call) -> Answer:
    """Pull requests that contain a commit."""
    repo, sha = call.repo, repo_commit(call)
    found = [
        i
        for i in repo.issues.values()
        if i.pull and sha in repo.bare.between(git_shapes.base_sha(repo, i.pull), i.pull.sha)
    ]
    items, headers = call.page(found)
    shaped = [git_shapes.pull(call.world, repo, i, full=False) for i in items]
    return Answer(body=shaped, headers=headers)


def repo_commit(call: Call) -> str:
    """The commit the path names; 404 when there is none."""
    sha = call.repo.bare.resolve(call.params["commit_sha"])
    if sha is None:
        raise missing()
    return sha


ROUTES = {
    "pulls/list": list_pulls,
    "pulls/create": create_pull,
    "pulls/get": get_pull,
    "pulls/update": update_pull,
    "pulls/list-files": pull_files,
    "pulls/list-commits": pull_commits,
    "pulls/merge": merge_pull,
    "pulls/list-reviews": list_reviews,
    "pulls/create-review": create_review,
    "pulls/request-reviewers": request_reviewers,
    "repos/list-pull-requests-associated-with-commit": pulls_of_commit,
}
