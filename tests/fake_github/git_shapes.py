"""Commits, trees, refs, files and pull requests in GitHub's form, read from git."""

from __future__ import annotations

import base64
import json
import re
from datetime import UTC, datetime
from typing import Any

from tests.fake_github import shapes, stacks
from tests.fake_github.bare import Bare, Entry, Person
from tests.fake_github.clock import stamp
from tests.fake_github.state import Issue, Pull, Repo, User
from tests.fake_github.world import World

STATUS = {"A": "added", "M": "modified", "D": "removed", "R": "renamed", "T": "changed"}
SAMPLE_COMMIT = "7638417db6d59f3c431d3e1f261cc637155684cd"
SIGNED = "-----BEGIN PGP SIGNATURE-----\n\nwsFzBAABCAAnBQJfake\n-----END PGP SIGNATURE-----\n"


def raw_commit(bare: Bare, sha: str) -> dict[str, Any]:
    """A commit object taken apart: tree, parents, author, committer, message, signature."""
    head, _, message = (
        bare.objects.content(sha, "commit").decode(errors="replace").partition("\n\n")
    )
    unfolded = re.sub(r"\n ", "\0", head)
    found: dict[str, Any] = {"parents": [], "message": message, "gpgsig": None}
    for line in unfolded.split("\n"):
        key, _, value = line.partition(" ")
        if key == "parent":
            found["parents"].append(value)
        else:
            found[key] = value.replace("\0", "\n")
    return found


def _person(line: str) -> dict[str, str]:
    match = re.fullmatch(r"(.*) <(.*)> (\d+) [+-]\d{4}", line)
    if match is None:
        return {"name": line, "email": "", "date": stamp(datetime.fromtimestamp(0, UTC))}
    date = datetime.fromtimestamp(int(match[3]), UTC)
    return {"name": match[1], "email": match[2], "date": stamp(date)}


def author(raw: dict[str, Any]) -> Person:
    """Who made a commit that ``raw_commit`` took apart."""
    found = _person(raw["author"])
    return Person(found["name"], found["email"], datetime.fromisoformat(found["date"]))


def verification(world: World, raw: dict[str, Any]) -> dict[str, Any]:
    """Whether GitHub signed the commit."""
    if not raw["gpgsig"]:
        return {
            "verified": False,
            "reason": "unsigned",
            "signature": None,
            "payload": None,
            "verified_at": None,
        }
    return {
        "verified": True,
        "reason": "valid",
        "signature": raw["gpgsig"],
        "payload": f"tree {raw['tree']}",
        "verified_at": stamp(world.clock.now()),
    }


def git_commit(world: World, repo: Repo, sha: str) -> dict[str, Any]:
    """A commit of the Git Data API."""
    swaps = ((SAMPLE_COMMIT, sha),)
    shape: dict[str, Any] = shapes.template(
        world, "git/create-commit", "201", repo=repo, swaps=swaps
    )
    raw = raw_commit(repo.bare, sha)
    url = f"{world.api_url}/repos/{repo.full_name}/git"
    page = f"{world.server_url}/{repo.full_name}/commit"
    shape.update(
        node_id=f"C_{sha}",
        author=_person(raw["author"]),
        committer=_person(raw["committer"]),
        message=raw["message"],
        tree={"sha": raw["tree"], "url": f"{url}/trees/{raw['tree']}"},
        parents=[
            {"sha": p, "url": f"{url}/commits/{p}", "html_url": f"{page}/{p}"}
            for p in raw["parents"]
        ],
        verification=verification(world, raw),
    )
    return shape


def commit(world: World, repo: Repo, sha: str) -> dict[str, Any]:
    """A commit of the repository API."""
    swaps = ((shapes.SAMPLE_SHA, sha),)
    shape: dict[str, Any] = shapes.template(world, "pulls/list-commits", repo=repo, swaps=swaps)[0]
    inner = git_commit(world, repo, sha)
    parents = inner["parents"]
    account = _account(world, inner["author"]["email"])
    shape.update(node_id=f"C_{sha}", parents=parents, author=account, committer=account)
    shape["commit"].update(
        {k: inner[k] for k in ("author", "committer", "message", "tree", "verification")},
        comment_count=0,
    )
    return shape


def _account(world: World, email: str) -> dict[str, Any] | None:
    match = re.fullmatch(r"(?:\d+\+)?(.+)@users\.noreply\.github\.com", email)
    known = world.users.get(match[1].lower()) if match else None
    return shapes.user(world, known) if known else None


def noreply(world: World, who: User) -> Person:
    """The author GitHub writes for an account."""
    email = f"{who.id}+{who.login}@users.noreply.github.com"
    return Person(who.login, email, world.clock.now())


def ref(world: World, repo: Repo, name: str, sha: str) -> dict[str, Any]:
    """A ref of the Git Data API."""
    shape: dict[str, Any] = shapes.template(world, "git/create-ref", "201", repo=repo)
    base = f"{world.api_url}/repos/{repo.full_name}/git"
    kind = repo.bare.kind(sha) or "commit"
    shape.update(ref=name, node_id=f"REF_{name}", url=f"{base}/{name}")
    shape["object"].update(sha=sha, type=kind, url=f"{base}/{kind}s/{sha}")
    return shape


def tree(world: World, repo: Repo, sha: str, *, recursive: bool = False) -> dict[str, Any]:
    """A tree of the Git Data API."""
    base = f"{world.api_url}/repos/{repo.full_name}/git"
    return {
        "sha": sha,
        "url": f"{base}/trees/{sha}",
        "tree": [_line(base, e) for e in repo.bare.entries(sha, recursive=recursive)],
        "truncated": False,
    }


def _line(base: str, entry: Entry) -> dict[str, Any]:
    line = {"path": entry.path, "mode": entry.mode, "type": entry.type, "sha": entry.sha}
    if entry.size is not None:
        line["size"] = entry.size  # type: ignore[assignment]
    if entry.type != "commit":
        line["url"] = f"{base}/{entry.type}s/{entry.sha}"
    return line


def encoded(data: bytes) -> str:
    """Base64 in lines of 60, as GitHub writes it."""
    text = base64.b64encode(data).decode()
    return "".join(text[at : at + 60] + "\n" for at in range(0, len(text), 60))


def files(world: World, repo: Repo, base: str, head: str) -> list[dict[str, Any]]:
    """What changed between two commits, one diff-entry a file."""
    flags = ("--raw", "-p", "-z", "-M", "--no-abbrev")
    listed, _, said = repo.bare.fixed("diff", *flags, base, head).partition(b"\0\0")
    raw = listed.decode().split("\0") if listed else []
    patches = re.split(r"^diff --git ", said.decode(errors="replace"), flags=re.MULTILINE)[1:]
    found, at = [], 0
    while at < len(raw):
        meta, names = raw[at].split(), raw[at + 1 : at + 2]
        if meta[4][0] in "RC":
            names = raw[at + 1 : at + 3]
        at += 1 + len(names)
        # a file that became a link, or the other way round, is deleted and made again
        patch = "".join(patches.pop(0) for _ in range(1 + (meta[4][0] == "T")))
        found.append(_diff_entry(world, repo, head, (meta, names, patch)))
    return found


def _diff_entry(
    world: World, repo: Repo, head: str, change: tuple[list[str], list[str], str]
) -> dict[str, Any]:
    meta, names, patch = change
    shape: dict[str, Any] = shapes.template(world, "pulls/list-files", repo=repo)[0]
    gone = meta[4] == "D"
    shape = json.loads(
        json.dumps(shape).replace(shapes.SAMPLE_SHA, head).replace("file1.txt", names[-1])
    )
    hunk = patch.find("\n@@")
    lines = patch[hunk + 1 :].split("\n") if hunk >= 0 else []
    added = sum(line.startswith("+") for line in lines)
    removed = sum(line.startswith("-") for line in lines)
    shape.update(
        sha=meta[2] if gone else meta[3],
        filename=names[-1],
        status=STATUS[meta[4][0]],
        additions=added,
        deletions=removed,
        changes=added + removed,
    )
    shape["patch"] = "\n".join(lines).rstrip("\n")
    if len(names) == 2:
        shape["previous_filename"] = names[0]
    return shape if lines else {k: v for k, v in shape.items() if k != "patch"}


def _auto_merge(world: World, pull: Pull) -> dict[str, Any] | None:
    if pull.auto_merge is None:
        return None
    who, method = pull.auto_merge
    texts = {"commit_title": "", "commit_message": ""}
    return {"enabled_by": shapes.user(world, who), "merge_method": method, **texts}


def pull(world: World, repo: Repo, one: Issue, *, full: bool = True) -> dict[str, Any]:
    """A pull request; lists leave out what takes long to compute (``full=False``)."""
    assert one.pull is not None
    swaps = (("/1347", f"/{one.number}"), (shapes.SAMPLE_SHA, one.pull.sha))
    shape: dict[str, Any] = shapes.template(world, "pulls/get", repo=repo, swaps=swaps)
    state = one.pull
    shape.update(
        **shapes.common(world, repo, one),
        node_id=f"PR_{one.id}",
        requested_reviewers=[shapes.user(world, each) for each in state.reviewers],
        requested_teams=[],
        draft=state.draft,
        auto_merge=_auto_merge(world, state),
        merged_at=stamp(state.merged) if state.merged else None,
        merge_commit_sha=state.merge_sha,
        head=_end(world, repo, state.head, state.sha),
        base=_end(world, repo, state.base, base_sha(repo, state)),
    )
    if repo.stacks is not None:
        shape["stack"] = stacks.of_pull(repo, one)
    else:
        shape.pop("stack", None)
    if state.fork:
        shape["head"]["repo"] |= {"id": state.fork, "fork": True}
    return shape | _computed(world, repo, one) if full else _listed(shape)


def base_sha(repo: Repo, state: Pull) -> str:
    """Where the base branch is (was, once the pull request is merged)."""
    if state.merged:
        return state.base_sha
    return repo.bare.resolve(f"refs/heads/{state.base}") or state.base_sha


def _end(world: World, repo: Repo, branch: str, sha: str) -> dict[str, Any]:
    return {
        "label": f"{repo.owner.login}:{branch}",
        "ref": branch,
        "sha": sha,
        "user": shapes.user(world, repo.owner),
        "repo": shapes.repository(world, repo),
    }


def _listed(shape: dict[str, Any]) -> dict[str, Any]:
    heavy = "merged mergeable mergeable_state rebaseable merged_by comments review_comments"
    drop = {*heavy.split(), "commits", "additions", "deletions", "changed_files"}
    kept = {k: v for k, v in shape.items() if k not in drop}
    return {k: v for k, v in kept.items() if k != "maintainer_can_modify"}


def _computed(world: World, repo: Repo, one: Issue) -> dict[str, Any]:
    state = one.pull
    assert state is not None
    below = base_sha(repo, state)
    fork = repo.bare.merge_base(below, state.sha) or below
    diff = files(world, repo, fork, state.sha)
    clean = one.state == "open" and repo.bare.merged_tree(below, state.sha) is not None
    good = "clean" if stacks.obstacle(repo, one) is None else "blocked"
    return {
        "merged": state.merged is not None,
        "mergeable": clean if one.state == "open" else None,
        "mergeable_state": good if clean else "dirty" if one.state == "open" else "unknown",
        "rebaseable": clean,
        "merged_by": shapes.user(world, state.merged_by) if state.merged_by else None,
        "comments": len(one.comments),
        "review_comments": 0,
        "maintainer_can_modify": False,
        "commits": len(repo.bare.between(fork, state.sha)),
        "additions": sum(f["additions"] for f in diff),
        "deletions": sum(f["deletions"] for f in diff),
        "changed_files": len(diff),
    }
