"""A sandbox without a daemon: namespaces by bubblewrap (https://github.com/containers/bubblewrap).

What holds, as root and as an ordinary user (Linux 5.14 or newer): no network, no host files except
programs and libraries (read-only), no host processes, not root, no capabilities, no way to get any,
and on x86-64 and ARM64 none of the calls in ``system_calls``. Workspace and /tmp are tmpfs of
limited size and number of files. Processes are limited by number, each file by size. Time and
output are limited outside the sandbox. A command whose processes together use more memory than
allowed is ended within a fraction of a second; each process may reserve at most 1 GiB more than
that. Only complete processors can be assigned.

With network (for setup commands only) the session has one loopback interface for its commands, on
which a proxy leads to package indexes and nowhere else.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
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
    show_in,
    view_options,
)
from runner.sandbox.bubblewrap_session import (
    BubblewrapSession,
    SessionPlan,
    can_watch,
    open_session,
    remove_session,
)
from runner.sandbox.indexes import led_out, proxy_environment
from runner.sandbox.machine import ShownMachine
from runner.sandbox.prepared import (
    PreparedFolders,
    environment_of,
    in_use,
    made,
    run_setup,
    setup_environment,
    setup_key,
)
from runner.state.options import PREPARED_ROOM

_ENVIRONMENT = {"HOME": "/tmp", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}  # noqa: S108
_BUNDLES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt")
_TRUST = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")
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
        self,
        *,
        owner: str,
        image: str = "",
        prepared: Path,
        parent: Path | None = None,
        shown: Callable[[], ShownMachine] | None = None,
        hosts: Sequence[str] = (),
        room: int = PREPARED_ROOM,
    ) -> None:
        """``parent`` is where the folders of sessions are made (empty for the host).

        ``hosts`` are those that setup may reach besides the public package indexes, ``room`` is for
        what it makes.

        ``shown`` finds, once, what of this machine the sessions without a prepared root show.
        """
        self._image = image if image.startswith("/") else ""
        self._kept = PreparedFolders(prepared.resolve(), room)
        self._parent = parent or Path(tempfile.gettempdir())
        self._prefix = f"cairn-box-{hashlib.sha256(owner.encode()).hexdigest()[:12]}-"
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._shown = shown
        self._hosts = hosts
        self._found: asyncio.Task[ShownMachine] | None = None

    @property
    def installed(self) -> bool:
        """Whether the packages and programs of the user are there."""
        return self._shown is not None and not self._image

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
        shown = await self._showing(image)
        places = [shown.path, *(f"{name} {each}" for name, each in shown.places.items())]
        key = setup_key(" ".join([_identity(image.root), *filter(None, places)]), setup)
        async with self._turns[key]:
            kept = self._kept.find(setup.project, key)
            return str(kept or await self._make(spec, image, setup, key, fill, ran))

    async def kept(self) -> int:
        """Return how many bytes the results of setup commands take."""
        return await asyncio.to_thread(self._kept.used)

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
                async with AsyncExitStack() as network:
                    if setup.network:
                        await network.enter_async_context(led_out(self._hosts, session.led))
                    await run_setup(session, setup, ran)
            finally:
                await session.close()
        await asyncio.to_thread(self._kept.make_room)
        return kept

    async def _open(
        self, spec: SandboxSpec, image: _Image, *, writable: bool = False
    ) -> BubblewrapSession:
        shown = await self._showing(image)
        modules = {} if image.kept else shown.modules
        try:
            folder = Path(tempfile.mkdtemp(prefix=self._prefix, dir=self._parent))
            fill_folder(folder)
            places = show_in(folder, shown.places, modules)
            _give(folder)
            used = in_use(image.kept.parent) if image.kept else None
        except OSError as error:
            raise Outage("sandbox", f"No folder can be made in {self._parent}: {error}") from error
        binds = [(image.root, ROOT), (image.kept, KEPT), *((real, at) for _, real, at in places)]
        view = view_options(folder, image.root, writable=writable)
        plan = SessionPlan(
            folder=folder,
            binds=[(path, name) for path, name in binds if path],
            view=[
                *view,
                *(word for name, _, at in places for word in ("--ro-bind", f"{folder}/{at}", name)),
            ],
            environment=_environment(image, shown, writable=writable)
            | (_certificates() if spec.network and not image.root else {})
            | (proxy_environment() if spec.network else {}),
            spec=spec,
            used=used,
        )
        return await open_session(plan)

    async def _showing(self, image: _Image) -> ShownMachine:
        """What sessions of an image show of this machine, looked at once."""
        if self._shown is None or image.root:
            return ShownMachine()
        if self._found is None:
            self._found = asyncio.create_task(asyncio.to_thread(self._shown))
        return await asyncio.shield(self._found)

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


def _environment(image: _Image, shown: ShownMachine, *, writable: bool) -> dict[str, str]:
    path = ":".join(filter(None, (shown.path, PATH)))
    kept = environment_of(PREPARED, path) if image.kept else {"PATH": path}
    if shown.modules and not image.kept:
        kept["CAIRN_PREPARED"] = PREPARED
    own = shown.variables | kept | (setup_environment(PREPARED) if writable else {})
    return _ENVIRONMENT | own


def _certificates() -> dict[str, str]:
    """What has the tools that bring their own certificates trust those of this machine."""
    bundle = next((path for path in _BUNDLES if Path(path).is_file()), "")
    return dict.fromkeys(_TRUST, bundle) if bundle else {}


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
