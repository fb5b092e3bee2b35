"""Git and the Git Data API are two doors to the same repository."""

from __future__ import annotations

import asyncio
import base64
import os
import subprocess
from pathlib import Path

import pytest

from tests.fake_github import FakeGitHub
from tests.fake_github.objects import environment
from tests.fake_github_tests.conftest import NAME, Client

GIT = f"/repos/{NAME}/git"


async def git(*arguments: str, cwd: Path, token: str = "") -> tuple[int, str]:
    """Run git as an app would, the token in a header by environment; exit code and output."""
    secret = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    header = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "http.extraHeader",
        "GIT_CONFIG_VALUE_0": f"Authorization: Basic {secret}",
    }
    people = {
        f"GIT_{who}_{what}": "me@example.com"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    process = await asyncio.create_subprocess_exec(
        "git",
        *arguments,
        cwd=cwd,
        env=environment() | people | (header if token else {}),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await process.communicate()
    return process.returncode or 0, out.decode()


@pytest.fixture
def url(fake: FakeGitHub) -> str:
    """The address git uses."""
    return f"{fake.server_url}/{NAME}.git"


async def test_a_clone_has_the_files(fake: FakeGitHub, tmp_path: Path, url: str) -> None:
    """A clone over HTTP gives contents, modes and links."""
    code, said = await git("clone", "-q", url, "copy", cwd=tmp_path, token=fake.token(NAME))

    assert code == 0, said
    assert (tmp_path / "copy/src/a.py").read_bytes() == b"a = 1\n"
    assert os.access(tmp_path / "copy/run.sh", os.X_OK)
    assert (tmp_path / "copy/link").is_symlink()


async def test_git_needs_a_token(fake: FakeGitHub, tmp_path: Path, url: str) -> None:
    """Without a token there is no clone."""
    code, _ = await git("clone", "-q", url, "copy", cwd=tmp_path)

    assert code != 0
    assert fake.requests[-1].status == 401


async def test_one_commit_can_be_fetched_by_sha(fake: FakeGitHub, tmp_path: Path, url: str) -> None:
    """A shallow fetch of one commit works, as GitHub allows."""
    await git("init", "-q", "--bare", "bare", cwd=tmp_path)
    sha = fake.repo(NAME).branches["main"]

    parts = ("fetch", "-q", "--depth=1", url, sha)
    code, said = await git(*parts, cwd=tmp_path / "bare", token=fake.token(NAME))

    assert code == 0, said


async def _push(fake: FakeGitHub, tmp_path: Path, url: str, token: str) -> tuple[int, str]:
    await git("clone", "-q", url, "copy", cwd=tmp_path, token=fake.token(NAME))
    copy = tmp_path / "copy"
    (copy / "new.txt").write_text("new\n")
    await git("add", "new.txt", cwd=copy)
    await git("commit", "-q", "-m", "New", cwd=copy)
    return await git("push", "-q", "origin", "HEAD:refs/heads/topic", cwd=copy, token=token)


async def test_a_push_arrives_and_is_told(fake: FakeGitHub, tmp_path: Path, url: str) -> None:
    """A push makes the branch, seen by both doors, and a push event."""
    code, said = await _push(fake, tmp_path, url, fake.token(NAME))

    assert code == 0, said
    assert fake.repo(NAME).file("topic", "new.txt") == b"new\n"
    assert fake.deliveries[-1].payload["commits"][0]["added"] == ["new.txt"]
    fake.verify()


async def test_a_push_needs_contents_write(fake: FakeGitHub, tmp_path: Path, url: str) -> None:
    """With contents: read a push is refused and nothing moves."""
    code, said = await _push(fake, tmp_path, url, fake.token(NAME, contents="read"))

    assert code != 0
    assert "403" in said
    assert "topic" not in fake.repo(NAME).branches
    fake.forgive("permission missing for git")


async def test_api_trees_are_git_trees(client: Client, fake: FakeGitHub, tmp_path: Path) -> None:
    """A tree made by the API has the sha git gives the same files."""
    blob = (await client.ask("POST", f"{GIT}/blobs", {"content": "b\n"})).body["sha"]
    base = fake.repo(NAME).tree("main")
    entries = [
        {"path": "src/b.py", "mode": "100755", "type": "blob", "sha": blob},
        {"path": "src/a.py", "mode": "100644", "type": "blob", "sha": None},
        {"path": "c.txt", "mode": "100644", "type": "blob", "content": "c\n"},
    ]
    made = await client.ask("POST", f"{GIT}/trees", {"base_tree": base, "tree": entries})

    work = tmp_path / "work"
    clone = ["git", "clone", "-q", str(fake.repo(NAME).git), str(work)]
    subprocess.run(clone, check=True, env=environment())  # noqa: ASYNC221
    (work / "src/a.py").unlink()
    (work / "src/b.py").write_text("b\n")
    (work / "src/b.py").chmod(0o755)
    (work / "c.txt").write_text("c\n")
    await git("add", "-A", cwd=work)
    _, wanted = await git("write-tree", cwd=work)
    assert made.body["sha"] == wanted.strip()
    fake.verify()


async def test_commits_of_the_bot_are_signed(client: Client, fake: FakeGitHub) -> None:
    """Without author and committer a commit is the bot's and Verified; with one it is not."""
    base = {"message": "m", "tree": fake.repo(NAME).tree("main"), "parents": []}
    person = {"name": "me", "email": "me@example.com", "date": "2026-01-01T00:00:00Z"}

    plain = await client.ask("POST", f"{GIT}/commits", base)
    named = await client.ask("POST", f"{GIT}/commits", base | {"author": person})

    assert plain.body["author"]["name"] == "cairn[bot]"
    assert plain.body["verification"]["verified"] is True
    assert named.body["verification"]["reason"] == "unsigned"
    fake.verify()


async def test_refs_move_forward_only(client: Client, fake: FakeGitHub) -> None:
    """A ref is made once, moves forward, and backwards only by force."""
    old = fake.repo(NAME).branches["main"]
    await fake.push(NAME, {"x": b"x"})
    new = fake.repo(NAME).branches["main"]
    body = {"ref": "refs/heads/t", "sha": new}
    assert (await client.ask("POST", f"{GIT}/refs", body)).status == 201

    again = await client.ask("POST", f"{GIT}/refs", body)
    back = await client.ask("PATCH", f"{GIT}/refs/heads/t", {"sha": old})
    forced = await client.ask("PATCH", f"{GIT}/refs/heads/t", {"sha": old, "force": True})

    assert again.body["message"] == "Reference already exists"
    assert back.body["message"] == "Update is not a fast forward"
    assert (forced.status, fake.repo(NAME).branches["t"]) == (200, old)
    fake.verify()


async def test_matching_refs_begin_so(client: Client, fake: FakeGitHub) -> None:
    """matching-refs lists every ref of a prefix, and none is an empty list."""
    sha = fake.repo(NAME).branches["main"]
    for name in ("cairn/a/1", "cairn/a/2"):
        await client.ask("POST", f"{GIT}/refs", {"ref": f"refs/heads/{name}", "sha": sha})

    found = await client.ask("GET", f"{GIT}/matching-refs/heads/cairn/a")
    none = await client.ask("GET", f"{GIT}/matching-refs/heads/zzz")

    assert [r["ref"] for r in found.body] == ["refs/heads/cairn/a/1", "refs/heads/cairn/a/2"]
    assert none.body == []
    fake.verify()


async def test_the_wrong_tree_entry_is_refused(client: Client, fake: FakeGitHub) -> None:
    """Deleting what is not there, and a blob that does not exist, are 422."""
    base = fake.repo(NAME).tree("main")
    gone = {"path": "zzz", "mode": "100644", "type": "blob", "sha": None}
    lost = {"path": "zzz", "mode": "100644", "type": "blob", "sha": "1" * 40}

    for entry in (gone, lost):
        body = {"base_tree": base, "tree": [entry]}
        assert (await client.ask("POST", f"{GIT}/trees", body)).status == 422


async def test_workflow_files_need_their_permission(client: Client, fake: FakeGitHub) -> None:
    """Without workflows: write no ref may bring a changed workflow."""
    entry = {"path": ".github/workflows/x.yml", "mode": "100644", "content": "on: push\n"}
    tree = (await client.ask("POST", f"{GIT}/trees", {"tree": [entry]})).body["sha"]
    body = {"message": "m", "tree": tree, "parents": [fake.repo(NAME).branches["main"]]}
    commit = (await client.ask("POST", f"{GIT}/commits", body)).body["sha"]

    made = await client.ask("POST", f"{GIT}/refs", {"ref": "refs/heads/w", "sha": commit})

    assert made.status == 403
    fake.forgive("permission missing")
