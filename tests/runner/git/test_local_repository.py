"""Checkpoints on a checkout: one commit each, and no edit of the user's is ever lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from runner.errors import Outage, TaskError
from runner.git.local_repository import LocalRepository
from runner.state.changes import EXECUTABLE
from runner.state.publishing import Checkpoint
from tests.runner.git.checkpoints import checkpoint
from tests.runner.git.scratch_git import ENVIRONMENT, ScratchGit


@pytest.fixture
def git(tmp_path: Path) -> ScratchGit:
    """A checkout with a script, a CRLF file and a file to delete."""
    git = ScratchGit(tmp_path / "checkout")
    git.write({"run.sh": b"#!/bin/sh\n", "dos.txt": b"one\r\n", "old/gone.txt": b"x\n"})
    (git.root / "run.sh").chmod(0o755)
    git.commit({"ROADMAP.md": b"- [ ] add it\n"})
    return git


@pytest.fixture
def repository(git: ScratchGit) -> LocalRepository:
    """The checkout behind the port."""
    return LocalRepository(git.root, environment=ENVIRONMENT)


async def _next(repository: LocalRepository, **files: bytes | None) -> Checkpoint:
    stack = await repository.stack()
    base = await repository.snapshot(stack.tip)
    return checkpoint(base, {n.replace("_", "."): c for n, c in files.items()}, below=stack.branch)


async def test_tags_are_those_of_the_history(git: ScratchGit, repository: LocalRepository) -> None:
    """Lightweight and annotated ones; those of another branch and of unknown commits are not."""
    git("tag", "v1.0")
    git("tag", "-a", "-m", "the second", "v1.1")
    git("checkout", "-q", "-b", "side")
    git.commit({"side.txt": b"x\n"})
    git("tag", "v9.0")

    assert await repository.tags(git("rev-parse", "main")) == ("v1.0", "v1.1")
    assert await repository.tags("0" * 40) == ()


async def test_the_stack_is_head(git: ScratchGit, repository: LocalRepository) -> None:
    """On a checkout a run starts at HEAD and its branch."""
    stack = await repository.stack()
    assert (stack.tip, stack.branch) == (git("rev-parse", "HEAD"), "main")


async def test_commits_about_tasks_are_found_one_by_one(
    git: ScratchGit, repository: LocalRepository
) -> None:
    """The newest first, as one look at the entire history says, whatever git is set to."""
    git("config", "grep.patternType", "fixed")
    for name in ("one_md", "two_md"):
        await repository.publish_checkpoint(await _next(repository, **{name: b"x\n"}))
    ids = [each.id for each in await repository.task_commits()]

    assert ids == git("rev-list", "--max-count=2", "HEAD").split()
    again = LocalRepository(git.root, environment=ENVIRONMENT)
    assert [each.id for each in await again.task_commits()] == ids


async def test_a_checkpoint_is_exactly_the_change(
    git: ScratchGit, repository: LocalRepository
) -> None:
    """The commit has the verified tree on the given parent, and the branch is there."""
    parent = git("rev-parse", "HEAD")
    made = await _next(repository, new_txt=b"", dos_txt=b"two\r\n", run_sh=b"exit 1\n")
    published = await repository.publish_checkpoint(made)
    state = (git("rev-parse", "main"), git.tree("main"), git("rev-parse", "main^"))
    assert state == (published.commit, made.tree, parent)


async def test_the_work_tree_follows(git: ScratchGit, repository: LocalRepository) -> None:
    """After a checkpoint the files are the commit's, modes too, and nothing is uncommitted."""
    base = await repository.snapshot((await repository.stack()).tip)
    made = checkpoint(base, {"run.sh": b"exit 1\n", "old/gone.txt": None})
    await repository.publish_checkpoint(made)
    mode = (git.root / "run.sh").stat().st_mode & 0o777
    assert (git("status", "--porcelain"), mode, (git.root / "old").exists()) == ("", 0o755, False)


async def test_the_message_ends_in_the_trailers(
    git: ScratchGit, repository: LocalRepository
) -> None:
    """git itself finds the trailers in the commit."""
    await repository.publish_checkpoint(await _next(repository, new_txt=b"n\n"))
    trailers = git("log", "-1", "--format=%(trailers:unfold)")
    assert trailers == "Cairn-Run: r1\nCairn-Task: t1"


async def test_the_commit_bears_the_users_name(
    git: ScratchGit, repository: LocalRepository
) -> None:
    """Author and committer are the user."""
    await repository.publish_checkpoint(await _next(repository, new_txt=b"n\n"))
    assert git("log", "-1", "--format=%an <%ae> %cn <%ce>") == (
        "Ann <ann@example.com> Ann <ann@example.com>"
    )


async def test_without_a_name_cairn_signs(git: ScratchGit, tmp_path: Path) -> None:
    """A user without an identity still gets his commit, under Cairn's name."""
    nobody = {"HOME": str(tmp_path), "GIT_CONFIG_SYSTEM": "/dev/null"}
    repository = LocalRepository(git.root, environment=nobody)
    await repository.publish_checkpoint(await _next(repository, new_txt=b"n\n"))
    assert git("log", "-1", "--format=%an <%ae>") == "Cairn <cairn@localhost>"


async def test_a_repeat_commits_nothing_twice(git: ScratchGit, repository: LocalRepository) -> None:
    """Publishing the same checkpoint again finds the commit that is there."""
    made = await _next(repository, new_txt=b"n\n")
    first = await repository.publish_checkpoint(made)
    again = await LocalRepository(git.root, environment=ENVIRONMENT).publish_checkpoint(made)
    assert (again, git("rev-list", "--count", "main")) == (first, "2")


async def test_a_repeat_finishes_what_was_cut_off(
    git: ScratchGit, repository: LocalRepository
) -> None:
    """A commit that was written but not yet on the branch leaves one commit in the end."""
    made = await _next(repository, ROADMAP_md=b"- [x] add it\n")
    git.write({"ROADMAP.md": b"- [ ] mine\n"})
    with pytest.raises(TaskError):
        await repository.publish_checkpoint(made)
    git("checkout", "--", "ROADMAP.md")
    await repository.publish_checkpoint(made)
    assert (git.tree("main"), git("rev-list", "--count", "main")) == (made.tree, "2")


async def test_an_edit_in_the_way_is_kept(git: ScratchGit, repository: LocalRepository) -> None:
    """A file the user changed meanwhile stops the checkpoint, is named and keeps its bytes."""
    made = await _next(repository, ROADMAP_md=b"- [x] add it\n")
    git.write({"ROADMAP.md": b"- [ ] mine\n"})
    with pytest.raises(TaskError, match=r"what you changed in ROADMAP\.md"):
        await repository.publish_checkpoint(made)
    assert (git.root / "ROADMAP.md").read_bytes() == b"- [ ] mine\n"


@pytest.mark.parametrize("ignored", ["", "new.txt\n"])
async def test_an_untracked_file_in_the_way_is_kept(
    git: ScratchGit, repository: LocalRepository, ignored: str
) -> None:
    """A new file where the user has one of his own, ignored or not, is never overwritten."""
    made = await _next(repository, new_txt=b"ours\n")
    (git.root / ".git/info").mkdir(exist_ok=True)
    (git.root / ".git/info/exclude").write_text(ignored)
    git.write({"new.txt": b"mine\n"})
    with pytest.raises(TaskError, match=r"new\.txt"):
        await repository.publish_checkpoint(made)
    assert (git.root / "new.txt").read_bytes() == b"mine\n"


async def test_an_edit_elsewhere_stays(git: ScratchGit, repository: LocalRepository) -> None:
    """An edit of a file the checkpoint does not touch is neither lost nor committed."""
    made = await _next(repository, new_txt=b"n\n")
    git.write({"ROADMAP.md": b"- [ ] mine\n"})
    await repository.publish_checkpoint(made)
    assert (git.tree("main"), git("status", "--porcelain")) == (made.tree, "M ROADMAP.md")


async def test_another_tree_is_refused(git: ScratchGit, repository: LocalRepository) -> None:
    """A commit whose tree is not the verified one is not made."""
    made = replace(await _next(repository, new_txt=b"n\n"), tree="0" * 40)
    with pytest.raises(TaskError, match="nothing was committed"):
        await repository.publish_checkpoint(made)
    assert git("rev-list", "--count", "main") == "1"


async def test_a_moved_branch_stops_the_run(git: ScratchGit, repository: LocalRepository) -> None:
    """A commit the user made meanwhile is not built over; the error says how to go on."""
    made = await _next(repository, new_txt=b"n\n")
    git.commit({"other": b"o\n"})
    with pytest.raises(Outage, match="cairn resume"):
        await repository.publish_checkpoint(made)


async def test_a_left_branch_stops_the_run(git: ScratchGit, repository: LocalRepository) -> None:
    """A checkpoint never lands on another branch than the run's."""
    made = await _next(repository, new_txt=b"n\n")
    git("switch", "--quiet", "--create", "elsewhere")
    with pytest.raises(Outage, match="git switch main"):
        await repository.publish_checkpoint(made)


async def test_filters_do_not_change_what_is_committed(
    git: ScratchGit, repository: LocalRepository
) -> None:
    """A clean filter of the repository has no part in the commit."""
    git("config", "filter.shout.clean", "tr a-z A-Z")
    git.commit({".gitattributes": b"*.txt filter=shout\n"})
    made = await _next(repository, new_txt=b"quiet\n")
    await repository.publish_checkpoint(made)
    assert git("cat-file", "blob", "main:new.txt") == "quiet"


async def test_an_executable_can_be_new(git: ScratchGit, repository: LocalRepository) -> None:
    """A mode given by the change set is committed."""
    base = await repository.snapshot((await repository.stack()).tip)
    plain = checkpoint(base, {"tool": b"x\n"})
    files = {"tool": replace(plain.changes.files["tool"], mode=EXECUTABLE)}
    changes = replace(plain.changes, files=files)
    await repository.publish_checkpoint(replace(plain, changes=changes, tree=changes.tree(base)))
    assert git("ls-tree", "main", "tool").startswith(EXECUTABLE)
