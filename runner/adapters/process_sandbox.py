"""No isolation: a temporary folder and plain processes, for one's own checkout only.

The code that runs here can do whatever the user can. What is kept apart is the environment (no
token is inherited), the home folder and the working folder; what a command starts ends with it.
"""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from runner.adapters.host_process import HostCommand, kill_marked, run_on_host
from runner.errors import Outage, TaskError
from runner.ports import Box, BoxSpec, CommandResult

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class ProcessSandbox:
    """Opens folders. ``owner`` names who opens them, the same after a restart.

    ``path`` is the PATH of the commands: the only thing they need to share with the user's shell.
    """

    name = "process"

    def __init__(self, *, owner: str, path: str = _PATH, parent: Path | None = None) -> None:
        """``parent`` is where the folders are made; the system's temporary folder when None."""
        self._path = path
        self._parent = parent or Path(tempfile.gettempdir())
        # an owner may be any text, a folder's name may not
        self._prefix = f"cairn-{hashlib.sha256(owner.encode()).hexdigest()[:12]}-"

    async def check(self) -> None:
        """Raise ``Outage`` when the machine lacks the shell the commands are started with."""
        if shutil.which("sh", path=self._path) is None:
            raise Outage("sandbox", f"There is no shell (sh) on the PATH {self._path}.")

    async def open(self, spec: BoxSpec) -> Box:
        """Make an empty workspace. Raises ``Outage`` when the disk refuses."""
        try:
            folder = Path(tempfile.mkdtemp(prefix=self._prefix, dir=self._parent))
            for name in ("workspace", "home", "tmp"):
                (folder / name).mkdir()
        except OSError as error:
            raise Outage("sandbox", f"No folder can be made in {self._parent}: {error}") from error
        return ProcessBox(folder=folder, path=self._path, spec=spec)

    async def sweep(self) -> int:
        """Remove every folder of this owner and end what runs in it, before the first ``open``."""
        left = await asyncio.to_thread(lambda: list(self._parent.glob(f"{self._prefix}*")))
        for folder in left:
            await asyncio.to_thread(_remove, folder)
        return len(left)


class ProcessBox:
    """A temporary folder; commands run in its workspace, one after another."""

    def __init__(self, *, folder: Path, path: str, spec: BoxSpec) -> None:
        self._folder = folder
        self._spec = spec
        self._turn = asyncio.Lock()
        self._environment = {
            "HOME": str(folder / "home"),
            "TMPDIR": str(folder / "tmp"),
            "PATH": path,
            "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
        }

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
                raise TaskError("sandbox", "The folder of this task is removed; open a new one.")
            try:
                command.folder.chmod(0o755)  # the command before may have locked itself out
                return await run_on_host(command)
            except OSError as error:
                message = f"The machine refuses to start a command: {error}"
                raise Outage("sandbox", message) from error

    async def close(self) -> None:
        """End what still runs and remove the folder."""
        await asyncio.to_thread(_remove, self._folder)


def _remove(folder: Path) -> None:
    kill_marked(str(folder))
    with suppress(OSError):
        # a test may have taken away its own permissions; what is left is removed by a sweep
        for path in folder.rglob("*"):
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
