"""No isolation: a temporary folder and plain processes, for your own checkout only.

The code that runs here can do whatever the user can. What is kept apart is the environment (no
token is inherited), the home folder, the temporary folder and the working folder, made for every
session; /tmp and /dev/shm are the machine's own. What a command starts ends with it, unless it
clears its environment and leaves the working folder.


"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import shutil
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

from runner.errors import Outage, TaskError
from runner.ports import (
    TOO_SMALL,
    CommandResult,
    Fill,
    Ran,
    SandboxSession,
    SandboxSpec,
    Serve,
    Setup,
    unheard,
)
from runner.sandbox.commands import HostCommand, kill_marked, run_on_host
from runner.sandbox.host_files import empty, make_equal
from runner.sandbox.installed import copy_of_installed
from runner.sandbox.prepared import (
    PreparedFolders,
    environment_of,
    in_use,
    made,
    remove_tree,
    run_setup,
    setup_environment,
    setup_key,
)
from runner.state.options import PREPARED_ROOM

_GONE = "The folder of this task was removed; open a new one."
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class ProcessSandbox:
    """Opens folders. ``owner`` names who opens them, the same after a restart.

    ``path`` is the PATH of the commands, ``toolchains`` are variables that say where compilers and
    the like are: all that commands share with the user's shell. ``prepared`` is where the results
    of setup commands are kept; they have the user's network.
    """

    name = "process"
    installed = True

    def __init__(
        self,
        *,
        owner: str,
        path: str = _PATH,
        toolchains: Mapping[str, str] | None = None,
        parent: Path | None = None,
        prepared: Path | None = None,
        checkout: Path | None = None,
        room: int = PREPARED_ROOM,
    ) -> None:
        """``parent`` is where the folders are made; the system's temporary folder when None.

        ``checkout`` is the folder whose ``node_modules`` are copied for the tests, ``room`` is for
        the results of setup commands.
        """
        self._path = path
        self._toolchains = dict(toolchains or {})
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._parent = (parent or Path(tempfile.gettempdir())).resolve()
        # an owner may be any text, a folder's name may not
        name = hashlib.sha256(owner.encode()).hexdigest()[:12]
        self._prefix = f"cairn-{name}-"
        kept = (prepared or self._parent / f"cairn-setup-{name}").resolve()
        self._kept = PreparedFolders(kept, room)
        self._checkout = checkout.resolve() if checkout else None
        self._installed: asyncio.Task[Path | None] | None = None

    async def check(self) -> None:
        """Raise ``Outage`` when the machine lacks the shell the commands are started with."""
        if shutil.which("sh", path=self._path) is None:
            raise Outage("sandbox", f"There is no shell (sh) on the PATH {self._path}.")

    async def open(self, spec: SandboxSpec) -> SandboxSession:
        """Make an empty workspace. Raises ``Outage`` when the disk refuses."""
        kept = Path(spec.image)
        # any other image is what a container would need: here it is the machine itself
        if not self._kept.holds(kept):
            copy = await self._copied()
            return self._open(spec, {"CAIRN_PREPARED": str(made(copy))} if copy else {}, copy)
        return self._open(
            spec, environment_of(str(made(kept)), self._path), kept, modules=made(kept)
        )

    async def _copied(self) -> Path | None:
        """The copy of what the checkout has installed, looked at once."""
        if self._checkout is None:
            return None
        if self._installed is None:
            work = asyncio.to_thread(copy_of_installed, self._checkout, self._kept)
            self._installed = asyncio.create_task(work)
        return await asyncio.shield(self._installed)

    async def prepare(self, spec: SandboxSpec, setup: Setup, fill: Fill, ran: Ran = unheard) -> str:
        """Run setup commands once and keep what they make; return the folder that holds it."""
        key = setup_key("", setup)
        async with self._turns[key]:
            kept = self._kept.find(setup.project, key)
            return str(kept or await self._make(spec, setup, key, fill, ran))

    async def _make(
        self,
        spec: SandboxSpec,
        setup: Setup,
        key: str,
        fill: Fill,
        ran: Ran,
    ) -> Path:
        # a Python environment knows its own path, so it is made where it stays
        with self._kept.making(setup.project, key) as kept:
            folder = str(made(kept))
            extra = environment_of(folder, self._path) | setup_environment(folder)
            session = self._open(spec, extra)
            try:
                await fill(session)
                await run_setup(session, setup, ran)
            finally:
                await session.close()
        await asyncio.to_thread(self._kept.make_room)
        return kept

    def _open(
        self,
        spec: SandboxSpec,
        extra: dict[str, str],
        kept: Path | None = None,
        *,
        modules: Path | None = None,
    ) -> ProcessSession:
        """``extra`` are variables that what setup made needs; they win over the toolchains'."""
        own = {"PATH": self._path} | self._toolchains | extra
        try:
            used = in_use(kept) if kept else None
        except OSError as error:
            raise Outage("sandbox", f"What was installed for the tests is gone: {error}") from error
        return ProcessSession(partial(self._make_folder, modules), spec, own, used)

    def _make_folder(self, modules: Path | None) -> Path:
        try:
            folder = Path(tempfile.mkdtemp(prefix=self._prefix, dir=self._parent))
            for name in ("workspace", "home", "tmp"):
                (folder / name).mkdir()
            if modules:  # Node looks for packages in the folders above a file
                (folder / "node_modules").symlink_to(modules / "node_modules")
        except OSError as error:
            raise Outage("sandbox", f"No folder can be made in {self._parent}: {error}") from error
        return folder

    async def kept(self) -> int:
        """Return how many bytes the results of setup commands take."""
        return await asyncio.to_thread(self._kept.used)

    async def sweep(self) -> int:
        """Remove every folder of this owner and end what runs in it, before the first ``open``."""
        await asyncio.to_thread(self._kept.tidy)
        left = await asyncio.to_thread(lambda: list(self._parent.glob(f"{self._prefix}*")))
        for folder in left:
            await asyncio.to_thread(_remove, folder)
        return len(left)


class ProcessSession:
    """A temporary folder; commands run in its workspace, one after another."""

    def __init__(
        self,
        make: Callable[[], Path],
        spec: SandboxSpec,
        variables: Mapping[str, str],
        used: BinaryIO | None = None,
    ) -> None:
        """``make`` makes a folder; ``variables`` come on top of the usual ones.

        ``used`` is closed with the session.
        """
        self._used = used
        self._make = make
        self._folder = make()
        self._spec = spec
        self._turn = asyncio.Lock()
        self._variables = variables

    async def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", timeout: float | None = None
    ) -> CommandResult:
        """Run a command in the workspace; whatever it leaves running ends with it.

        Raises ``TaskError`` when the folder is gone, ``Outage`` when no process can be started.
        """
        command = HostCommand(
            argv=tuple(argv),
            stdin=stdin,
            folder=self._folder / "workspace",
            environment=self._environment,
            marker=str(self._folder),
            seconds=self._spec.timeout if timeout is None else timeout,
            output=self._spec.output,
            file_size=self._spec.disk,
        )
        async with self._turn:
            if not command.folder.is_dir():
                raise TaskError("sandbox", _GONE)
            try:
                command.folder.chmod(0o755)  # the command before may have locked itself out
                return replace(await run_on_host(command), image=False)
            except OSError as error:
                message = f"The machine refuses to start a command: {error}"
                raise Outage("sandbox", message) from error

    @property
    def _environment(self) -> dict[str, str]:
        return {
            "HOME": str(self._folder / "home"),
            "TMPDIR": str(self._folder / "tmp"),
            "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
        } | dict(self._variables)

    @property
    def prepared(self) -> bool:
        """Whether setup made something, or the checkout has packages of Node."""
        return "CAIRN_PREPARED" in self._variables

    async def fill(self, files: Mapping[str, tuple[str, bytes]]) -> None:
        """Make the workspace equal to a tree; what is right already is only read.

        Raises ``TaskError`` when the workspace cannot hold the tree; it is left empty.
        """
        workspace = self._folder / "workspace"
        async with self._turn:
            if workspace.is_symlink() or not workspace.is_dir():
                raise TaskError("sandbox", _GONE)
            if any(len(content) > self._spec.disk for _, content in files.values()):
                await asyncio.to_thread(empty, workspace)
                raise TaskError("sandbox", TOO_SMALL)
            try:
                workspace.chmod(0o755)
                wrong = await asyncio.to_thread(make_equal, workspace, files)
            except OSError as error:
                await asyncio.to_thread(empty, workspace)
                full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
                message = f"The files cannot be written into the workspace: {error.strerror}"
                raise TaskError("sandbox", TOO_SMALL if full else message) from error
        if wrong:
            names = ", ".join(repr(path) for path in wrong[:5])
            raise TaskError(
                "sandbox",
                f"The workspace does not hold the files that were written to it: {names}",
            )

    @asynccontextmanager
    async def led(self, serve: Serve) -> AsyncIterator[str]:
        """Listen on this machine's loopback, which its commands reach."""

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await serve(reader, writer)
            writer.close()

        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            host, port = server.sockets[0].getsockname()
            yield f"{host}:{port}"

    async def renew(self) -> bool:
        """Move the workspace into a new folder; nothing else of the old one comes along."""
        async with self._turn:
            old, self._folder = self._folder, self._make()
            theirs, own = old / "workspace", self._folder / "workspace"
            try:
                await asyncio.to_thread(kill_marked, str(old))
                if theirs.is_symlink():
                    return False
                theirs.chmod(0o755)
                own.rmdir()
                theirs.rename(own)
            except OSError:  # what a test did to it is no reason not to begin anew
                return False
            finally:
                await asyncio.to_thread(remove_tree, old)
        return True

    async def close(self) -> None:
        """End what still runs and remove the folder."""
        await asyncio.to_thread(_remove, self._folder)
        if self._used:
            self._used.close()


def _remove(folder: Path) -> None:
    kill_marked(str(folder))
    # a test may have taken away its own permissions; what is left is removed by a sweep
    remove_tree(folder)
