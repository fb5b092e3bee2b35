"""What an agent left in a workspace is read back, whatever it did to the programs that say so."""

from __future__ import annotations

import base64
import gzip
import io
import tarfile
from collections.abc import Sequence

import pytest

from runner.errors import TaskError
from runner.loop.workspace import listing, materialise, take
from runner.ports import CommandResult, SandboxSession
from tests.runner.loop.test_workspace import TREE


async def test_what_is_there_now(box: SandboxSession) -> None:
    """Contents, modes and links, by every name; only what differs has another entry."""
    await materialise(box, TREE)
    before = await listing(box)
    await box.run(
        ["sh", "-c", "echo y >src/a.py; chmod +x ./-rf; rm link; echo 'a -> b' >'a -> b'"]
    )
    after = await listing(box)

    differs = {path for path in {*before, *after} if before.get(path) != after.get(path)}
    assert differs == {"src/a.py", "-rf", "link", "a -> b"}
    assert before["dangling"] == (b"link", b"/no/such\xff")
    named = {"src/a.py", "-rf", "a -> b", "dangling", "vendor/lib", "not-utf8-\udcff \n\\"}
    assert await take(box, named) == {
        "src/a.py": ("100644", b"y\n"),
        "-rf": ("100755", b""),
        "a -> b": ("100644", b"a -> b\n"),
        "not-utf8-\udcff \n\\": ("100644", b"\0\xff"),
    }


class Liar:
    """A session whose commands print what an agent wants."""

    def __init__(self, stdout: bytes, *, truncated: bool = False) -> None:
        self._result = CommandResult(0, stdout, b"", truncated=truncated)

    async def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", timeout: float | None = None
    ) -> CommandResult:
        return self._result

    async def renew(self) -> bool:
        return False

    async def close(self) -> None:
        pass


def packed(*names: str, sparse: int = 0) -> bytes:
    """An archive with these files; the last one claims to be ``sparse`` bytes long."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name in names:
            member = tarfile.TarInfo(name)
            if sparse and name == names[-1]:
                member.pax_headers = {
                    "GNU.sparse.major": "0",
                    "GNU.sparse.minor": "1",
                    "GNU.sparse.size": str(sparse),
                    "GNU.sparse.map": f"{sparse},0",
                }
            tar.addfile(member)
    return base64.b64encode(buffer.getvalue())


async def test_files_that_were_not_asked_for_are_not_taken() -> None:
    """Nor is one that would fill the memory with zeros."""
    lies = packed("a", "../../etc/passwd", "/etc/passwd", "b", sparse=1 << 40)
    assert await take(Liar(lies), {"a", "b"}) == {"a": ("100644", b"")}


GROWS = base64.b64encode(gzip.compress(base64.b64decode(packed("a"))))


@pytest.mark.parametrize("stdout", [b"no archive", b"", packed("a")[:100], b"\xff" * 9, GROWS])
async def test_what_is_no_archive(stdout: bytes) -> None:
    """It costs the task its answer."""
    with pytest.raises(TaskError, match="cannot be read out"):
        await take(Liar(stdout), {"a"})
    with pytest.raises(TaskError, match="cannot be read out"):
        await take(Liar(packed("a"), truncated=True), {"a"})


async def test_lines_that_mean_nothing_are_left_out() -> None:
    """A list is read record by record."""
    odd = b"f 644 1 ./a\0f x ./b\0l ./c\0" + b"0" * 64 + b"  ./d\0" + b"1" * 64 + b"  ./a\0\xff"
    assert await listing(Liar(odd)) == {"a": (b"644", b"1" * 64)}
    with pytest.raises(TaskError, match="cannot be listed"):
        await listing(Liar(odd, truncated=True))
