"""One open bubblewrap sandbox: commands enter a held namespace, and their memory is watched.

Linux limits the memory of a group of processes with control groups only, which an ordinary user
can seldom make. So a command is ended when all its processes together use too much.
"""

from __future__ import annotations

import asyncio
import os
import platform
import re
import shutil
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from runner.errors import Outage, TaskError
from runner.ports import CommandResult, SandboxSpec, Serve
from runner.sandbox.bubblewrap_commands import (
    HOLDS,
    ROOT,
    command_line,
    holder_line,
    renewal_line,
    way_out_line,
)
from runner.sandbox.commands import MARKER, PipedCommand, kill_marked, run_piped
from runner.sandbox.indexes import tunnelled
from runner.sandbox.system_calls import MACHINES, system_call_filter

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
    family = list(descendants(pid))
    # what processes share counts for each of them here, so look closer before judging
    return sum(map(_resident, family)) > limit and sum(map(_share, family)) > limit


def descendants(pid: int) -> Iterator[int]:
    """Yield the processes that a process has started, and those started by them."""
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


# Of the tools that build the sandbox; commands in it have their own environment.
_OUTSIDE = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPlan:
    """How a session is built: its folder, what is bound there (host folder, name), its view.

    ``used`` is closed with the session.
    """

    folder: Path
    binds: Sequence[tuple[Path, str]]
    view: Sequence[str]
    environment: Mapping[str, str]
    spec: SandboxSpec
    used: BinaryIO | None = None


async def open_session(plan: SessionPlan) -> BubblewrapSession:
    """Start the holder. Raises ``Outage`` with what the kernel said when it refuses."""
    line = holder_line(plan.folder, plan.binds, plan.spec)
    try:
        holder = await asyncio.create_subprocess_exec(
            *line, env=_marked(plan), stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True
        )
    except OSError as error:
        raise Outage("sandbox", f"A process cannot be started: {error}") from error
    session = BubblewrapSession(plan, holder)
    async with AsyncExitStack() as undo:
        undo.push_async_callback(session.close)
        await session.held()
        undo.pop_all()
    return session


class BubblewrapSession:
    """A workspace in its own namespace; commands run in it one after another."""

    def __init__(self, plan: SessionPlan, holder: Process) -> None:
        self._plan = plan
        self._holder = holder
        self._turn = asyncio.Lock()
        self._removal: asyncio.Task[None] | None = None

    async def held(self) -> None:
        """Wait until the workspace exists. Raises ``Outage`` when it does not come."""
        stdout, stderr = self._holder.stdout, self._holder.stderr
        if stdout is None or stderr is None or await stdout.readline() == HOLDS:
            return
        output = (await stderr.read()).decode(errors="replace").strip()
        raise Outage("sandbox", f"This machine does not allow a sandbox: {output}")

    async def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", timeout: float | None = None
    ) -> CommandResult:
        """Run a command in the workspace; everything it starts ends with it.

        Raises ``TaskError`` when the session is closed, ``Outage`` when no process can be started.
        """
        seconds = self._plan.spec.timeout if timeout is None else timeout
        async with self._turn:
            if self._removal is not None:
                raise TaskError("sandbox", "The sandbox of this task was removed; open a new one.")
            if self._holder.returncode is not None:
                raise Outage(
                    "sandbox", "The process that holds the sandbox was ended from outside."
                )
            try:
                with _filter() as file:
                    result = await run_piped(self._command(argv, stdin, seconds, file))
                    return replace(result, image=any(name == ROOT for _, name in self._plan.binds))
            except OSError as error:
                message = f"The machine refuses to start a command: {error}"
                raise Outage("sandbox", message) from error

    async def renew(self) -> bool:
        """Replace all that commands can write to, but for the workspace."""
        plan = self._plan
        async with self._turn:
            if self._removal is not None or self._holder.returncode is not None:
                return False
            line = renewal_line(plan.folder, self._holder.pid, plan.spec)
            try:
                process = await asyncio.create_subprocess_exec(
                    *line, env=_marked(plan), stdin=DEVNULL, stderr=DEVNULL, start_new_session=True
                )
            except OSError as error:
                message = f"The machine refuses to start a command: {error}"
                raise Outage("sandbox", message) from error
            return await process.wait() == 0

    def _command(
        self, argv: Sequence[str], stdin: bytes, seconds: float, seccomp: int | None
    ) -> PipedCommand:
        plan, spec = self._plan, self._plan.spec
        line = command_line(
            argv,
            holder=self._holder.pid,
            view=plan.view,
            environment=plan.environment,
            spec=spec,
            seccomp=seccomp,
        )
        return PipedCommand(
            argv=line,
            environment=_marked(plan),
            stdin=stdin,
            seconds=seconds,
            output=spec.output,
            excess=lambda pid: too_much_memory(pid, spec.memory),
            kill_rest=lambda: kill_marked(str(plan.folder)),
            files=() if seccomp is None else (seccomp,),
        )

    @asynccontextmanager
    async def led(self, serve: Serve) -> AsyncIterator[str]:
        """Have ``serve`` answer on the loopback of a session with a network."""
        process = await asyncio.create_subprocess_exec(
            *way_out_line(self._holder.pid),
            env=_marked(self._plan),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            start_new_session=True,
        )
        source, sink = process.stdout, process.stdin
        if source is None or sink is None:
            raise RuntimeError("the process was not started with pipes")

        async def send(data: bytes) -> None:
            sink.write(data)
            await sink.drain()

        try:
            async with tunnelled(source, send, serve) as address:
                yield address
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def close(self) -> None:
        """End everything in it; continues in the background if the caller is cancelled."""
        if self._removal is None:
            self._removal = asyncio.create_task(self._remove())
        await asyncio.shield(self._removal)

    async def _remove(self) -> None:
        with suppress(ProcessLookupError):
            self._holder.kill()
        await asyncio.to_thread(remove_session, self._plan.folder)
        # Without an input, Python 3.11 leaves stdin open, and a program that reads it never ends.
        await self._holder.communicate(b"")
        if self._plan.used:
            self._plan.used.close()


@contextmanager
def _filter() -> Iterator[int | None]:
    """Yield an open file with the filter of system calls; bwrap reads it to its end."""
    if platform.machine() not in MACHINES:
        yield None
        return
    with TemporaryFile() as file:
        file.write(system_call_filter())
        file.seek(0)
        yield file.fileno()


def remove_session(folder: Path) -> None:
    """End all processes of a session and remove its folder, which holds nobody's files."""
    kill_marked(str(folder))
    shutil.rmtree(folder, ignore_errors=True)


def _marked(plan: SessionPlan) -> dict[str, str]:
    return {**_OUTSIDE, MARKER: str(plan.folder)}
