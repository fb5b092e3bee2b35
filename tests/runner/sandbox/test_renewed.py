"""A renewed session is like a new one that holds the same files: nothing else is left in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.loop.workspace import materialise
from runner.ports import Sandbox, SandboxSession
from runner.sandbox.choose import MaskedSandbox
from runner.sandbox.process import ProcessSandbox
from runner.state.changes import EXECUTABLE, FILE, SYMLINK
from runner.text.mask import Mask
from tests.runner.sandbox.sandbox_bench import ISOLATED, opened, working_sandbox

TREE = {
    "a.py": (FILE, b"x = 1\n"),
    "src/b.py": (FILE, b"y = 2\n"),
    "src/run.sh": (EXECUTABLE, b"true\n"),
    "link": (SYMLINK, b"a.py"),
}
NEXT = {
    "a.py": (FILE, b"x = 3\n"),
    "new/deep/c.py": (FILE, b"z = 4\n"),
    "src/b.py": TREE["src/b.py"],
    "link/now a folder": (FILE, b""),
}
MESSES = (
    "true",
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
    "touch -- '-rf' 'a\nb'; ln -s a.py dangling",
    "rm -rf ./* ./.*",
    "chmod 000 .",
)
LISTED = (
    "find . -mindepth 1 ! -type d -printf '%p %n %m %y %l\\n' | LC_ALL=C sort; cat a.py src/b.py"
)


async def shown(session: SandboxSession, script: str) -> str:
    """What a script prints."""
    return (await session.run(["sh", "-c", script])).stdout.decode()


async def test_whatever_a_command_left_the_tree_is_there_and_nothing_else(
    box: SandboxSession,
) -> None:
    await materialise(box, NEXT)
    following = await shown(box, LISTED)
    await materialise(box, TREE)
    expected = await shown(box, LISTED)
    assert "./a.py 1 644 f" in expected

    before, after = (TREE, expected), (NEXT, following)

    for mess in MESSES:
        await box.run(["sh", "-c", mess])
        assert await box.renew(), mess
        await materialise(box, after[0], before[0])
        assert await shown(box, LISTED) == after[1], mess
        before, after = after, before


async def test_a_file_that_was_not_touched_is_the_same_file(box: SandboxSession) -> None:
    await materialise(box, TREE)
    inode = await shown(box, "stat -c %i src/b.py")

    assert await box.renew()
    await materialise(box, NEXT, TREE)

    assert await shown(box, "stat -c %i src/b.py") == inode
    assert await shown(box, "cat a.py new/deep/c.py") == "x = 3\nz = 4\n"


async def test_nothing_but_the_files_is_left(box: SandboxSession) -> None:
    await materialise(box, TREE)
    places = '"$HOME" "${TMPDIR:-/tmp}"'
    mess = f"for p in {places}; do mkdir -p $p/D; touch $p/.LEFT $p/D/LEFT; chmod 000 $p/D; done"
    await box.run(["sh", "-c", f"{mess}; sleep 1000 &"])

    assert await box.renew()

    assert await shown(box, f"ls -A {places} | grep -e D -e LEFT") == ""


@pytest.mark.parametrize("name", ISOLATED)
async def test_memory_that_processes_share_is_not_left(name: str) -> None:
    async with opened(await working_sandbox(name)) as box:
        await box.run(["sh", "-c", "mkdir /dev/shm/D; touch /dev/shm/.LEFT; ls -A /dev/shm"])

        assert await box.renew()

        assert await shown(box, "ls -A /dev/shm") == ""


@pytest.mark.docker
async def test_a_container_with_queues_of_system_v_is_not_used_again() -> None:
    async with opened(await working_sandbox("docker")) as box:
        queue = "import ctypes; assert ctypes.CDLL(None).msgget(7, 0o1600) >= 0"
        assert (await box.run(["python3", "-c", queue])).exit_code == 0

        assert not await box.renew()


async def test_a_closed_session_is_not_renewed(sandbox: Sandbox) -> None:
    async with opened(sandbox) as box:
        await box.close()
        assert sandbox.name == "process" or not await box.renew()


@pytest.mark.parametrize(
    "mess", ["rm -rf ../workspace", "cd ..; rm -r workspace; ln -s /usr workspace"]
)
async def test_a_workspace_that_is_gone_is_not_taken(mess: str, tmp_path: Path) -> None:
    async with opened(ProcessSandbox(owner="test", parent=tmp_path)) as box:
        await materialise(box, TREE)
        await box.run(["sh", "-c", mess])

        assert not await box.renew()


async def test_nothing_else_of_the_old_folder_comes_along(tmp_path: Path) -> None:
    sandbox = MaskedSandbox(ProcessSandbox(owner="test", parent=tmp_path), Mask())
    async with opened(sandbox) as box:
        await materialise(box, TREE)
        place = (await shown(box, "pwd; touch ../LEFT")).strip()

        assert await box.renew()

        assert await shown(box, "ls ..") == "home\ntmp\nworkspace\n"
        assert (await box.run(["test", "-e", place])).exit_code == 1
        assert await shown(box, "cat a.py") == "x = 1\n"
