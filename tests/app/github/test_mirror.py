"""The mirror fetches single commits, keeps the token to itself and heals."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from app.github.mirror import Mirror
from runner.errors import Outage, TaskError
from tests.runner.git.scratch_git import ScratchGit

TOKEN = "ghs_7_header.payload.signature"


async def _token() -> str:
    return TOKEN


@pytest.fixture
def origin(tmp_path: Path) -> ScratchGit:
    """The repository that is mirrored."""
    git = ScratchGit(tmp_path / "origin")
    git.commit({"a.txt": b"first\n"})
    git.commit({"a.txt": b"second\n", "b.txt": b"b\n"})
    return git


@pytest.fixture
def mirror(tmp_path: Path) -> Mirror:
    """A mirror that does not exist yet."""
    return Mirror(tmp_path / "data" / "1.git")


async def _fetch(mirror: Mirror, origin: ScratchGit, want: str) -> str:
    return await mirror.fetch(want, url=f"file://{origin.root}", token=_token)


async def test_a_commit_can_be_read_after_its_fetch(mirror: Mirror, origin: ScratchGit) -> None:
    """The snapshot of a fetched commit is the origin's tree."""
    commit = await _fetch(mirror, origin, origin("rev-parse", "main"))
    assert (await mirror.objects.snapshot(commit)).tree == origin.tree("main")


async def test_a_ref_is_fetched_as_its_commit(mirror: Mirror, origin: ScratchGit) -> None:
    """A ref name is answered with the commit it stands for now."""
    assert await _fetch(mirror, origin, "refs/heads/main") == origin("rev-parse", "main")


async def test_only_one_commit_comes(mirror: Mirror, origin: ScratchGit) -> None:
    """History is not fetched."""
    await _fetch(mirror, origin, "refs/heads/main")
    with pytest.raises(TaskError, match="no commit"):
        await mirror.objects.snapshot(origin("rev-parse", "main^"))


async def test_an_older_commit_can_come_too(mirror: Mirror, origin: ScratchGit) -> None:
    """A commit that is no branch's head can be fetched by its sha."""
    await _fetch(mirror, origin, "refs/heads/main")
    commit = await _fetch(mirror, origin, origin("rev-parse", "main^"))
    assert (await mirror.objects.snapshot(commit)).tree == origin.tree("main^")


async def test_tags_are_listed_without_a_fetch(mirror: Mirror, origin: ScratchGit) -> None:
    """Their names are known, annotated ones too, and nothing else came."""
    origin("tag", "v1.2.0")
    origin("tag", "-a", "-m", "Release", "v1.3.0")

    assert await mirror.tags(url=f"file://{origin.root}", token=_token) == ("v1.2.0", "v1.3.0")
    with pytest.raises(TaskError, match="no commit"):
        await mirror.objects.snapshot(origin("rev-parse", "main"))


async def test_no_tags_where_nobody_answers(mirror: Mirror, tmp_path: Path) -> None:
    """The version is then found in another way, and no run is paused."""
    assert await mirror.tags(url=f"file://{tmp_path}/nowhere", token=_token) == ()


async def test_nothing_is_checked_out(mirror: Mirror, origin: ScratchGit, tmp_path: Path) -> None:
    """The mirror is bare: no file of the repository appears on the disk."""
    await _fetch(mirror, origin, "refs/heads/main")
    assert not list((tmp_path / "data").rglob("*.txt"))


async def test_a_commit_that_is_here_is_not_fetched_again(
    mirror: Mirror, origin: ScratchGit
) -> None:
    """A commit is fetched once; after that its origin is not needed."""
    commit = await _fetch(mirror, origin, "refs/heads/main")
    shutil.rmtree(origin.root)
    assert await _fetch(mirror, origin, commit) == commit


async def test_the_token_is_in_no_file(mirror: Mirror, origin: ScratchGit, tmp_path: Path) -> None:
    """The mirror keeps no trace of the token."""
    await _fetch(mirror, origin, "refs/heads/main")
    files = [file for file in (tmp_path / "data").rglob("*") if file.is_file()]
    assert not [file for file in files if TOKEN.encode() in file.read_bytes()]


@pytest.mark.parametrize("broken", ["HEAD", "objects", "config"])
async def test_a_broken_mirror_is_made_anew(
    mirror: Mirror, origin: ScratchGit, tmp_path: Path, broken: str
) -> None:
    """Whatever is missing in a mirror, the next fetch gives a whole one."""
    await _fetch(mirror, origin, origin("rev-parse", "main^"))
    part = tmp_path / "data" / "1.git" / broken
    shutil.rmtree(part) if part.is_dir() else part.unlink()
    commit = await _fetch(mirror, origin, "refs/heads/main")
    assert (await mirror.objects.snapshot(commit)).tree == origin.tree("main")


async def test_a_lock_left_by_a_killed_fetch_is_overcome(
    mirror: Mirror, origin: ScratchGit, tmp_path: Path
) -> None:
    """A worker killed while it fetched leaves nothing that stops the next one."""
    await _fetch(mirror, origin, origin("rev-parse", "main^"))
    (tmp_path / "data" / "1.git" / "shallow.lock").touch()
    assert await _fetch(mirror, origin, "refs/heads/main") == origin("rev-parse", "main")


async def test_fetches_at_the_same_time_all_end_well(mirror: Mirror, origin: ScratchGit) -> None:
    """Fetches of one mirror wait for each other."""
    wanted = [origin("rev-parse", name) for name in ("main", "main^", "main", "main^")]
    assert await asyncio.gather(*(_fetch(mirror, origin, want) for want in wanted)) == wanted


async def test_a_commit_nobody_has_is_this_tasks_error(mirror: Mirror, origin: ScratchGit) -> None:
    """A commit that was force-pushed away is named, with what to do."""
    with pytest.raises(TaskError, match=f"no longer has {'1' * 40}"):
        await _fetch(mirror, origin, "1" * 40)


async def test_a_branch_nobody_has_is_this_tasks_error(mirror: Mirror, origin: ScratchGit) -> None:
    """A branch that was deleted is named."""
    with pytest.raises(TaskError, match="no longer has refs/heads/gone"):
        await _fetch(mirror, origin, "refs/heads/gone")


async def test_a_server_that_is_away_is_an_outage(mirror: Mirror) -> None:
    """A refused connection blames no task, and what is said holds no token."""
    with pytest.raises(Outage, match="cannot be reached") as caught:
        await mirror.fetch("refs/heads/main", url="http://127.0.0.1:1/o/r.git", token=_token)
    assert (caught.value.kind, TOKEN in str(caught.value)) == ("git", False)


async def test_other_names_are_refused(mirror: Mirror, origin: ScratchGit) -> None:
    """What is neither a sha nor a full ref name never reaches git."""
    with pytest.raises(ValueError, match="neither"):
        await _fetch(mirror, origin, "--upload-pack=touch /tmp/x")


_OLDER = """#!/bin/sh
case "$*" in
*merge-tree*) echo "usage: git merge-tree <base-tree> <branch1> <branch2>" >&2; exit 129;;
esac
exec {git} "$@"
"""


async def test_a_git_that_merges_no_trees_is_named(
    tmp_path: Path, origin: ScratchGit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sentence says what to install; with a newer one the same trees are merged."""
    path = tmp_path / "bin" / "git"
    path.parent.mkdir()
    path.write_text(_OLDER.format(git=shutil.which("git")))
    path.chmod(0o755)
    real = Mirror(tmp_path / "data" / "1.git")
    monkeypatch.setenv("PATH", str(path.parent), prepend=":")
    older = Mirror(tmp_path / "data" / "1.git")
    commits = [await _fetch(real, origin, origin("rev-parse", name)) for name in ("main~1", "main")]
    old, new = [await real.objects.snapshot(commit) for commit in commits]

    with pytest.raises(Outage, match=r"Install git 2\.38 or newer"):
        await older.merge(old, old, new)

    merged, conflicts = await real.merge(old, old, new)
    assert (merged.tree, conflicts) == (new.tree, frozenset())
