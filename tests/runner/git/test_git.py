"""git calls are hermetic and bounded."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from runner.errors import Outage
from runner.git.command import Git, GitFailed, as_user, hermetic
from tests.runner.git.scratch_git import ScratchGit


@pytest.fixture
def git(tmp_path: Path) -> ScratchGit:
    """A repository with one commit."""
    git = ScratchGit(tmp_path / "repository")
    git.commit({"a": b"a\n"})
    return git


async def test_the_network_is_closed(git: ScratchGit) -> None:
    """Without a named protocol git reaches nothing, not even another folder."""
    done = await hermetic("-C", str(git.root)).call("ls-remote", f"file://{git.root}")
    assert "transport 'file' not allowed" in done.stderr


async def test_only_named_variables_reach_git(git: ScratchGit) -> None:
    """The environment of a hermetic git has PATH and git's own switches, nothing else."""
    printed = await hermetic("-C", str(git.root)).output("-c", "alias.e=!env", "e")
    names = {line.split(b"=")[0] for line in printed.splitlines()}
    own = {name for name in names if not name.startswith((b"GIT_", b"LC_"))}
    assert own <= {b"PATH", b"PWD", b"SHLVL", b"_", b"OLDPWD"}


async def test_the_users_configuration_is_not_read(tmp_path: Path, git: ScratchGit) -> None:
    """A hermetic git sees no global configuration, the user's git does."""
    (tmp_path / ".gitconfig").write_bytes(b"[user]\n\tname = Own Name\n")
    place = ("-C", str(git.root))
    user = as_user(*place, environment={"HOME": str(tmp_path)})
    seen = [(await g.call("config", "user.name")).stdout for g in (hermetic(*place), user)]
    assert seen == [b"", b"Own Name\n"]


async def test_hooks_do_not_run(git: ScratchGit) -> None:
    """A hook of the repository is not run, not even with the user's configuration."""
    hook = git.root / ".git/hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {git.root}/ran\n")
    hook.chmod(0o755)
    for here in (hermetic("-C", str(git.root)), as_user("-C", str(git.root), environment={})):
        await here.output("update-ref", "refs/heads/other", "HEAD")
        await here.output("update-ref", "-d", "refs/heads/other")
    assert not (git.root / "ran").exists()


async def test_a_failure_quotes_git(git: ScratchGit) -> None:
    """What git said is in the error."""
    with pytest.raises(GitFailed, match="git cat-file failed: fatal: Not a valid object name"):
        await hermetic("-C", str(git.root)).output("cat-file", "blob", "nothing")


async def test_a_command_that_hangs_is_ended(git: ScratchGit) -> None:
    """A git that takes too long is killed with everything it started, and said so."""
    with pytest.raises(Outage, match=r"longer than 0 s"):
        await hermetic("-C", str(git.root)).call(
            "-c", "alias.hang=!tail -f /dev/null", "hang", timeout=0.3
        )


async def test_a_call_cancelled_at_once_ends(git: ScratchGit) -> None:
    """A call that is cancelled while git is being started ends, and git with it."""
    alias = "alias.hang=!tail -f /dev/null"
    call = asyncio.create_task(hermetic("-C", str(git.root)).call("-c", alias, "hang"))
    await asyncio.wait([call], timeout=0)  # it has begun
    call.cancel()
    await asyncio.wait([call])
    assert call.cancelled()


async def test_a_cancelled_command_is_ended(git: ScratchGit) -> None:
    """Cancelling a call leaves no process behind: whoever held this pipe open is gone."""
    held = git.root / "held"
    os.mkfifo(held)
    alias = f"alias.hang=!exec 3>{held}; echo up >&3; tail -f /dev/null"
    call = asyncio.create_task(hermetic("-C", str(git.root)).call("-c", alias, "hang"))
    with await asyncio.to_thread(held.open) as pipe:
        said = await asyncio.to_thread(pipe.readline)
        call.cancel()
        await asyncio.wait([call])
        rest = await asyncio.to_thread(pipe.read)
    assert (said, rest) == ("up\n", "")


async def test_without_git_the_error_says_what_to_do(git: ScratchGit) -> None:
    """A machine without git is an outage that names the remedy."""
    nowhere = Git(("-C", str(git.root)), {"PATH": "/nonexistent"})
    with pytest.raises(Outage, match="install git"):
        await nowhere.call("version")


def test_a_command_that_git_names_can_be_copied() -> None:
    """Whatever follows the sentence, a full stop does not become part of the path."""
    said = "fatal: detected dubious ownership in repository at '/a'\nTo add an exception for this "
    said += "directory, call:\n\n\tgit config --global --add safe.directory /a\n"

    failed = GitFailed("status", 128, said)

    assert failed.message.endswith(" call: `git config --global --add safe.directory /a`")
