"""Fetch what a tool reported: bounded, and with paths as seen from the workspace's root."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from runner.ports import Box

LARGEST = 4 << 20
"""Bytes of reports that are read of one run."""

_FETCH = 'head -c "$2" "$1"; rm -rf "$1" "$1.cache"'
_FETCH_HERE = f'pwd -P; [ -f "$1" ] && {_FETCH}'
# a pattern is split into files, by nothing else
_GATHER = """\
IFS=; most=$1; shift; pwd -P
for pattern; do
    for file in $pattern; do
        [ -f "$file" ] && [ ! -L "$file" ] && head -c "$most" "$file" && printf '\\0'
    done
done | head -c "$most"
"""


def new_report(suffix: str) -> str:
    """Name a report as nothing in the sandbox can guess: it may share /tmp with others."""
    return f"/tmp/cairn-{secrets.token_hex(16)}.{suffix}"  # noqa: S108


async def fetched(box: Box, path: str) -> bytes:
    """Return a report as it is, and remove it; nothing when there is none."""
    return (await box.run(["sh", "-c", _FETCH, "sh", path, str(LARGEST)], timeout=60)).stdout


async def fetched_here(box: Box, path: str) -> bytes:
    """Return a report with the workspace's own folder cut from its paths."""
    command = ["sh", "-c", _FETCH_HERE, "sh", path, str(LARGEST)]
    return _from_here((await box.run(command, timeout=60)).stdout)


async def gathered(box: Box, patterns: Sequence[str]) -> list[bytes]:
    """Return the files of the workspace that shell patterns name."""
    result = await box.run(["sh", "-c", _GATHER, "sh", str(LARGEST), *patterns], timeout=60)
    return [file for file in _from_here(result.stdout).split(b"\0") if file.strip()]


def _from_here(said: bytes) -> bytes:
    folder, _, content = said.partition(b"\n")
    return content.replace(folder + b"/", b"") if len(folder) > 1 else content
