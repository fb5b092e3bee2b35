"""Deliveries stored and answered: how many a second, and how long one takes at 200 a second."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

from bench.finding import Finding, Line, Peer

_BARE = "bare aiohttp"
_ROUNDS = 3
_FULL, _STEADY, _RATE = 2_000, 800, 200


async def measure(folder: Path) -> AsyncIterator[Line]:
    """Both servers stay up and are loaded in turn; the load comes from a third process."""
    async with _server("silent", folder) as ours, _server("plain", folder) as theirs:
        for port in (ours, theirs):
            await _load(port, 200, 0)
        rates = await _rounds("rate", _FULL, 0, ours, theirs)
        yield Finding(
            what=f"throughput, {_FULL} comments that ask for nothing",
            value=rates[0],
            unit="/s",
            peer=Peer(what=f"{_BARE}, no database", value=rates[1]),
            goal="ratio >= 0.6",
            ok=rates[0] >= 0.6 * rates[1],
        )
    async with _server("cairn", folder) as ours, _server("bare", folder) as theirs:
        for port in (ours, theirs):
            await _load(port, 200, 0)
        rates = await _rounds("rate", _FULL, 0, ours, theirs)
        yield Finding(
            what=f"throughput, {_FULL} deliveries",
            value=rates[0],
            unit="/s",
            peer=Peer(what=_BARE, value=rates[1]),
            goal="ratio >= 0.9",
            ok=rates[0] >= 0.9 * rates[1],
        )
        late = await _rounds("p99", _STEADY, _RATE, ours, theirs)
        yield Finding(
            what=f"99th percentile at {_RATE}/s",
            value=late[0],
            unit="ms",
            peer=Peer(what=_BARE, value=late[1]),
            goal="< 50 ms",
            ok=late[0] < 50,
        )


async def _rounds(key: str, count: int, rate: int, *ports: int) -> list[float]:
    """The median a server."""
    seen: list[list[float]] = [[] for _ in ports]
    for _ in range(_ROUNDS):
        for port, numbers in zip(ports, seen, strict=True):
            numbers.append((await _load(port, count, rate))[key])
    return [median(numbers) for numbers in seen]


async def _load(port: int, count: int, rate: int) -> dict[str, float]:
    words = ("bench.webhook_load", str(port), str(count), str(rate))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", *words), stdout=asyncio.subprocess.PIPE
    )
    out, _ = await asyncio.wait_for(process.communicate(), timeout=60)
    found: dict[str, float] = json.loads(out)
    return found


@asynccontextmanager
async def _server(which: str, folder: Path) -> AsyncIterator[int]:
    """Start one, yield its port, and end it by closing its standard input."""
    own = folder / which
    own.mkdir()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.webhook_server", which, str(own)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield int(await process.stdout.readline())
    finally:
        process.stdin.close()
        await process.wait()
