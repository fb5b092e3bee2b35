"""Routes of the Git Data API: blobs, trees, commits, refs."""

from __future__ import annotations

import base64
import binascii
from datetime import datetime
from typing import Any

from tests.fake_github import auth, git_shapes, ripple
from tests.fake_github.answers import Answer, Call, invalid, missing
from tests.fake_github.bare import Person
from tests.fake_github.objects import GitError
from tests.fake_github.state import Repo, Token

GITHUB = ("GitHub", "noreply@github.com")


def create_blob(call: Call) -> Answer:
    """Store a content given as text or Base64."""
    data, repo = call.body["content"], call.repo
    if call.body.get("encoding", "utf-8") == "base64":
        try:
            raw = base64.b64decode("".join(data.split()), validate=True)
        except binascii.Error as error:
            raise invalid("content is not valid Base64") from error
    else:
        raw = data.encode()
    sha = repo.bare.blob(raw)
    url = f"{call.world.api_url}/repos/{repo.full_name}/git/blobs/{sha}"
    return Answer(201, {"url": url, "sha": sha}, {"location": url})


def get_blob(call: Call) -> Answer:
    """A content as Base64 (or raw, when the Accept header says so)."""
    repo, sha = call.repo, call.params["file_sha"]
    if repo.bare.kind(sha) != "blob":
        raise missing()
    data = repo.bare.content(sha)
    if "raw" in call.accept:
        return Answer(raw=data)
    url = f"{call.world.api_url}/repos/{repo.full_name}/git/blobs/{sha}"
    body = {"sha": sha, "node_id": f"B_{sha}", "size": len(data), "url": url}
    return Answer(body=body | {"content": git_shapes.encoded(data), "encoding": "base64"})


def create_tree(call: Call) -> Answer:
    """Lay entries over ``base_tree``; a null sha deletes."""
    repo, given = call.repo, call.body.get("base_tree")
    base = repo.bare.resolve(given, "tree") if given else None
    if given and base is None:
        raise missing()
    known = {e.path for e in repo.bare.entries(base, recursive=True)} if base else set()
    lines = [_line(repo, entry, known) for entry in call.body["tree"]]
    try:
        sha = repo.bare.tree(base, lines)
    except GitError as error:
        raise invalid("tree.path contains a malformed path component") from error
    return Answer(201, git_shapes.tree(call.world, repo, sha))


def _line(repo: Repo, entry: dict[str, Any], known: set[str]) -> tuple[str, str | None, str]:
    path, mode = entry.get("path", ""), entry.get("mode", "100644")
    if not path or path.startswith("/") or "//" in path:
        raise invalid("tree.path contains a malformed path component")
    if "content" in entry:
        return mode, repo.bare.blob(entry["content"].encode()), path
    sha = entry.get("sha")
    if sha is None:
        if path not in known:
            raise invalid("GitRPC::BadObjectState")
        return mode, None, path
    kind = {"040000": "tree", "160000": "commit"}.get(mode, "blob")
    if kind != "commit" and repo.bare.kind(sha) != kind:
        raise invalid(f"tree.sha {sha} is not a valid {kind}")
    return mode, sha, path


def get_tree(call: Call) -> Answer:
    """A tree by its sha, a commit or a branch; ``recursive`` with any value goes down."""
    sha = call.repo.bare.resolve(call.params["tree_sha"], "tree")
    if sha is None:
        raise missing()
    deep = "recursive" in call.query
    return Answer(body=git_shapes.tree(call.world, call.repo, sha, recursive=deep))


def create_commit(call: Call) -> Answer:
    """A commit; without author and committer GitHub signs it for the bot."""
    repo, body = call.repo, call.body
    if repo.bare.kind(body["tree"]) != "tree":
        raise invalid("Tree SHA does not exist")
    for parent in body.get("parents", ()):
        if repo.bare.kind(parent) != "commit":
            raise invalid("Parent SHA does not exist or is not a commit object")
    bot = git_shapes.noreply(call.world, call.actor)
    plain = "author" not in body and "committer" not in body
    author = _person(body.get("author"), bot)
    signer = Person(*GITHUB, call.world.clock.now())
    sha = repo.bare.commit(
        body["tree"],
        body.get("parents", ()),
        body["message"],
        author=author,
        committer=signer if plain else _person(body.get("committer"), author),
        signature=git_shapes.SIGNED if plain else body.get("signature", ""),
    )
    return Answer(201, git_shapes.git_commit(call.world, repo, sha))


def _person(given: dict[str, str] | None, default: Person) -> Person:
    if given is None:
        return default
    date = datetime.fromisoformat(given["date"]) if "date" in given else default.date
    return Person(given["name"], given["email"], date)


def get_commit(call: Call) -> Answer:
    """A commit object."""
    sha = call.params["commit_sha"]
    if call.repo.bare.kind(sha) != "commit":
        raise missing()
    return Answer(body=git_shapes.git_commit(call.world, call.repo, sha))


def get_ref(call: Call) -> Answer:
    """One ref, by its exact name without ``refs/``."""
    name = f"refs/{call.params['ref']}"
    sha = call.repo.bare.refs("refs/").get(name)
    if sha is None:
        raise missing()
    return Answer(body=git_shapes.ref(call.world, call.repo, name, sha))


def matching_refs(call: Call) -> Answer:
    """All refs whose name begins so."""
    found = call.repo.bare.refs(f"refs/{call.params['ref']}")
    items, headers = call.page(sorted(found.items()))
    shaped = [git_shapes.ref(call.world, call.repo, n, s) for n, s in items]
    return Answer(body=shaped, headers=headers)


def guard_workflows(repo: Repo, token: Token, after: str) -> None:
    """Without ``workflows`` no ref may bring a new commit that changes workflow files.

    A commit changes what its first parent has otherwise; what some ref has already is not new.
    """
    if "workflows" in token.permissions:
        return
    known = repo.bare.ancestors(*repo.bare.refs("refs/"))
    for commit in repo.bare.ancestors(after).keys() - known:
        start = f"{commit}^" if repo.bare.resolve(f"{commit}^") else ""
        old = repo.bare.at(start, ".github/workflows", "tree") if start else None
        new = repo.bare.at(commit, ".github/workflows", "tree")
        if old != new and new is not None:
            raise auth.unable([{"contents": "write", "workflows": "write"}])


def _move(call: Call, ref: str, sha: str | None) -> None:
    before = call.repo.bare.refs()
    try:
        call.repo.bare.update(ref, sha)
    except GitError as error:
        raise invalid("Reference update failed") from error
    call.world.outbox += ripple.moved(call.world, call.repo, before, call.actor)


def create_ref(call: Call) -> Answer:
    """A new ref; never moves one that exists."""
    repo, name, sha = call.repo, call.body["ref"], call.body["sha"]
    if not name.startswith("refs/") or name.count("/") < 2:
        raise invalid("Reference name must start with 'refs/' and have at least two slashes")
    if name in repo.bare.refs("refs/"):
        raise invalid("Reference already exists")
    if repo.bare.kind(sha) is None:
        raise invalid("Object does not exist")
    guard_workflows(repo, call.token, sha)
    _move(call, name, sha)
    shape = git_shapes.ref(call.world, repo, name, sha)
    return Answer(201, shape, {"location": shape["url"]})


def update_ref(call: Call) -> Answer:
    """Move a ref; backwards only by force."""
    repo, name, sha = call.repo, f"refs/{call.params['ref']}", call.body["sha"]
    old = repo.bare.refs("refs/").get(name)
    if old is None:
        raise invalid("Reference does not exist")
    if repo.bare.kind(sha) is None:
        raise invalid("Object does not exist")
    if not call.body.get("force", False) and not repo.bare.is_ancestor(old, sha):
        raise invalid("Update is not a fast forward")
    guard_workflows(repo, call.token, sha)
    _move(call, name, sha)
    return Answer(body=git_shapes.ref(call.world, repo, name, sha))


def delete_ref(call: Call) -> Answer:
    """Delete a ref; its open pull requests close."""
    name = f"refs/{call.params['ref']}"
    if name not in call.repo.bare.refs("refs/"):
        raise invalid("Reference does not exist")
    _move(call, name, None)
    return Answer(204)


ROUTES = {
    "git/create-blob": create_blob,
    "git/get-blob": get_blob,
    "git/create-tree": create_tree,
    "git/get-tree": get_tree,
    "git/create-commit": create_commit,
    "git/get-commit": get_commit,
    "git/get-ref": get_ref,
    "git/list-matching-refs": matching_refs,
    "git/create-ref": create_ref,
    "git/update-ref": update_ref,
    "git/delete-ref": delete_ref,
}
