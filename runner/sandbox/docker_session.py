"""One running container, and images that keep what setup commands made.

Using such an image is tagging it again, because the engine keeps the time of the last tag
(https://docs.docker.com/reference/api/engine/, ImageInspect).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from datetime import datetime
from typing import Any

from aiodocker import Docker, DockerError
from aiodocker.containers import DockerContainer
from aiodocker.execs import Exec

from runner.errors import Outage, TaskError
from runner.ports import CommandResult, SandboxSpec, Serve
from runner.sandbox.commands import BoundedOutput
from runner.sandbox.docker_engine import (
    KILL_ALL,
    KILLED,
    OWNER,
    RENEW,
    USER,
    command_line,
    engine_errors,
)
from runner.sandbox.indexes import tunnelled
from runner.sandbox.prepared import (
    Kept,
    environment_of,
    project_key,
    setup_environment,
    superfluous,
)
from runner.sandbox.tunnel import program

_STDOUT = 1  # the number of the stream in the engine's frames
# The guard inside ends a command in time. Should the command have stopped its guard, we end the
# container this many seconds later.
_GRACE = 15.0
# A command that writes this many times what is kept is ended: reading on costs the server's time.
_FLOOD = 16
_EXIT_POLL = 0.005  # seconds
_KEEPERS = 2  # the engine's init, and what keeps the container alive
_LOOKS = 50  # for what a command left running, with that many seconds between two
_BETWEEN = 0.02


class DockerSession:
    """A container with a workspace; its commands run one after another."""

    def __init__(
        self,
        *,
        container: DockerContainer,
        address: str,
        spec: SandboxSpec,
        resources: AsyncExitStack,
        led: Callable[[Serve], AbstractAsyncContextManager[str]],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """``resources`` removes the container and closes the client when it is closed.

        ``led`` has a server answer on the container's loopback.

        ``environment`` is what commands get on top of the container's own.
        """
        self.led = led
        self._environment = dict(environment or {})
        self._container = container
        self._address = address
        self._spec = spec
        self._resources = resources
        self._turn = asyncio.Lock()
        self._own: set[str] | None = None
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
                raise TaskError(
                    "sandbox", "The container of this task was removed; open a new one."
                )
            try:
                with engine_errors(self._address):
                    if await self._is_alone():
                        return await self._run(argv, stdin, limit)
                await self.close()
                raise TaskError(
                    "sandbox", "A process that an earlier command left running could not be ended."
                )
            except asyncio.CancelledError:
                with suppress(Outage):
                    await self._kill_all()
                raise

    async def renew(self) -> bool:
        """Delete what commands left outside the workspace; none of their processes is left."""
        with suppress(Outage, TaskError):  # a container that ended needs another
            return (await self.run(RENEW)).exit_code == 0
        return False

    async def close(self) -> None:
        """Remove the container; continues in the background if the caller is cancelled."""
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

    async def _is_alone(self) -> bool:
        """End what an earlier command left running; whether nothing is left.

        The engine says it from outside: the command may have ended, or changed, the guard that was
        to end it, and would do the same to anything else that runs as its user.
        """
        for _ in range(_LOOKS):
            found = await self._container.top()
            there = {each[found["Titles"].index("PID")] for each in found["Processes"]}
            if self._own is None and len(there) == _KEEPERS:
                self._own = there  # before the first command
            if self._own is not None:
                if there <= self._own:
                    return True
                await self._kill_all()
            await asyncio.sleep(_BETWEEN)
        return False

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


NAME = "cairn-prepared"
FOLDER = "/prepared"
_PROJECT = "cairn.project"
_BELOW = "cairn.below"  # the bytes of the image that it was made of, which both share
_USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# The commands' user may write in this one folder only. Node looks for packages in the folders
# above a file, so they are found beside the workspace.
_BEGIN = f"mkdir -m 1777 {FOLDER} && ln -s {FOLDER[1:]}/node_modules /node_modules"
_NOT_FOUND, _IN_USE = 404, 409


class PreparedImages:
    """The prepared images of one owner on an engine."""

    def __init__(self, docker: Docker, owner: str, room: int) -> None:
        self._docker = docker
        self._owner = owner
        self._room = room

    async def find(self, key: str) -> str:
        """Return the image of a key (or ''), and note that it is used."""
        try:
            await self._docker.images.tag(f"{NAME}:{key}", NAME, tag=key)
        except DockerError as error:
            if error.status != _NOT_FOUND:
                raise
            return ""
        return f"{NAME}:{key}"

    async def make_room(self) -> None:
        """Remove what is superfluous; the engine keeps what a container uses."""
        for name in superfluous(await self.all(), self._room):
            try:
                await self._docker.images.delete(name)
            except DockerError as error:
                if error.status not in (_NOT_FOUND, _IN_USE):
                    raise

    async def all(self) -> list[Kept]:
        """Return those that there are."""
        filters = {"label": [_PROJECT, f"{OWNER}={self._owner}"]}
        found = []
        for image in await self._docker.images.list(filters=filters):
            for name in image["RepoTags"] or ():
                about = await self._docker.images.inspect(name)
                labels, used = about["Config"]["Labels"], _used(about)
                size = about["Size"] - int(labels.get(_BELOW, 0))
                found.append(Kept(name, labels[_PROJECT], used, size))
        return found


async def begin(container: DockerContainer) -> None:
    """Make the folder that is kept. Raises ``Outage`` when the image does not allow it."""
    command = await container.exec(["sh", "-c", _BEGIN], user="0:0")
    async with command.start() as stream:
        output = b""
        while (message := await stream.read_out()) is not None:
            output += message.data
    if (await command.inspect())["ExitCode"]:
        raise Outage(
            "sandbox",
            f"{FOLDER} cannot be made in the image, which sandbox.setup needs: "
            + output.decode(errors="replace").strip(),
        )


@asynccontextmanager
async def led_beside(container: DockerContainer, serve: Serve) -> AsyncIterator[str]:
    """Have ``serve`` answer on a container's loopback."""
    command = await container.exec(["python3", *program()], stdin=True)
    source = asyncio.StreamReader()
    async with command.start() as stream:

        async def feed() -> None:
            while (message := await stream.read_out()) is not None:
                if message.stream == _STDOUT:
                    source.feed_data(message.data)
            source.feed_eof()

        feeding = asyncio.create_task(feed())
        try:
            async with tunnelled(source, stream.write_in, serve) as address:
                yield address
        finally:
            await _end(feeding)


def during(image: Mapping[str, Any]) -> dict[str, str]:
    """Return the environment of setup commands in this image."""
    return environment_of(FOLDER, _path(image)) | setup_environment(FOLDER)


async def finish(
    container: DockerContainer, image: Mapping[str, Any], *, owner: str, project: str, key: str
) -> None:
    """Commit the container; the image knows where its tools are and whose it is."""
    environment = environment_of(FOLDER, _path(image))
    labels = {OWNER: owner, _PROJECT: project_key(project), _BELOW: str(image["Size"])}
    changes = [f"ENV {name}={json.dumps(value)}" for name, value in environment.items()]
    changes += [f"LABEL {name}={json.dumps(value)}" for name, value in labels.items()]
    await container.commit(repository=NAME, tag=key, changes=changes)


def _path(image: Mapping[str, Any]) -> str:
    entries = [entry.partition("=") for entry in image["Config"].get("Env") or ()]
    return next((value for name, _, value in entries if name == "PATH"), _USUAL_PATH)


def _used(image: Mapping[str, Any]) -> float:
    times = image.get("Metadata", {}).get("LastTagTime"), image["Created"]
    return max(datetime.fromisoformat(time).timestamp() for time in times if time)
