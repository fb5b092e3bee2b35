"""One subprocess from start to end: input fed, output bounded, ended when it goes too far."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from runner.adapters.sandbox_output import BoundedOutput
from runner.ports import CommandResult

_KILLED = 137
_CHUNK = 1 << 16
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
        while chunk := await stream.read(_CHUNK):
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
