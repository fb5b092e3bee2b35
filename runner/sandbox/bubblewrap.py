"""A sandbox without a daemon: namespaces by bubblewrap (https://github.com/containers/bubblewrap).

What holds, as root and as an ordinary user (Linux 5.14 or newer): no network, no host files except
programs and libraries (read-only), no host processes, not root, no capabilities, no way to get any,
no kernel keyring (on x86-64 and ARM64). Workspace and /tmp are tmpfs of limited size and number of
files. Processes are limited by number, each file by size. Time and output are limited outside the
sandbox. A command whose processes together use more memory than allowed is ended within a fraction
of a second; each process may reserve at most 1 GiB more than that. Only complete processors can be
assigned.

With network (for setup commands only) the host's own network is used, its loopback included.


"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import tempfile
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

from runner.errors import Outage
from runner.ports import Fill, Ran, SandboxSession, SandboxSpec, Setup, unheard
from runner.sandbox.bubblewrap_commands import (
    KEPT,
    PATH,
    PREPARED,
    ROOT,
    STRANGER,
    TOOLS,
    fill_folder,
    is_root,
    view_options,
)
from runner.sandbox.bubblewrap_session import SessionPlan, can_watch, open_session, remove_session
from runner.sandbox.prepared import (
    PreparedFolders,
    environment_of,
    made,
    run_setup,
    setup_environment,
    setup_key,
)

_ENVIRONMENT = {"HOME": "/tmp", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}  # noqa: S108
_INSTALL = "Install the packages bubblewrap and util-linux, or use another sandbox (CAIRN_SANDBOX)."


@dataclass(frozen=True, slots=True)
class _Image:
    """``root`` is a prepared root (None: the machine's own), ``kept`` what setup made."""

    root: Path | None
    kept: Path | None = None


class BubblewrapSandbox:
    """Opens sessions. ``owner`` names who opens them, the same after a restart.

    ``image`` is the folder of a prepared root; any other text means the machine's own programs.
    ``prepared`` is where the results of setup commands are kept.
    """

    name = "bubblewrap"

    def __init__(
        self, *, owner: str, image: str = "", prepared: Path, parent: Path | None = None
    ) -> None:
        """``parent`` is where the folders of sessions are made (empty for the host)."""
        self._image = image if image.startswith("/") else ""
        self._kept = PreparedFolders(prepared.resolve())
        self._parent = parent or Path(tempfile.gettempdir())
        self._prefix = f"cairn-box-{hashlib.sha256(owner.encode()).hexdigest()[:12]}-"
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def check(self) -> None:
        """Raise ``Outage`` when a tool is missing or the kernel refuses."""
        missing = [tool for tool in TOOLS if shutil.which(tool, path=PATH) is None]
        if missing:
            raise Outage("sandbox", f"There is no {', no '.join(missing)} here. {_INSTALL}")
        if not can_watch():
            raise Outage("sandbox", "This kernel does not list the children of processes in /proc.")
        session = await self.open(SandboxSpec(run="check", task="check", timeout=20))
        try:
            result = await session.run(["true"])
        finally:
            await session.close()
        if result.exit_code:
            output = result.stderr.decode(errors="replace").strip()[-500:]
            raise Outage(
                "sandbox",
                f"bubblewrap does not work here ({output}). It needs version 0.8 or newer and "
                "user namespaces (sysctl user.max_user_namespaces).",
            )

    async def open(self, spec: SandboxSpec) -> SandboxSession:
        """Open a session. Raises ``Outage`` if the kernel refuses or the image is missing."""
        return await self._open(spec, self._find(spec.image))

    async def prepare(self, spec: SandboxSpec, setup: Setup, fill: Fill, ran: Ran = unheard) -> str:
        """Run setup commands once and keep what they make; return the folder that holds it."""
        image = self._find(spec.image)
        key = setup_key(_identity(image.root), setup)
        async with self._turns[key]:
            kept = self._kept.find(setup.project, key)
            return str(kept or await self._make(spec, image, setup, key, fill, ran))

    async def sweep(self) -> int:
        """Remove all sessions of this owner and old results of setup, before the first ``open``."""
        await asyncio.to_thread(self._kept.tidy)
        left = await asyncio.to_thread(lambda: list(self._parent.glob(f"{self._prefix}*")))
        for folder in left:
            await asyncio.to_thread(remove_session, folder)
        return len(left)

    async def _make(
        self,
        spec: SandboxSpec,
        image: _Image,
        setup: Setup,
        key: str,
        fill: Fill,
        ran: Ran,
    ) -> Path:
        with self._kept.making(setup.project, key, about=str(image.root or "")) as kept:
            _give(made(kept))
            spec = replace(spec, network=setup.network)
            session = await self._open(spec, replace(image, kept=made(kept)), writable=True)
            try:
                await fill(session)
                await run_setup(session, setup, ran)
            finally:
                await session.close()
        return kept

    async def _open(
        self, spec: SandboxSpec, image: _Image, *, writable: bool = False
    ) -> SandboxSession:
        try:
            folder = Path(tempfile.mkdtemp(prefix=self._prefix, dir=self._parent))
            fill_folder(folder)
            _give(folder)
        except OSError as error:
            raise Outage("sandbox", f"No folder can be made in {self._parent}: {error}") from error
        binds = {image.root: ROOT, image.kept: KEPT}
        plan = SessionPlan(
            folder=folder,
            binds={path: name for path, name in binds.items() if path},
            view=view_options(folder, image.root, network=spec.network, writable=writable),
            environment=_environment(image, writable=writable),
            spec=spec,
        )
        return await open_session(plan)

    def _find(self, name: str) -> _Image:
        """Find what a name means. Raises ``Outage`` when there is nothing of that name."""
        path = Path(name or self._image)
        if name and self._kept.holds(path):
            base = self._kept.about(path)
            return _Image(Path(base) if base else None, made(path))
        if not name and not self._image:
            return _Image(None)
        if path.is_absolute() and (path / "usr").is_dir():
            return _Image(path)
        raise Outage(
            "sandbox",
            f"{path} is not a folder with a prepared root, and bubblewrap has no other images. "
            "Make one (scripts/sandbox-root FOLDER in Cairn's repository), or remove "
            "sandbox.image from the repository's configuration.",
        )


def _environment(image: _Image, *, writable: bool) -> dict[str, str]:
    kept = environment_of(PREPARED, PATH) if image.kept else {"PATH": PATH}
    return _ENVIRONMENT | kept | (setup_environment(PREPARED) if writable else {})


def _identity(root: Path | None) -> str:
    """Distinguish roots, and the same root before and after programs were installed."""
    base = root or Path("/")
    folders = [base / name for name in ("usr/bin", "usr/lib", "usr/local/bin")]
    times = [folder.stat().st_mtime_ns for folder in folders if folder.is_dir()]
    return f"{base} {times}"


def _give(folder: Path) -> None:
    """Give the session its folder: if we are root, it runs as another user."""
    if is_root():
        for path in (folder, *folder.iterdir()):
            os.chown(path, STRANGER, STRANGER)
