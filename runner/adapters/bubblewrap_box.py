"""One open box of the bubblewrap sandbox: a held namespace, and commands that enter it."""

from __future__ import annotations

import asyncio
import shutil
from asyncio.subprocess import PIPE, Process
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from runner.adapters.bubblewrap_lines import HOLDS, command_line, holder_line
from runner.adapters.bubblewrap_seccomp import keyring_filter
from runner.adapters.bubblewrap_watch import too_much_memory
from runner.adapters.host_process import MARKER, kill_marked
from runner.adapters.piped_process import PipedCommand, run_piped
from runner.errors import Outage, TaskError
from runner.ports import BoxSpec, CommandResult

# Of the tools that build the sandbox; commands in it have their own environment.
_OUTSIDE = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C"}


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxPlan:
    """How a box is built: its folder, what is bound there (host folder → name), what is seen."""

    folder: Path
    binds: Mapping[Path, str]
    view: Sequence[str]
    environment: Mapping[str, str]
    spec: BoxSpec


async def open_box(plan: BoxPlan) -> BubblewrapBox:
    """Start the holder. Raises ``Outage`` with what the kernel said when it refuses."""
    line = holder_line(plan.folder, plan.binds, plan.spec)
    try:
        holder = await asyncio.create_subprocess_exec(
            *line, env=_marked(plan), stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True
        )
    except OSError as error:
        raise Outage("sandbox", f"A process cannot be started: {error}") from error
    box = BubblewrapBox(plan, holder)
    async with AsyncExitStack() as undo:
        undo.push_async_callback(box.close)
        await box.held()
        undo.pop_all()
    return box


class BubblewrapBox:
    """A workspace in a namespace of its own; commands run in it one after another."""

    def __init__(self, plan: BoxPlan, holder: Process) -> None:
        self._plan = plan
        self._holder = holder
        self._turn = asyncio.Lock()
        self._removal: asyncio.Task[None] | None = None

    async def held(self) -> None:
        """Wait until the workspace is there. Raises ``Outage`` when it does not come."""
        stdout, stderr = self._holder.stdout, self._holder.stderr
        if stdout is None or stderr is None or await stdout.readline() == HOLDS:
            return
        said = (await stderr.read()).decode(errors="replace").strip()
        raise Outage("sandbox", f"This machine does not let a sandbox be made: {said}")

    async def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", timeout: float | None = None
    ) -> CommandResult:
        """Run a command in the workspace; everything it starts ends with it.

        Raises ``TaskError`` when the box is closed, ``Outage`` when no process can be started.
        """
        seconds = self._plan.spec.timeout if timeout is None else timeout
        async with self._turn:
            if self._removal is not None:
                raise TaskError("sandbox", "The sandbox of this task is removed; open a new one.")
            if self._holder.returncode is not None:
                raise Outage(
                    "sandbox", "The process that holds the sandbox was ended from outside."
                )
            try:
                with _filter() as file:
                    return await run_piped(self._command(argv, stdin, seconds, file))
            except OSError as error:
                message = f"The machine refuses to start a command: {error}"
                raise Outage("sandbox", message) from error

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

    async def close(self) -> None:
        """End everything in it; goes on in the background when the caller is cancelled."""
        if self._removal is None:
            self._removal = asyncio.create_task(self._remove())
        await asyncio.shield(self._removal)

    async def _remove(self) -> None:
        await asyncio.to_thread(remove_box, self._plan.folder)
        await self._holder.communicate()


@contextmanager
def _filter() -> Iterator[int | None]:
    """Yield an open file with the filter of system calls; bwrap reads it to its end."""
    program = keyring_filter()
    if not program:
        yield None
        return
    with TemporaryFile() as file:
        file.write(program)
        file.seek(0)
        yield file.fileno()


def remove_box(folder: Path) -> None:
    """End all processes of a box and remove its folder, which never holds anybody's files."""
    kill_marked(str(folder))
    shutil.rmtree(folder, ignore_errors=True)


def _marked(plan: BoxPlan) -> dict[str, str]:
    return {**_OUTSIDE, MARKER: str(plan.folder)}
