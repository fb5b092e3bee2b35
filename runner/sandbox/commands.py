"""Run one command on this machine: clean environment, time and output limits, no survivors.

Streams go through files, not pipes: a process left running could keep a pipe open for ever.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from runner.ports import CommandResult


@dataclass(slots=True)
class BoundedOutput:
    """The first and last bytes of a stream, ``limit`` bytes in all; the middle is dropped.

    Both ends matter: a compiler's first error is at the top, a test run's summary at the bottom.
    """

    limit: int
    _head: bytearray = field(default_factory=bytearray)
    _tail: bytearray = field(default_factory=bytearray)
    _seen: int = 0

    @property
    def seen(self) -> int:
        """How many bytes came, kept or not."""
        return self._seen

    @property
    def truncated(self) -> bool:
        """Whether something was dropped."""
        return self._seen > self.limit

    def add(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self._seen += len(data)
        room = self.limit // 2 - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        # dropped in large steps, for each one moves what is kept
        if len(self._tail) > 2 * self.limit:
            del self._tail[: -self._tail_limit]

    def value(self) -> bytes:
        """Return what is kept; where the middle is missing, a line says how much."""
        if not self.truncated:
            return bytes(self._head + self._tail)
        note = b"\n[... %d bytes are left out here ...]\n" % (self._seen - self.limit)
        return bytes(self._head + note + self._tail[-self._tail_limit :])

    @property
    def _tail_limit(self) -> int:
        return self.limit - self.limit // 2


# Every process of a session inherits this variable; a process that left its group is found by it.
MARKER = "CAIRN_BOX"
_KILLED = 137
_CHUNK = 1 << 20
_LOOKS = 50
_BETWEEN = 0.02
"""Seconds between two looks that find nothing: longer than becoming another program takes."""
_BLOCK = 512  # the unit of `ulimit -f`, in bytes
# The limits are set by a shell, for Python between fork and exec is not safe with threads.
_LIMITED = 'ulimit -c 0; ulimit -f "$1"; shift; exec "$@"'


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCommand:
    """What to run. ``marker`` names the session; ``output`` and ``file_size`` are bytes."""

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
    """End processes of a session that left their group (Linux; others have no /proc).

    ``marker`` is the session's folder. A process that cleared its environment is found while its
    working folder is inside it.
    """
    wanted = f"\0{MARKER}={marker}\0".encode(errors="surrogateescape")
    # A process may start another while we look. While it becomes another program, it has no
    # environment for a moment. So look until two looks in a row find none.
    clean = 0
    for _ in range(_LOOKS):
        found = [pid for pid in _processes() if _belongs(pid, wanted, marker)]
        clean = 0 if found else clean + 1
        if clean == 2:
            return
        if clean:
            time.sleep(_BETWEEN)
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def _kill_group(leader: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def _processes() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208
    except FileNotFoundError:
        return []


def _belongs(pid: int, wanted: bytes, folder: str) -> bool:
    """Whether a process has the variable, or works inside the folder.

    All processes of the machine are asked after each command, so without paths' own objects.
    """
    # a process that has ended, even while nobody waited for it yet, has an empty environment
    with suppress(OSError), open(f"/proc/{pid}/environ", "rb", buffering=0) as file:  # noqa: PTH123
        if wanted in b"\0%b\0" % file.readall():
            return True
    with suppress(OSError):
        return f"{os.readlink(f'/proc/{pid}/cwd')}/".startswith(f"{folder}/")  # noqa: PTH115
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


_PIPE_CHUNK = 1 << 16
# A command that writes this many times what is kept is ended: reading on costs the server's time.
_FLOOD = 16
_GRACE = 5.0  # seconds for streams to end once the process has


@dataclass(frozen=True, slots=True, kw_only=True)
class PipedCommand:
    """What to run. ``output`` bytes of each stream are kept, ``seconds`` is the time limit.

    ``excess`` is called with the process id and returns when the command must be ended.
    ``kill_rest`` ends what a killed process left behind. ``files`` are numbers of open files that
    the command inherits.
    """

    argv: Sequence[str]
    environment: Mapping[str, str]
    stdin: bytes
    seconds: float
    output: int
    excess: Callable[[int], Awaitable[None]]
    kill_rest: Callable[[], None]
    files: Sequence[int] = ()


async def run_piped(command: PipedCommand) -> CommandResult:
    """Run it to its end. Raises ``OSError`` when it cannot be started."""
    process = await asyncio.create_subprocess_exec(
        *command.argv,
        env=dict(command.environment),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        start_new_session=True,
        pass_fds=command.files,
    )
    return await _Run(command, process).result()


class _Run:
    """A process that runs; everything about it that lives as long."""

    def __init__(self, command: PipedCommand, process: Process) -> None:
        self._command = command
        self._process = process
        self._streams = BoundedOutput(command.output), BoundedOutput(command.output)
        self._timed_out = False
        self._killed = False

    async def result(self) -> CommandResult:
        loop = asyncio.get_running_loop()
        timer = loop.call_later(self._command.seconds, self._time_is_up)
        watch = asyncio.create_task(self._watch())
        pumps = self._pumps()
        try:
            code = await self._process.wait()
        finally:
            timer.cancel()
            watch.cancel()
            self._kill()
            await asyncio.shield(self._drain(pumps))
        out, err = self._streams
        truncated = out.truncated or err.truncated
        # what stands between us and the command may die of its death in a way of its own
        code = _KILLED if self._killed else code if code >= 0 else 128 - code
        return CommandResult(code, out.value(), err.value(), self._timed_out, truncated)

    def _pumps(self) -> list[asyncio.Task[None]]:
        process = self._process
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise RuntimeError("the process was not started with pipes")
        out, err = self._streams
        return [
            asyncio.create_task(self._feed(process.stdin)),
            asyncio.create_task(self._take(process.stdout, out)),
            asyncio.create_task(self._take(process.stderr, err)),
        ]

    async def _feed(self, stdin: asyncio.StreamWriter) -> None:
        # a command need not read its input to the end
        with suppress(BrokenPipeError, ConnectionResetError):
            stdin.write(self._command.stdin)
            await stdin.drain()
        stdin.close()
        with suppress(BrokenPipeError, ConnectionResetError):
            await stdin.wait_closed()

    async def _take(self, stream: asyncio.StreamReader, kept: BoundedOutput) -> None:
        while chunk := await stream.read(_PIPE_CHUNK):
            kept.add(chunk)
            if sum(each.seen for each in self._streams) > _FLOOD * self._command.output:
                self._kill()

    async def _watch(self) -> None:
        await self._command.excess(self._process.pid)
        self._kill()

    async def _drain(self, pumps: list[asyncio.Task[None]]) -> None:
        await self._process.wait()
        _, late = await asyncio.wait(pumps, timeout=_GRACE)
        if late:
            await asyncio.to_thread(self._command.kill_rest)
            await asyncio.wait(late)

    def _time_is_up(self) -> None:
        self._timed_out = self._process.returncode is None
        self._kill()

    def _kill(self) -> None:
        self._killed = self._killed or self._process.returncode is None
        with suppress(ProcessLookupError):
            self._process.kill()
