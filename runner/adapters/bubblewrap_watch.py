"""How much memory the processes of a command use, looked at from outside.

Linux limits the memory of a group of processes with control groups only, which an ordinary user
seldom may make. So a command is watched and ended when all its processes together use too much.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator
from pathlib import Path

# Seconds between looks: at most what can be filled in that time is used too much.
_LOOK = 0.03
_PAGE = os.sysconf("SC_PAGE_SIZE")
_PSS = re.compile(rb"^Pss:\s+(\d+) kB", re.MULTILINE)


async def too_much_memory(pid: int, limit: int) -> None:
    """Return once the descendants of a process use more than ``limit`` bytes."""
    while not await asyncio.to_thread(_over, pid, limit):  # noqa: ASYNC110 - nobody tells us
        await asyncio.sleep(_LOOK)


def can_watch() -> bool:
    """Say whether the kernel lists the children of processes (CONFIG_PROC_CHILDREN)."""
    pid = os.getpid()
    return Path(f"/proc/{pid}/task/{pid}/children").exists()


def _over(pid: int, limit: int) -> bool:
    family = list(_descendants(pid))
    # what processes share counts for each of them here, so look closer before judging
    return sum(map(_resident, family)) > limit and sum(map(_share, family)) > limit


def _descendants(pid: int) -> Iterator[int]:
    waiting = [pid]
    while waiting:
        for child in _children(waiting.pop()):
            yield child
            waiting.append(child)


def _children(pid: int) -> list[int]:
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return []
    return [int(word) for thread in threads for word in _read(thread / "children").split()]


def _resident(pid: int) -> int:
    words = _read(Path(f"/proc/{pid}/statm")).split()
    return int(words[1]) * _PAGE if words else 0


def _share(pid: int) -> int:
    """Memory of a process; a page that n processes share counts 1/n for each."""
    found = _PSS.search(_read(Path(f"/proc/{pid}/smaps_rollup")))
    return int(found[1]) << 10 if found else _resident(pid)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""  # it has ended
