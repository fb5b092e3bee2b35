"""Running one command on this machine: clean environment, time and output limits, no survivors.

Streams go through files, not pipes: a process left running could keep a pipe open for ever.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from runner.adapters.sandbox_output import BoundedOutput
from runner.ports import CommandResult

# Every process of a box inherits this variable; a process that left its group is found by it.
MARKER = "CAIRN_BOX"
_KILLED = 137
_CHUNK = 1 << 20
_LOOKS = 50
_BLOCK = 512  # the unit of `ulimit -f`, in bytes
# The limits are set by a shell, for Python between fork and exec is not safe with threads.
_LIMITED = 'ulimit -c 0; ulimit -f "$1"; shift; exec "$@"'


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCommand:
    """What to run. ``marker`` names the box; ``output`` and ``file_size`` are bytes."""

    argv: tuple[str, ...]
    stdin: bytes
    folder: Path
    environment: Mapping[str, str]
    marker: str
    seconds: float
    output: int
    file_size: int


async def run_on_host(command: HostCommand) -> CommandResult:
    """Run it to its end or its time limit; then nothing it started is alive.

    Raises ``OSError`` when no process can be started.
    """
    with TemporaryFile() as stdin, TemporaryFile() as stdout, TemporaryFile() as stderr:
        await asyncio.to_thread(_rewound, stdin, command.stdin)
        code, timed_out = await _run(command, (stdin, stdout, stderr))
        out = await asyncio.to_thread(_kept, stdout, command.output)
        err = await asyncio.to_thread(_kept, stderr, command.output)
    truncated = out.truncated or err.truncated
    return CommandResult(code, out.value(), err.value(), timed_out, truncated)


async def _run(
    command: HostCommand, streams: tuple[IO[bytes], IO[bytes], IO[bytes]]
) -> tuple[int, bool]:
    blocks = str(command.file_size // _BLOCK)
    process = await asyncio.create_subprocess_exec(
        *("sh", "-c", _LIMITED, "sh", blocks, *command.argv),
        cwd=command.folder,
        env={**command.environment, MARKER: command.marker},
        stdin=streams[0],
        stdout=streams[1],
        stderr=streams[2],
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(command.seconds):
            code = await process.wait()
    except TimeoutError:
        return _KILLED, True
    finally:
        _kill_group(process.pid)
        await asyncio.to_thread(kill_marked, command.marker)
        await process.wait()
    return (code if code >= 0 else 128 - code), False


def kill_marked(marker: str) -> None:
    """End the processes of a box that left their group (Linux; elsewhere there is no /proc).

    ``marker`` is the box's folder. A process that cleared its environment is found while its
    working folder lies in it.
    """
    wanted = f"{MARKER}={marker}".encode(errors="surrogateescape")
    # a process may start another while we look, so look until there is none
    for _ in range(_LOOKS):
        found = [p for p in _processes() if wanted in _environment(p) or _works_in(p, marker)]
        if not found:
            return
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def _kill_group(leader: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def _processes() -> list[int]:
    proc = Path("/proc")
    if not proc.is_dir():
        return []
    return [int(entry.name) for entry in proc.iterdir() if entry.name.isdigit()]


def _environment(pid: int) -> list[bytes]:
    # a process that has ended, even while nobody waited for it yet, has an empty environment
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _works_in(pid: int, folder: str) -> bool:
    try:
        return Path(f"/proc/{pid}/cwd").readlink().is_relative_to(folder)
    except OSError:
        return False


def _rewound(file: IO[bytes], content: bytes) -> None:
    file.write(content)
    file.seek(0)


def _kept(file: IO[bytes], limit: int) -> BoundedOutput:
    output = BoundedOutput(limit)
    file.seek(0)
    while chunk := file.read(_CHUNK):
        output.add(chunk)
    return output
