"""How a run starts on a checkout, and what it says when it cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.errors import Outage
from runner.git.local_repository import LocalRepository
from tests.runner.git.scratch_git import ENVIRONMENT, ScratchGit


@pytest.fixture
def git(tmp_path: Path) -> ScratchGit:
    """A checkout with one commit."""
    git = ScratchGit(tmp_path / "checkout")
    git.commit({"ROADMAP.md": b"- [ ] add it\n", "a.txt": b"a\n"})
    return git


def _at(root: Path, branch: str | None = None) -> LocalRepository:
    return LocalRepository(root, branch=branch, environment=ENVIRONMENT)


async def test_a_clean_checkout_may_start(git: ScratchGit) -> None:
    """Untracked files do not stop a run."""
    git.write({"notes.txt": b"mine\n"})
    await _at(git.root).check_clean()
    assert git("status", "--porcelain") == "?? notes.txt"


async def test_uncommitted_changes_are_listed(git: ScratchGit) -> None:
    """Changed and staged files are named with what to do."""
    git.write({"a.txt": b"mine\n", "b.txt": b"b\n"})
    git("add", "b.txt")
    with pytest.raises(Outage, match=r"changes in a\.txt, b\.txt\. Commit or stash"):
        await _at(git.root).check_clean()


async def test_a_folder_without_git_is_named(tmp_path: Path) -> None:
    """A folder without git is refused with its path."""
    with pytest.raises(Outage, match=f"{tmp_path} as a git checkout"):
        await _at(tmp_path).stack()


async def test_a_bare_repository_is_refused(tmp_path: Path) -> None:
    """A bare repository is no checkout."""
    git = ScratchGit(tmp_path / "bare")
    git("config", "core.bare", "true")
    with pytest.raises(Outage, match="bare"):
        await _at(git.root).stack()


async def test_an_empty_repository_wants_a_commit(tmp_path: Path) -> None:
    """Without a commit the error says how to make one."""
    with pytest.raises(Outage, match="Commit first: git add"):
        await _at(ScratchGit(tmp_path / "empty").root).stack()


async def test_a_detached_head_wants_a_branch(git: ScratchGit) -> None:
    """On no branch the error names --branch."""
    git("switch", "--quiet", "--detach")
    with pytest.raises(Outage, match="--branch NAME"):
        await _at(git.root).stack()


async def test_a_branch_is_made_without_touching_changes(git: ScratchGit) -> None:
    """A named branch is created at HEAD; uncommitted changes stay as they are."""
    git.write({"a.txt": b"mine\n"})
    repository = _at(git.root, "work/new")
    await repository.prepare()
    state = ((await repository.stack()).branch, (git.root / "a.txt").read_bytes())
    assert state == ("work/new", b"mine\n")


async def test_a_branch_that_is_there_is_used(git: ScratchGit) -> None:
    """A named branch that exists is switched to, as it is."""
    git("switch", "--quiet", "--create", "work")
    tip = git.commit({"a.txt": b"work\n"})
    git("switch", "--quiet", "main")
    repository = _at(git.root, "work")
    await repository.prepare()
    assert (await repository.stack()).tip == tip


async def test_a_switch_that_would_lose_a_change_is_refused(git: ScratchGit) -> None:
    """Switching never overwrites an edit."""
    git("switch", "--quiet", "--create", "work")
    git.commit({"a.txt": b"work\n"})
    git("switch", "--quiet", "main")
    git.write({"a.txt": b"mine\n"})
    with pytest.raises(Outage, match=r"Cannot switch to branch work(.|\n)*a\.txt"):
        await _at(git.root, "work").prepare()


@pytest.mark.parametrize("name", ["-f", "a b", "@{-1}", "x..y"])
async def test_a_branch_needs_a_valid_name(git: ScratchGit, name: str) -> None:
    """A name git does not take is refused before anything happens."""
    with pytest.raises(Outage, match="does not accept"):
        await _at(git.root, name).prepare()


async def test_another_work_tree_works(git: ScratchGit, tmp_path: Path) -> None:
    """A linked work tree (``.git`` is a file) is a checkout like any other."""
    other = tmp_path / "linked"
    git("worktree", "add", "--quiet", "-b", "side", str(other))
    stack = await _at(other).stack()
    assert (stack.tip, stack.branch) == (git("rev-parse", "HEAD"), "side")
