"""Routes about repositories, people's permissions, files, branches and commits."""

from __future__ import annotations

import json
from typing import Any

from tests.fake_github import git_shapes, shapes
from tests.fake_github.answers import Answer, Call, missing
from tests.fake_github.bare import Entry
from tests.fake_github.clock import stamp
from tests.fake_github.state import Repo

INLINE = 1 << 20
LEGACY = {"maintain": "write", "triage": "read"}
LEVELS = ("pull", "triage", "push", "maintain", "admin")
RANK = {"none": 0, "read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}
KINDS = {"tree": "dir", "commit": "submodule", "blob": "file"}


def get_repository(call: Call) -> Answer:
    """The repository."""
    return Answer(body=shapes.repository(call.world, call.repo))


def permission(call: Call) -> Answer:
    """What a person may do; ``read`` for everybody on a public repository."""
    repo, who = call.repo, call.world.users.get(call.params["username"].lower())
    if who is None:
        raise missing()
    role = call.world.role(repo, who)
    shape = shapes.template(call.world, "repos/get-collaborator-permission-level")
    flags = {level: RANK[role] > at for at, level in enumerate(LEVELS)}
    account = shapes.user(call.world, who) | {"permissions": flags, "role_name": role}
    shape.update(permission=LEGACY.get(role, role), role_name=role, user=account)
    return Answer(body=shape)


def check_collaborator(call: Call) -> Answer:
    """204 for a collaborator, else 404."""
    who = call.world.users.get(call.params["username"].lower())
    if who is None or who.id not in call.repo.roles:
        raise missing()
    return Answer(204)


def get_user(call: Call) -> Answer:
    """A public account."""
    who = call.world.users.get(call.params["username"].lower())
    if who is None:
        raise missing()
    shape = shapes.template(call.world, "users/get-by-username")
    return Answer(body=shape | shapes.user(call.world, who))


def _commit(repo: Repo, name: str) -> str:
    sha = repo.bare.resolve(name)
    if sha is None:
        raise missing()
    return sha


def get_content(call: Call) -> Answer:
    """A file, a folder, a link or a submodule at a ref (default branch when none is given)."""
    repo, path = call.repo, call.params["path"].strip("/")
    ref = call.query.get("ref", repo.default_branch)
    sha = _commit(repo, ref)
    folder = path.rpartition("/")[0]
    known = {e.path: e for e in _below(repo, sha, folder)}
    found = known.get(path.rpartition("/")[2])
    if not path or (found is not None and found.type == "tree"):
        items = _below(repo, sha, path)
        return Answer(body=[_item(call, e, path, ref) for e in items])
    if found is None:
        raise missing()
    if "raw" in call.accept and found.type == "blob":
        return Answer(raw=repo.bare.content(found.sha))
    return Answer(body=_item(call, found, folder, ref) | _inside(repo, found))


def _below(repo: Repo, sha: str, folder: str) -> list[Entry]:
    tree = repo.bare.at(sha, folder, "tree")
    return repo.bare.entries(tree) if tree else []


def _inside(repo: Repo, entry: Entry) -> dict[str, Any]:
    if entry.type == "commit":
        return {"type": "submodule", "submodule_git_url": "https://example.com/module.git"}
    data = repo.bare.content(entry.sha)
    if entry.mode == "120000":
        return {"type": "symlink", "target": data.decode(errors="replace")}
    large = len(data) > INLINE
    content = "" if large else git_shapes.encoded(data)
    return {"encoding": "none" if large else "base64", "content": content}


def _item(call: Call, entry: Entry, folder: str, ref: str) -> dict[str, Any]:
    repo, world = call.repo, call.world
    name = entry.path.rpartition("/")[2]
    path = f"{folder}/{name}".lstrip("/")
    api, page = f"{world.api_url}/repos/{repo.full_name}", f"{world.server_url}/{repo.full_name}"
    urls = {
        "url": f"{api}/contents/{path}?ref={ref}",
        "git_url": f"{api}/git/{entry.type}s/{entry.sha}",
        "html_url": f"{page}/blob/{ref}/{path}",
    }
    return {
        "type": "symlink" if entry.mode == "120000" else KINDS[entry.type],
        "size": entry.size or 0,
        "name": name,
        "path": path,
        "sha": entry.sha,
        **urls,
        "download_url": f"{page}/raw/{ref}/{path}" if entry.type == "blob" else None,
        "_links": {"self": urls["url"], "git": urls["git_url"], "html": urls["html_url"]},
    }


def get_branch(call: Call) -> Answer:
    """A branch with its last commit."""
    repo, world, name = call.repo, call.world, call.params["branch"]
    sha = repo.bare.refs().get(f"refs/heads/{name}")
    if sha is None:
        raise missing()
    shape = shapes.template(world, "repos/get-branch", repo=repo)
    base = f"{world.api_url}/repos/{repo.full_name}/branches/{name}"
    page = f"{world.server_url}/{repo.full_name}/tree/{name}"
    shape.update(name=name, commit=git_shapes.commit(world, repo, sha), protected=False)
    shape.update(_links={"self": base, "html": page}, protection_url=f"{base}/protection")
    contexts = list(repo.required.get(name, ()))
    required = {"enforcement_level": "everyone", "contexts": contexts, "checks": []}
    shape["protection"] = {"enabled": bool(contexts), "required_status_checks": required}
    return Answer(body=shape)


def get_branch_rules(call: Call) -> Answer:
    """The rules of all rulesets that apply to a branch."""
    contexts = call.repo.ruled.get(call.params["branch"], ())
    checks = [{"context": each, "integration_id": 1} for each in contexts]
    rule = {
        "type": "required_status_checks",
        "ruleset_source_type": "Repository",
        "ruleset_source": call.repo.full_name,
        "ruleset_id": 42,
        "parameters": {
            "required_status_checks": checks,
            "strict_required_status_checks_policy": False,
        },
    }
    return Answer(body=[rule] if checks else [])


def list_branches(call: Call) -> Answer:
    """All branches, by name."""
    repo, world = call.repo, call.world
    items, headers = call.page(sorted(repo.bare.refs().items()))
    base = f"{world.api_url}/repos/{repo.full_name}/commits"
    shaped = [
        {
            "name": ref.removeprefix("refs/heads/"),
            "commit": {"sha": sha, "url": f"{base}/{sha}"},
            "protected": False,
        }
        for ref, sha in items
    ]
    return Answer(body=shaped, headers=headers)


def list_commits(call: Call) -> Answer:
    """Commits of a branch, newest first."""
    repo = call.repo
    sha = _commit(repo, call.query.get("sha", repo.default_branch))
    limits = ["--", call.query["path"]] if "path" in call.query else []
    shas = repo.bare.text("rev-list", sha, *limits).split()
    items, headers = call.page(shas)
    return Answer(body=[git_shapes.commit(call.world, repo, s) for s in items], headers=headers)


def get_commit(call: Call) -> Answer:
    """A commit with what it changed."""
    repo, sha = call.repo, _commit(call.repo, call.params["ref"])
    shape = git_shapes.commit(call.world, repo, sha)
    parents = shape["parents"]
    files = git_shapes.files(call.world, repo, parents[0]["sha"], sha) if parents else []
    total = {k: sum(f[k] for f in files) for k in ("additions", "deletions")}
    stats = {**total, "total": sum(total.values())}
    return Answer(body=shape | {"stats": stats, "files": files})


def compare(call: Call) -> Answer:
    """What ``head`` has that ``base`` has not (BASE...HEAD)."""
    repo, world = call.repo, call.world
    names = [part.split(":")[-1] for part in call.params["basehead"].split("...")]
    if len(names) != 2:
        raise missing()
    base, head = (_commit(repo, name) for name in names)
    fork = repo.bare.merge_base(base, head)
    if fork is None:
        raise missing()
    ahead, behind = repo.bare.between(base, head), repo.bare.between(head, base)
    shape = shapes.template(world, "repos/compare-commits-with-basehead", repo=repo)
    old, new = shape["base_commit"]["sha"], head
    shape = json.loads(json.dumps(shape).replace(old, new))
    shape.update(
        base_commit=git_shapes.commit(world, repo, base),
        merge_base_commit=git_shapes.commit(world, repo, fork),
        status=_status(len(ahead), len(behind)),
        ahead_by=len(ahead),
        behind_by=len(behind),
        total_commits=len(ahead),
        commits=[git_shapes.commit(world, repo, sha) for sha in ahead],
        files=git_shapes.files(world, repo, fork, head)[:300],
    )
    return Answer(body=shape)


def _status(ahead: int, behind: int) -> str:
    if ahead and behind:
        return "diverged"
    return "ahead" if ahead else "behind" if behind else "identical"


def list_activities(call: Call) -> Answer:
    """What moved the branches, the newest first; ``ref`` asks for one of them."""
    repo, world = call.repo, call.world
    wanted = call.query.get("ref", "").removeprefix("refs/heads/")
    found = [
        {
            "id": each.id,
            "node_id": f"ACT_{each.id}",
            "before": each.before,
            "after": each.after,
            "ref": each.ref,
            "timestamp": stamp(each.at),
            "activity_type": each.kind,
            "actor": shapes.user(world, each.by),
        }
        for each in reversed(repo.activity)
        if wanted in ("", each.ref.removeprefix("refs/heads/"))
    ]
    return Answer(body=found[: int(call.query.get("per_page", 30))])


ROUTES = {
    "repos/list-activities": list_activities,
    "repos/get": get_repository,
    "repos/get-collaborator-permission-level": permission,
    "repos/check-collaborator": check_collaborator,
    "users/get-by-username": get_user,
    "repos/get-content": get_content,
    "repos/get-branch": get_branch,
    "repos/get-branch-rules": get_branch_rules,
    "repos/list-branches": list_branches,
    "repos/list-commits": list_commits,
    "repos/get-commit": get_commit,
    "repos/compare-commits-with-basehead": compare,
}
