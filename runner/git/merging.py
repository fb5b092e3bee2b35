"""Merge three versions of a file, as git does."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from runner.errors import Outage
from runner.git.command import hermetic

_LARGEST = 4 << 20


async def merged(ours: bytes, base: bytes, theirs: bytes) -> bytes | None:
    """Return ``ours`` with what ``theirs`` changed since ``base``; None where both differ.

    None as well for binary and very large files, and where git is not installed
    (https://git-scm.com/docs/git-merge-file).
    """
    versions = (ours, base, theirs)
    if any(b"\0" in each or len(each) > _LARGEST for each in versions):
        return None
    with tempfile.TemporaryDirectory(prefix="cairn-") as folder:
        paths = [Path(folder) / name for name in ("ours", "base", "theirs")]
        for path, content in zip(paths, versions, strict=True):
            await asyncio.to_thread(path.write_bytes, content)
        try:
            done = await hermetic("-C", folder).call("merge-file", "-p", "-q", *map(str, paths))
        except Outage:
            return None
    return done.stdout if done.exit_code == 0 else None
