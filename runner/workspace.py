"""The workspace of a box is made equal to a tree, and read back to confirm it.

Everything goes in as one tar over ``run`` and comes out over ``run``: the host never opens a path
of the workspace. The box needs sh, tar, find, xargs, sort and sha256sum (GNU).
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterable, Mapping

from runner.errors import Outage, PortError, TaskError
from runner.ports import Box, CommandResult
from runner.workspace_tar import File, build_tar, manifest

# Modes of folders are left to the umask: git has none.
_MANIFEST = r"""{
find . -mindepth 1 -type d -printf 'd %p\0' -o -type f -printf 'f %m %p\0' \
    -o -printf '%y %p -> %l\0' | sort -z
find . -type f -print0 | sort -z | xargs -0 -r sha256sum -z
}"""
# A test may have locked its folders.
_EMPTY = r"""{
chmod 755 . && find . -type d ! -perm -700 -exec chmod u+rwx {} \; && find . -mindepth 1 -delete
}"""
# -m: times are those of now, for caches go by them; -o: files belong to whoever unpacks them
_WRITE = f"""
export LC_ALL=C
{_EMPTY} && tar -xmpof - || exit
{_MANIFEST} | sha256sum
"""
_READ_MANIFEST = f"export LC_ALL=C\n{_MANIFEST}"
_READ = '[ -f "$1" ] || exit 1; head -c "$0" -- "$1"'
_NO_SUCH_TOOL = (126, 127)
_FULL = ("No space left", "Wrote only", "File size limit")  # as tar and the shell say it
_NAMED = 5  # paths of a difference that are told


async def materialise(box: Box, files: Mapping[str, File]) -> None:
    """Make the workspace equal to ``files`` (path → git mode and content): all of it or nothing.

    Raises ``TaskError`` when the workspace cannot hold the tree (it is left empty) and ``Outage``
    when the box lacks the tools for it.
    """
    archive, expected = await asyncio.to_thread(lambda: (build_tar(files), manifest(files)))
    result = await box.run(["sh", "-c", _WRITE], stdin=archive)
    if result.exit_code != 0:
        await box.run(["sh", "-c", _EMPTY])
        raise _refusal(result)
    digest = hashlib.sha256(b"".join(expected)).hexdigest()
    if result.stdout.decode(errors="replace").split()[:1] != [digest]:
        raise TaskError(
            "sandbox",
            "The workspace does not hold the files that were written to it: "
            + await _difference(box, expected),
        )


async def read_file(box: Box, path: str, limit: int) -> bytes | None:
    """Return a file of the workspace; None when there is none or it is longer than ``limit``."""
    # the path goes in as a stream: an argument cannot carry every name
    name = b"./" + path.encode("utf-8", "surrogateescape") + b"\0"
    command = ["xargs", "-0", "sh", "-c", _READ, str(limit + 1)]
    result = await box.run(command, stdin=name)
    whole = result.exit_code == 0 and not result.truncated and len(result.stdout) <= limit
    return result.stdout if whole else None


def _refusal(result: CommandResult) -> PortError:
    said = result.stderr.decode(errors="replace").strip()[-500:]
    if result.exit_code in _NO_SUCH_TOOL:
        return Outage("sandbox", f"The sandbox lacks sh, tar, find, xargs or sha256sum: {said}")
    if result.timed_out:
        return TaskError("sandbox", "Writing the files into the workspace took too long.")
    if any(words in said for words in _FULL):
        return TaskError(
            "sandbox", "The workspace is too small for the files; raise the sandbox's disk limit."
        )
    return TaskError("sandbox", f"The files cannot be written into the workspace: {said}")


async def _difference(box: Box, expected: Iterable[bytes]) -> str:
    """Name some of the entries that are there and should not be, or the other way round."""
    result = await box.run(["sh", "-c", _READ_MANIFEST])
    found = {record + b"\0" for record in result.stdout.split(b"\0")[:-1]}
    odd = sorted(found.symmetric_difference(expected))
    return ", ".join(repr(record[:-1])[2:-1] for record in odd[:_NAMED]) or "it changed meanwhile"
