"""Without isolation a new session takes over the files of the one before, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.errors import TaskError
from runner.ports import HostSession, SandboxSpec
from runner.sandbox.choose import MaskedSandbox
from runner.sandbox.process import ProcessSandbox
from runner.state.changes import FILE
from runner.text.mask import Mask

SPEC = SandboxSpec(run="r", task="1.1")
TREE = {"a.py": (FILE, b"x = 1\n"), "src/b.py": (FILE, b"y = 2\n")}


async def opened(sandbox: ProcessSandbox) -> HostSession:
    session = await sandbox.open(SPEC)
    assert isinstance(session, HostSession)
    return session


async def after(script: str, folder: Path) -> tuple[HostSession, str]:
    """A session that took over from one in which a script ran; where the workspace was."""
    sandbox = ProcessSandbox(owner="test", parent=folder)
    first, second = await opened(sandbox), await opened(sandbox)
    await first.fill(TREE)
    place = (await first.run(["pwd"])).stdout.decode().strip()
    await first.run(["sh", "-c", script])
    await second.take_over(first)
    await first.close()
    await second.fill(TREE)
    return second, place


async def shown(session: HostSession, script: str) -> str:
    return (await session.run(["sh", "-c", script])).stdout.decode()


async def test_what_a_command_changed_is_written_again(tmp_path: Path) -> None:
    session, _ = await after("echo z >../kept; echo z >src/b.py", tmp_path)

    assert await shown(session, "cat a.py src/b.py") == "x = 1\ny = 2\n"
    assert await shown(session, "ls ..") == "home\ntmp\nworkspace\n"


async def test_a_file_that_was_not_touched_is_the_same_file(tmp_path: Path) -> None:
    sandbox = ProcessSandbox(owner="test", parent=tmp_path)
    first, second = await opened(sandbox), await opened(sandbox)
    await first.fill(TREE)
    before = await shown(first, "stat -c '%i %Y' a.py src/b.py")
    await second.take_over(first)
    await first.close()

    await second.fill(TREE)

    assert await shown(second, "stat -c '%i %Y' a.py src/b.py") == before
    await second.close()


@pytest.mark.parametrize(
    "script",
    [
        "echo z >a.py; touch -r src/b.py a.py",
        "chmod 755 a.py",
        "chmod 000 a.py; chmod 000 src",
        "rm a.py; ln -s src/b.py a.py",
        "rm a.py; mkfifo a.py",
        "rm a.py; mkdir a.py; touch a.py/c",
        "rm -r src; echo z >src",
        "rm -r src; ln -s / src",
        "mkdir -p z/y; touch z/y/x; chmod 000 z/y z; touch .hidden",
        "cp a.py src/b.py",
        "rm src/b.py; ln a.py c.py; ln a.py src/b.py",
        "rm -rf ../workspace",
        "cd ..; rm -r workspace; ln -s /usr workspace",
        "chmod 000 .",
    ],
)
async def test_whatever_a_command_left_the_tree_is_there_and_nothing_else(
    script: str, tmp_path: Path
) -> None:
    session, _ = await after(script, tmp_path)

    expected = "./a.py 1 644 f\n./src 755 d\n./src/b.py 1 644 f\n"
    listed = (
        "find . -mindepth 1 -type d -printf '%p %m %y\\n' -o -mindepth 1 -printf '%p %n %m %y\\n'"
    )
    assert await shown(session, f"{listed} | LC_ALL=C sort") == expected
    assert await shown(session, "cat a.py src/b.py") == "x = 1\ny = 2\n"
    await session.close()


async def test_what_hides_secrets_takes_over_too(tmp_path: Path) -> None:
    sandbox = MaskedSandbox(ProcessSandbox(owner="test", parent=tmp_path), Mask())
    first, second = await sandbox.open(SPEC), await sandbox.open(SPEC)
    assert isinstance(first, HostSession)
    assert isinstance(second, HostSession)
    await first.fill(TREE)
    before = await shown(first, "stat -c %i a.py")

    await second.take_over(first)
    await second.fill(TREE)

    assert await shown(second, "stat -c %i a.py") == before
    for session in (first, second):
        await session.close()


async def test_nothing_but_files_is_taken_over(tmp_path: Path) -> None:
    script = 'echo z | tee "$HOME/.LEFT" "$TMPDIR/LEFT" ../LEFT >/dev/null'
    session, before = await after(script, tmp_path)

    assert await shown(session, 'ls -A "$HOME" "$TMPDIR" .. | grep LEFT') == ""
    assert (await session.run(["test", "-e", before])).exit_code == 1
    await session.close()


async def test_a_tree_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    session = await opened(ProcessSandbox(owner="test", parent=tmp_path))
    with pytest.raises(TaskError, match="cannot be written into the workspace: File name too long"):
        await session.fill({**TREE, "n" * 300: (FILE, b"")})

    assert await shown(session, "ls -A") == ""
    await session.close()
