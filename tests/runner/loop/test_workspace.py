"""A workspace is exactly the tree it was made from, whatever was in it before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runner.errors import Outage, TaskError
from runner.loop.workspace import materialise
from runner.ports import CommandResult, Sandbox, SandboxSession
from tests.runner.sandbox.sandbox_bench import SPEC, opened

LONG = "x" * 120 + "/" + "y" * 120
TREE = {
    "src/a.py": ("100644", b"x = 1\r\n"),
    "run.sh": ("100755", b"#!/bin/sh\necho ran\n"),
    "link": ("120000", b"src/a.py"),
    "dangling": ("120000", b"/no/such\xff"),
    "vendor/lib": ("160000", b""),
    "not-utf8-\udcff \n\\": ("100644", b"\0\xff"),
    "-rf": ("100644", b""),
    LONG: ("100644", b"long"),
}
EVERYTHING = "find . -mindepth 1 -printf '%y %m %p\\n' | LC_ALL=C sort"


async def test_contents_arrive_byte_for_byte(box: SandboxSession) -> None:
    """Line ends, zero bytes and empty files are kept; every name works."""
    await materialise(box, TREE)

    for path, (mode, content) in TREE.items():
        if mode in ("100644", "100755"):
            name = path.encode("utf-8", "surrogateescape")  # no argument can carry every name
            assert (await box.run(["xargs", "-0", "cat", "--"], stdin=name)).stdout == content


async def test_modes_and_links_are_git_s(box: SandboxSession) -> None:
    """Executables can be run, links point where they pointed, a submodule is an empty folder."""
    await materialise(box, TREE)
    script = "./run.sh; readlink link dangling; ls -A vendor/lib; stat -c %a run.sh src/a.py"

    assert (
        await box.run(["sh", "-c", script])
    ).stdout == b"ran\nsrc/a.py\n/no/such\xff\n755\n644\n"


async def test_an_equal_workspace_has_nothing_else(box: SandboxSession) -> None:
    """What a test left, changed, locked or removed is as in the tree again."""
    await materialise(box, TREE)
    before = (await box.run(["sh", "-c", EVERYTHING])).stdout
    mess = (
        "echo y >src/a.py; chmod +x src/a.py; rm link run.sh; mkdir -p z/y; touch z/y/x .hidden;"
        "ln -s / root; chmod 000 z src"
    )
    await box.run(["sh", "-c", mess])
    await materialise(box, TREE)

    assert (await box.run(["sh", "-c", EVERYTHING])).stdout == before
    assert (await box.run(["cat", "src/a.py"])).stdout == b"x = 1\r\n"


async def test_an_empty_tree_is_an_empty_workspace(box: SandboxSession) -> None:
    """A tree without files leaves none."""
    await materialise(box, TREE)
    await materialise(box, {})

    assert (await box.run(["ls", "-A"])).stdout == b""


async def test_a_link_on_the_way_is_not_followed(box: SandboxSession) -> None:
    """A link that code planted where a folder belongs does not lead a file out of the workspace."""
    await box.run(["sh", "-c", 'ln -s "$HOME" src'])
    await materialise(box, TREE)

    assert (await box.run(["sh", "-c", 'test -e "$HOME/a.py"'])).exit_code == 1


async def test_a_tree_that_is_too_big_is_not_written_at_all(sandbox: Sandbox) -> None:
    """When the workspace is too small, the task is told so and nothing of the tree is there."""
    async with opened(sandbox, replace(SPEC, disk=1 << 20)) as box:
        with pytest.raises(TaskError, match="too small"):
            await materialise(box, {"a": ("100644", b"a"), "b": ("100644", bytes(2 << 20))})

        assert (await box.run(["ls", "-A"])).stdout == b""


class LyingBox:
    """A box whose disk forgets: commands succeed, and the list names another file."""

    async def run(
        self, argv: list[str], *, stdin: bytes = b"", timeout: float | None = None
    ) -> CommandResult:
        """Say what a workspace with one wrong file would."""
        return CommandResult(0, b"f 644 1 ./other\0", b"")

    async def renew(self) -> bool:
        """Nothing to renew."""
        return True

    async def close(self) -> None:
        """Nothing to close."""


async def test_a_workspace_that_differs_is_noticed_and_named() -> None:
    """What is there and should not be, and the other way round, is named."""
    with pytest.raises(TaskError, match=r"does not hold.*\./a.*\./other"):
        await materialise(LyingBox(), {"a": ("100644", b"a")})


class BareBox(LyingBox):
    """A box of an image without tar."""

    async def run(
        self, argv: list[str], *, stdin: bytes = b"", timeout: float | None = None
    ) -> CommandResult:
        """Say what a shell says of a command it cannot find."""
        return CommandResult(127, b"", b"sh: 1: tar: not found")


async def test_an_image_without_the_tools_is_an_outage() -> None:
    """When the box lacks what writing needs, no task is to blame."""
    with pytest.raises(Outage, match="tar: not found"):
        await materialise(BareBox(), {})
