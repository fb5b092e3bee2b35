"""One running container: commands go in through the engine's exec call."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress

from aiodocker.containers import DockerContainer
from aiodocker.execs import Exec

from runner.adapters.docker_container import KILL_ALL, KILLED, USER, command_line
from runner.adapters.docker_engine import engine_errors
from runner.adapters.sandbox_output import BoundedOutput
from runner.errors import Outage, TaskError
from runner.ports import BoxSpec, CommandResult

_STDOUT = 1  # the number of the stream in the engine's frames
# The guard inside ends a command in time. Should the command have stopped its guard, we end the
# container this many seconds later.
_GRACE = 15.0
# A command that writes this many times what is kept is ended: reading on costs the server's time.
_FLOOD = 16
_EXIT_POLL = 0.005  # seconds


class DockerBox:
    """A container with a workspace; its commands run one after another."""

    def __init__(
        self,
        *,
        container: DockerContainer,
        address: str,
        spec: BoxSpec,
        resources: AsyncExitStack,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """``resources`` removes the container and closes the client when it is closed.

        ``environment`` is what commands get on top of the container's own.
        """
        self._environment = dict(environment or {})
        self._container = container
        self._address = address
        self._spec = spec
        self._resources = resources
        self._turn = asyncio.Lock()
        self._removal: asyncio.Task[None] | None = None

    async def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", timeout: float | None = None
    ) -> CommandResult:
        """Run a command in the workspace; whatever it leaves running ends with it.

        Raises ``TaskError`` when the container is closed, ``Outage`` when the engine fails.
        """
        limit = self._spec.timeout if timeout is None else timeout
        async with self._turn:
            if self._removal is not None:
                raise TaskError("sandbox", "The container of this task is removed; open a new one.")
            try:
                with engine_errors(self._address):
                    return await self._run(argv, stdin, limit)
            except asyncio.CancelledError:
                with suppress(Outage):
                    await self._kill_all()
                raise

    async def close(self) -> None:
        """Remove the container; goes on in the background when the caller is cancelled."""
        if self._removal is None:
            self._removal = asyncio.create_task(self._remove())
        await asyncio.shield(self._removal)

    async def _remove(self) -> None:
        with engine_errors(self._address):
            await self._resources.aclose()

    async def _run(self, argv: Sequence[str], stdin: bytes, limit: float) -> CommandResult:
        line = command_line(argv, size=len(stdin), limit=limit)
        clock = asyncio.get_running_loop().time
        streams = BoundedOutput(self._spec.output), BoundedOutput(self._spec.output)
        command = await self._container.exec(
            line, stdin=bool(stdin), user=USER, environment=self._environment
        )
        started = clock()
        try:
            async with asyncio.timeout(limit + _GRACE) as deadline:
                await self._converse(command, stdin, *streams)
                code = await _exit_code(command)
        except TimeoutError:
            if not deadline.expired():
                raise
            await self.close()
            return _result(KILLED, *streams, timed_out=True)
        return _result(code, *streams, timed_out=code == KILLED and clock() - started >= limit)

    async def _converse(
        self, command: Exec, stdin: bytes, stdout: BoundedOutput, stderr: BoundedOutput
    ) -> None:
        allowed = self._spec.output * _FLOOD
        async with command.start() as stream:
            writing = asyncio.create_task(stream.write_in(stdin)) if stdin else None
            try:
                while (message := await stream.read_out()) is not None:
                    (stdout if message.stream == _STDOUT else stderr).add(message.data)
                    if stdout.seen + stderr.seen > allowed:
                        allowed = 1 << 62  # once is enough
                        await self._kill_all()
            finally:
                await _end(writing)

    async def _kill_all(self) -> None:
        with engine_errors(self._address):
            killer = await self._container.exec(KILL_ALL, stdout=False, stderr=False, user=USER)
            await killer.start(detach=True)


async def _end(writing: asyncio.Task[None] | None) -> None:
    """A command need not read its input to the end; what is left of it is dropped."""
    if writing is not None:
        writing.cancel()
        with suppress(asyncio.CancelledError, OSError):
            await writing


async def _exit_code(command: Exec) -> int:
    # the streams may end a moment before the engine has seen the process end
    while (state := await command.inspect())["Running"]:  # noqa: ASYNC110 - only the engine knows
        await asyncio.sleep(_EXIT_POLL)
    return int(state["ExitCode"])


def _result(
    code: int, stdout: BoundedOutput, stderr: BoundedOutput, *, timed_out: bool
) -> CommandResult:
    truncated = stdout.truncated or stderr.truncated
    return CommandResult(code, stdout.value(), stderr.value(), timed_out, truncated)
