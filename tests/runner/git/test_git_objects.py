"""Snapshots and blobs of real repositories are exact."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from runner.errors import Outage, TaskError
from runner.git.command import hermetic
from runner.git.objects import GitObjects, MissingBlobs
from runner.state.changes import (
    EXECUTABLE,
    SUBMODULE,
    SYMLINK,
    ChangeSet,
    Snapshot,
    Write,
    blob_sha,
    tree_sha,
)
from tests.runner.git.scratch_git import ScratchGit

_ATTRIBUTES = b"""\
hidden.txt export-ignore
version.txt export-subst
*.dos text eol=crlf
*.shout filter=shout
"""
_LATIN = os.fsdecode(b"caf\xe9.txt")
_FILES = {
    ".gitattributes": _ATTRIBUTES,
    "hidden.txt": b"tests live here\n",
    "version.txt": b"$Format:%H$\n",
    "normalised.dos": b"one\r\ntwo\r\n",
    "raw-crlf.txt": b"one\r\ntwo\r\n",
    "plain.shout": b"quiet\n",
    "empty": b"",
    "binary": bytes(range(256)),
    "run.sh": b"#!/bin/sh\n",
    "a-b": b"sorts before a/",
    "a/b/c.txt": b"deep\n",
    "a.txt": b"sorts between\n",
    "tab\tand\nline.txt": b"weird\n",
    ' "quoted" ünïcode.txt': b"weird too\n",
    _LATIN: b"not UTF-8\n",
}


@pytest.fixture
def odd(tmp_path: Path) -> ScratchGit:
    """A repository with everything that archives and checkouts change."""
    git = ScratchGit(tmp_path / "odd")
    git.write(_FILES)
    (git.root / "run.sh").chmod(0o755)
    (git.root / "link").symlink_to("a/b/c.txt")
    git("update-index", "--add", "--cacheinfo", f"{SUBMODULE},{'1' * 40},vendored")
    git("config", "filter.shout.clean", "tr a-z A-Z")
    git("add", "--all", ":!vendored")
    git("commit", "--quiet", "--message", "odd")
    return git


def _objects(git: ScratchGit) -> GitObjects:
    return GitObjects(hermetic("-C", str(git.root)))


async def _snapshot(git: ScratchGit) -> Snapshot:
    return await _objects(git).snapshot(git("rev-parse", "HEAD"))


async def test_the_computed_tree_is_gits_own(odd: ScratchGit) -> None:
    """The tree sha computed from a snapshot's entries is the one git gave the commit."""
    snapshot = await _snapshot(odd)
    assert tree_sha(snapshot.entries) == snapshot.tree == odd.tree()


async def test_every_path_is_there(odd: ScratchGit) -> None:
    """A snapshot has every path of the tree, export-ignored, weird and non-UTF-8 ones too."""
    snapshot = await _snapshot(odd)
    assert set(snapshot.entries) == {*_FILES, "link", "vendored"}


async def test_modes_are_gits(odd: ScratchGit) -> None:
    """Executables, symlinks and submodules keep their modes."""
    entries = (await _snapshot(odd)).entries
    modes = [entries[path].mode for path in ("run.sh", "link", "vendored")]
    assert modes == [EXECUTABLE, SYMLINK, SUBMODULE]


async def test_contents_are_the_stored_bytes(odd: ScratchGit) -> None:
    """Blobs come byte for byte as git stores them: no substitution, conversion or filter."""
    objects, snapshot = _objects(odd), await _snapshot(odd)
    files = {p: e for p, e in snapshot.entries.items() if e.mode != SUBMODULE}
    contents = await objects.blobs([entry.sha for entry in files.values()])
    stored = {path: odd.raw("cat-file", "blob", entry.sha) for path, entry in files.items()}
    assert {path: contents[entry.sha] for path, entry in files.items()} == stored


async def test_contents_hash_to_their_names(odd: ScratchGit) -> None:
    """Snapshot, blobs and the tree recomputed from the blobs agree, sizes included."""
    objects, snapshot = _objects(odd), await _snapshot(odd)
    files = {p: e for p, e in snapshot.entries.items() if e.mode != SUBMODULE}
    contents = await objects.blobs([entry.sha for entry in files.values()])
    measured = {
        path: (blob_sha(contents[e.sha]), len(contents[e.sha])) for path, e in files.items()
    }
    assert measured == {path: (entry.sha, entry.size) for path, entry in files.items()}


async def test_a_change_set_names_the_real_commits_tree(odd: ScratchGit) -> None:
    """``ChangeSet.tree`` is the tree git makes of the same change."""
    snapshot = await _snapshot(odd)
    changes = ChangeSet(
        {
            "a/new.txt": Write(b"new\n"),
            "run.sh": Write(b"#!/bin/sh\nexit 1\n"),
            "a/b/c.txt": None,
            "tool": Write(b"x", EXECUTABLE),
        }
    )
    (odd.root / "a/b/c.txt").unlink()
    odd.write({"a/new.txt": b"new\n", "run.sh": b"#!/bin/sh\nexit 1\n", "tool": b"x"})
    (odd.root / "tool").chmod(0o755)
    odd("add", "--all", ":!vendored")
    odd("commit", "--quiet", "--message", "the same change")
    assert changes.tree(snapshot) == odd.tree()


async def test_replaced_objects_are_ignored(odd: ScratchGit) -> None:
    """A ``git replace`` of the commit does not change its snapshot."""
    commit, tree = odd("rev-parse", "HEAD"), odd.tree()
    other = odd.commit({"empty": b"not any more"})
    odd("replace", commit, other)
    assert (await _objects(odd).snapshot(commit)).tree == tree


async def test_a_snapshot_is_read_once(odd: ScratchGit) -> None:
    """A commit's snapshot is kept, for a commit never changes."""
    objects, commit = _objects(odd), odd("rev-parse", "HEAD")
    assert await objects.snapshot(commit) is await objects.snapshot(commit)


async def test_an_unknown_commit_is_this_tasks_error(odd: ScratchGit) -> None:
    """A commit that is not there is named in a ``TaskError``."""
    with pytest.raises(TaskError, match="no commit 2222222222"):
        await _objects(odd).snapshot("2" * 40)


async def test_a_name_that_is_no_sha_is_refused(odd: ScratchGit) -> None:
    """Only full object names are asked for, so nothing can pass for an option or a path."""
    with pytest.raises(TaskError, match="not a full SHA-1"):
        await _objects(odd).snapshot("--output=x")


async def test_missing_blobs_are_named(odd: ScratchGit) -> None:
    """Blobs that are not there are listed, all of them."""
    with pytest.raises(MissingBlobs) as caught:
        await _objects(odd).blobs(["3" * 40, blob_sha(b""), "4" * 40])
    assert caught.value.shas == ("3" * 40, "4" * 40)


async def test_a_folder_without_git_is_an_outage(tmp_path: Path) -> None:
    """A folder that is no repository blames no task."""
    with pytest.raises(Outage, match="not a git repository"):
        await GitObjects(hermetic("-C", str(tmp_path))).snapshot("2" * 40)


async def test_all_contents_are_read_with_one_process(
    odd: ScratchGit, tmp_path: Path, counted_git: Path
) -> None:
    started, commit = counted_git, odd("rev-parse", "HEAD")
    objects = GitObjects(hermetic("-C", str(odd.root), extra={"PATH": str(tmp_path / "bin")}))
    shas = [e.sha for e in (await objects.snapshot(commit)).entries.values() if e.mode != SUBMODULE]

    for sha in shas:
        assert blob_sha((await objects.blobs([sha]))[sha]) == sha
    many = await objects.blobs(shas * 50)

    assert many.keys() == set(shas)
    assert len(started.read_text().splitlines()) == 2  # the other one lists the tree


async def test_a_repository_that_was_made_again_is_read_again(tmp_path: Path) -> None:
    first = ScratchGit(tmp_path / "repository")
    first.commit({"a.txt": b"one\n"})
    objects = GitObjects(hermetic("-C", str(first.root)))
    assert await objects.blobs([blob_sha(b"one\n")])

    first.root.rename(tmp_path / "gone")
    ScratchGit(tmp_path / "repository").commit({"a.txt": b"two\n"})

    assert await objects.blobs([blob_sha(b"two\n")]) == {blob_sha(b"two\n"): b"two\n"}


async def test_what_git_says_when_it_ends_is_passed_on(tmp_path: Path) -> None:
    objects = GitObjects(hermetic("-C", str(tmp_path / "nowhere")))

    with pytest.raises(Outage, match="git cat-file failed: fatal: cannot change to"):
        await objects.blobs(["1" * 40])


@pytest.mark.parametrize("answer", ["{sha} blob 100\\npart", "{sha} bl", "{sha} blob 100"])
async def test_an_answer_that_breaks_off_is_no_content(
    odd: ScratchGit, tmp_path: Path, answer: str
) -> None:
    """git may be killed in the midst of an object; the next question goes to another process."""
    sha, program = blob_sha(b"deep\n"), tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nread name\nprintf '{answer.format(sha=sha)}'\n")
    program.chmod(0o755)
    objects = GitObjects(hermetic("-C", str(odd.root), extra={"PATH": str(program.parent)}))

    with pytest.raises(Outage, match="git cat-file failed"):
        await objects.blobs([sha])

    program.write_text(f'#!/bin/sh\nexec {shutil.which("git")} "$@"\n')
    assert await objects.blobs([sha]) == {sha: b"deep\n"}


@pytest.fixture
def counted_git(tmp_path: Path) -> Path:
    """A git in ``bin`` that adds a line to this file each time it is started."""
    started, program = tmp_path / "started", tmp_path / "bin" / "git"
    program.parent.mkdir()
    real = shutil.which("git")
    program.write_text(f'#!/bin/sh\necho "$@" >>{started}\nexec {real} "$@"\n')
    program.chmod(0o755)
    return started
