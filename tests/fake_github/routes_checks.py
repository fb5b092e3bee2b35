"""Routes about check runs and commit statuses."""

from __future__ import annotations

from typing import Any

from tests.fake_github import payloads, shapes
from tests.fake_github.answers import Answer, Call, invalid, missing
from tests.fake_github.clock import stamp
from tests.fake_github.state import Issue, Repo, User
from tests.fake_github.world import World

PLAIN = ("name", "external_id", "details_url", "status", "conclusion", "started_at")


def create_check(call: Call) -> Answer:
    """A new check run of the App."""
    repo, world, body = call.repo, call.world, call.body
    if repo.bare.kind(body["head_sha"]) != "commit":
        raise invalid(f"No commit found for SHA: {body['head_sha']}")
    run = new_check(world, repo, body)
    apply_check(world, run, body)
    _tell(call, repo, run, "created")
    return Answer(201, check_run(world, repo, run))


def new_check(world: World, repo: Repo, body: dict[str, Any]) -> dict[str, Any]:
    """A check run that is queued."""
    now = stamp(world.clock.now())
    run: dict[str, Any] = {
        "id": next(world.ids),
        "head_sha": body["head_sha"],
        "name": body["name"],
        "status": "queued",
        "conclusion": None,
        "external_id": "",
        "details_url": f"{world.server_url}/apps/{world.app.slug}",
        "started_at": now,
        "completed_at": None,
        "output": {"title": None, "summary": None, "text": None},
        "annotations": [],
        "actions": [],
    }
    repo.checks[run["id"]] = run
    return run


def apply_check(world: World, run: dict[str, Any], body: dict[str, Any]) -> None:
    """Take over what a request says of a check run."""
    run.update({k: body[k] for k in PLAIN if k in body})
    if "conclusion" in body:
        run["status"] = "completed"
    elif body.get("status") in ("queued", "in_progress"):
        run.update(conclusion=None, completed_at=None)
    if run["status"] == "completed":
        run["completed_at"] = body.get("completed_at", stamp(world.clock.now()))
    output = dict(body.get("output", {}))
    run["annotations"] += output.pop("annotations", [])
    output.pop("images", None)
    run["output"] = run["output"] | output
    run["actions"] = body.get("actions", run["actions"])


def check_run(world: World, repo: Repo, run: dict[str, Any]) -> dict[str, Any]:
    """A check run in GitHub's form (its buttons are not part of it)."""
    shape: dict[str, Any] = shapes.template(world, "checks/create", "201", repo=repo)
    url = f"{world.api_url}/repos/{repo.full_name}/check-runs/{run['id']}"
    page = f"{world.server_url}/{repo.full_name}/runs/{run['id']}"
    hidden = {"annotations", "actions", "log"}
    shape.update({k: v for k, v in run.items() if k not in hidden})
    output = run["output"] | {
        "annotations_count": len(run["annotations"]),
        "annotations_url": f"{url}/annotations",
    }
    shape.update(
        node_id=f"CR_{run['id']}",
        url=url,
        html_url=page,
        output=output,
        check_suite={"id": int(run["head_sha"][:7], 16)},
        app=shapes.app(world) | run.get("app", {}),
        pull_requests=[
            _pull_minimal(world, repo, issue)
            for issue in repo.issues.values()
            if issue.pull and issue.state == "open" and issue.pull.sha == run["head_sha"]
        ],
    )
    return shape


def _pull_minimal(world: World, repo: Repo, issue: Issue) -> dict[str, Any]:
    """A pull request as check runs name it: only those of the same repository."""
    assert issue.pull is not None
    api = f"{world.api_url}/repos/{repo.full_name}"
    where = {"id": repo.id, "url": api, "name": repo.name}
    return {
        "id": issue.id,
        "number": issue.number,
        "url": f"{api}/pulls/{issue.number}",
        "head": {"ref": issue.pull.head, "sha": issue.pull.sha, "repo": where},
        "base": {"ref": issue.pull.base, "sha": issue.pull.base_sha, "repo": where},
    }


def _tell(call: Call, repo: Repo, run: dict[str, Any], action: str) -> None:
    shape = check_run(call.world, repo, run)
    event = payloads.check_run(call.world, action, repo, shape, call.actor)
    call.world.outbox.append(event)


def _run(call: Call) -> dict[str, Any]:
    found = call.repo.checks.get(int(call.params["check_run_id"]))
    if found is None:
        raise missing()
    return found


def get_check(call: Call) -> Answer:
    """A check run."""
    return Answer(body=check_run(call.world, call.repo, _run(call)))


def update_check(call: Call) -> Answer:
    """Change a check run; annotations are added to those it has."""
    run, done = _run(call), _run(call)["status"] == "completed"
    apply_check(call.world, run, call.body)
    if run["status"] == "completed" and not done:
        _tell(call, call.repo, run, "completed")
    return Answer(body=check_run(call.world, call.repo, run))


def list_checks(call: Call) -> Answer:
    """The check runs of a commit; ``filter=latest`` (default) keeps one of each name."""
    repo, query = call.repo, call.query
    sha = repo.bare.resolve(call.params["ref"])
    found = [
        r
        for r in repo.checks.values()
        if r["head_sha"] == sha
        and query.get("check_name", r["name"]) == r["name"]
        and query.get("status", r["status"]) == r["status"]
    ]
    if query.get("filter", "latest") == "latest":
        found = list({r["name"]: r for r in found}.values())
    items, headers = call.page(list(reversed(found)))
    shaped = [check_run(call.world, repo, r) for r in items]
    return Answer(body={"total_count": len(found), "check_runs": shaped}, headers=headers)


def list_annotations(call: Call) -> Answer:
    """The annotations of a check run."""
    items, headers = call.page(_run(call)["annotations"])
    sample = shapes.template(call.world, "checks/list-annotations")[0]
    empty = dict.fromkeys(("start_column", "end_column", "raw_details", "title"))
    return Answer(body=[{**sample, **empty, **one} for one in items], headers=headers)


def job_log(call: Call) -> Answer:
    """Where the log of a job of GitHub Actions is: a page that asks for no token."""
    run = call.repo.checks.get(int(call.params["job_id"]))
    if run is None or not run.get("log"):
        raise missing()
    elsewhere = call.world.server_url.replace("127.0.0.1", "localhost")
    return Answer(302, headers={"location": f"{elsewhere}/logs/{run['id']}"})


def create_status(call: Call) -> Answer:
    """A commit status."""
    repo, sha = call.repo, call.params["sha"]
    if repo.bare.kind(sha) != "commit":
        raise invalid(f"No commit found for SHA: {sha}")
    return Answer(201, new_status(call.world, repo, sha, call.body, call.actor))


def new_status(
    world: World, repo: Repo, sha: str, body: dict[str, Any], creator: User
) -> dict[str, Any]:
    """Put a status on a commit; in GitHub's form."""
    shape: dict[str, Any] = shapes.template(world, "repos/create-commit-status", "201", repo=repo)
    now, number = stamp(world.clock.now()), next(world.ids)
    shape.update(
        id=number,
        node_id=f"SC_{number}",
        state=body["state"],
        description=body.get("description"),
        target_url=body.get("target_url"),
        context=body.get("context", "default"),
        creator=shapes.user(world, creator),
        created_at=now,
        updated_at=now,
        url=f"{world.api_url}/repos/{repo.full_name}/statuses/{sha}",
    )
    repo.statuses.append({"sha": sha, "shape": shape})
    return shape


def combined_status(call: Call) -> Answer:
    """The newest status of each context and what they come to."""
    repo, world = call.repo, call.world
    sha = repo.bare.resolve(call.params["ref"])
    if sha is None:
        raise missing()
    newest = {s["shape"]["context"]: s["shape"] for s in repo.statuses if s["sha"] == sha}
    states = {s["state"] for s in newest.values()}
    shape: dict[str, Any] = shapes.template(world, "repos/get-combined-status-for-ref", repo=repo)
    listed = [{k: v for k, v in s.items() if k != "creator"} for s in newest.values()]
    total = "failure" if states & {"failure", "error"} else "pending"
    state = "success" if states == {"success"} else total
    full = shapes.repository(world, repo)
    minimal = {k: full[k] for k in shape["repository"] if k in full}
    shape.update(state=state, sha=sha, total_count=len(listed), statuses=listed)
    return Answer(body=shape | {"repository": shape["repository"] | minimal})


ROUTES = {
    "checks/create": create_check,
    "checks/get": get_check,
    "checks/update": update_check,
    "checks/list-for-ref": list_checks,
    "checks/list-annotations": list_annotations,
    "actions/download-job-logs-for-workflow-run": job_log,
    "repos/create-commit-status": create_status,
    "repos/get-combined-status-for-ref": combined_status,
}
