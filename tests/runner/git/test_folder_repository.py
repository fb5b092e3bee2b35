"""Checkpoints in a plain folder: exact trees, and no edit of the user's is ever lost."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from runner.errors import Outage, TaskError
from runner.git.folder_repository import MOST_FILES, FolderRepository
from runner.state.changes import EXECUTABLE, SYMLINK
from runner.state.publishing import Checkpoint
from tests.runner.git.checkpoints import checkpoint
from tests.runner.git.scratch_git import ScratchGit


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a script, a CRLF file, a file to delete, and what tools made."""
    root = tmp_path / "plain"
    files = {
        "ROADMAP.md": b"- [ ] add it\n",
        "run.sh": b"#!/bin/sh\n",
        "dos.txt": b"one\r\n",
        "old/gone.txt": b"x\n",
        ".gitignore": b"*.log\nbuild/\n",
        "sub/.gitignore": b"!keep.log\n",
        "sub/keep.log": b"kept\n",
        "sub/lost.log": b"lost\n",
        "build/made.txt": b"made\n",
        "node_modules/x/index.js": b"x\n",
        "env/pyvenv.cfg": b"\n",
        ".executor/report.md": b"r\n",
    }
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("ROADMAP.md")
    return root


@pytest.fixture
def repository(root: Path) -> FolderRepository:
    """The folder behind the port."""
    return fresh(root)


def fresh(root: Path, *, keep: bool = True) -> FolderRepository:
    """The same folder for another process."""
    return FolderRepository(root, store=root / ".executor" / "folder.git", keep=keep)


async def made(repository: FolderRepository, **files: bytes | None) -> Checkpoint:
    """A verified change on the folder as it is now."""
    stack = await repository.stack()
    base = await repository.snapshot(stack.tip)
    changes = {name.replace("__", "/").replace("_", "."): text for name, text in files.items()}
    return checkpoint(base, changes, below=stack.branch)


async def test_the_tree_is_the_one_git_would_make(root: Path, repository: FolderRepository) -> None:
    """Modes, links and ignored files as git has them; what tools made is not there."""
    base = await repository.snapshot((await repository.stack()).tip)
    git = ScratchGit(root)
    git("add", "--all", "--", ":!node_modules", ":!env", ":!.executor")

    assert base.tree == git("write-tree")
    assert (base.entries["run.sh"].mode, base.entries["link"].mode) == (EXECUTABLE, SYMLINK)
    assert set(base.entries) & {"sub/lost.log", "build/made.txt", "env/pyvenv.cfg"} == set()


async def test_contents_are_kept(root: Path, repository: FolderRepository) -> None:
    """What a state held can be read when the file is another one long since."""
    base = await repository.snapshot((await repository.stack()).tip)
    (root / "dos.txt").write_bytes(b"two\n")
    sha = base.entries["dos.txt"].sha

    assert await fresh(root).blobs([sha, sha]) == {sha: b"one\r\n"}


async def test_looking_writes_nothing(root: Path) -> None:
    """A dry run reads the folder and leaves no trace."""
    repository = fresh(root, keep=False)
    base = await repository.snapshot((await repository.stack()).tip)

    content = await repository.blobs([base.entries["dos.txt"].sha])

    assert list(content.values()) == [b"one\r\n"]
    assert not (root / ".executor" / "folder.git").exists()


async def test_a_checkpoint_is_exactly_the_change(root: Path, repository: FolderRepository) -> None:
    """The files are there with their modes, empty folders go, and the state is the newest."""
    change = await made(repository, new_txt=b"n\n", run_sh=b"exit 1\n", old__gone_txt=None)

    published = await repository.publish_checkpoint(change)

    assert (root / "new.txt").read_bytes() == b"n\n"
    assert (root / "run.sh").stat().st_mode & 0o777 == 0o755
    assert not (root / "old").exists()
    stack = await fresh(root).stack()
    assert (stack.tip, stack.branch) == (published.commit, published.branch)
    assert (await fresh(root).snapshot(stack.tip)).tree == change.tree


async def test_a_repeat_writes_nothing_twice(root: Path, repository: FolderRepository) -> None:
    """Publishing the same checkpoint again finds that it is there."""
    change = await made(repository, new_txt=b"n\n")
    first = await repository.publish_checkpoint(change)

    assert await fresh(root).publish_checkpoint(change) == first


@pytest.mark.parametrize("path", ["ROADMAP.md", "new.txt", "build/new.txt"])
async def test_an_edit_in_the_way_is_kept(
    root: Path, repository: FolderRepository, path: str
) -> None:
    """A file the user changed or made meanwhile, ignored or not, stops it; nothing is written."""
    name = path.replace("/", "__").replace(".", "_")
    change = await made(repository, **{name: b"ours\n", "other_txt": b"o\n"})
    (root / path).write_bytes(b"mine\n")

    with pytest.raises(TaskError, match="what you changed in " + path.replace(".", r"\.")):
        await repository.publish_checkpoint(change)

    assert (root / path).read_bytes() == b"mine\n"
    assert not (root / "other.txt").exists()


@pytest.mark.parametrize("kind", ["folder", "file above", "link above"])
async def test_another_thing_in_the_way(
    root: Path, repository: FolderRepository, tmp_path: Path, kind: str
) -> None:
    """Nothing is written through a link, or over what is no file."""
    change = await made(repository, deep__new_txt=b"ours\n")
    (tmp_path / "away").mkdir()
    if kind == "folder":
        (root / "deep" / "new.txt").mkdir(parents=True)
        (root / "deep" / "new.txt" / "mine").touch()
    elif kind == "file above":
        (root / "deep").write_bytes(b"mine\n")
    else:
        (root / "deep").symlink_to(tmp_path / "away")

    with pytest.raises(TaskError, match="what you changed in deep"):
        await repository.publish_checkpoint(change)
    assert list((tmp_path / "away").iterdir()) == []


async def test_a_file_becomes_a_folder(root: Path, repository: FolderRepository) -> None:
    """What goes makes room for what comes."""
    change = await made(repository, dos_txt=None, dos_txt__inner_md=b"n\n")

    await repository.publish_checkpoint(change)

    assert (root / "dos.txt" / "inner.md").read_bytes() == b"n\n"


async def test_an_edit_elsewhere_is_built_upon(root: Path, repository: FolderRepository) -> None:
    """An edit no checkpoint touches stays, and is part of the next state, on top of ours."""
    first = await repository.stack()
    published = await repository.publish_checkpoint(await made(repository, new_txt=b"n\n"))
    assert await repository.since(first.tip, "r1") == "own"
    (root / "mine.txt").write_bytes(b"mine\n")

    newest = await fresh(root).stack()

    assert newest.tip != published.commit
    assert "mine.txt" in (await fresh(root).snapshot(newest.tip)).entries
    assert await fresh(root).since(newest.tip, "r1") == "same"
    assert await fresh(root).since(first.tip, "r1") == "ahead"
    assert await fresh(root).since("f" * 40, "r1") == "apart"


def cut_off(root: Path, before: str, made: str) -> None:
    """Leave the folder as a kill after the first of three files does."""
    for name in ("b.txt", "c.txt"):
        (root / name).unlink()
    store = root / ".executor" / "folder.git"
    git = partial(ScratchGit(root.parent / "other"), f"--git-dir={store}")
    git("update-ref", "HEAD", before)
    git("update-ref", "refs/cairn/pending", made)
    git("read-tree", before)
    (store / "index.lock").touch()


def texts(root: Path) -> list[str]:
    """What the three files hold."""
    return [path.read_text() for path in sorted(root.glob("?.txt"))]


async def test_what_a_crash_cut_off_is_made_good(root: Path, repository: FolderRepository) -> None:
    """Killed between two files, the next one who looks finds all of them, and one state."""
    first = await repository.stack()
    change = await made(repository, a_txt=b"a\n", b_txt=b"b\n", c_txt=b"c\n")
    published = await repository.publish_checkpoint(change)
    cut_off(root, first.tip, published.commit)

    again = fresh(root)
    newest = await again.stack()

    assert (texts(root), newest.tip) == (["a\n", "b\n", "c\n"], published.commit)
    assert await again.since(first.tip, "r1") == "own"
    assert await again.publish_checkpoint(change) == published


async def test_another_tree_is_refused(repository: FolderRepository) -> None:
    """What is not the verified tree is not written."""
    change = replace(await made(repository, new_txt=b"n\n"), tree="0" * 40)

    with pytest.raises(TaskError, match="nothing was committed"):
        await repository.publish_checkpoint(change)


async def test_a_folder_that_is_too_large(root: Path, repository: FolderRepository) -> None:
    """The message says what to do."""
    for number in range(MOST_FILES):
        (root / f"f{number}").touch()

    with pytest.raises(Outage, match=r"List generated files in a \.gitignore"):
        await repository.stack()
