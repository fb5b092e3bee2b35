"""Choose the sandbox: the one asked for, or the best that works. Its output is masked here."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

from runner.errors import Outage, TaskError
from runner.ports import (
    CommandResult,
    Fill,
    HostSession,
    Ran,
    Sandbox,
    SandboxSession,
    SandboxSpec,
    Serve,
    Setup,
    led,
    unheard,
)
from runner.retrying import TryAgain, retrying
from runner.text.mask import Mask

INSTALLABLE = "bubblewrap or Docker" if sys.platform == "linux" else "Docker"


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxChoice:
    """The sandbox and, for people, which one it is, and why those before it do not work."""

    sandbox: Sandbox
    reason: str
    refusals: tuple[str, ...] = ()


async def choose_sandbox(choice: str, *, candidates: Sequence[Sandbox]) -> SandboxChoice:
    """Take the candidate named ``choice``, or with ``auto`` the first that works.

    ``candidates`` are in order of preference; one that may not be used (``process`` on a server
    that does not allow it) is simply not among them. Raises ``Outage`` when none works; a sandbox
    asked for by name is never replaced by another.
    """
    named = [s for s in candidates if choice in ("auto", s.name)]
    if not named:
        names = ", ".join(s.name for s in candidates) or "none"
        raise Outage("sandbox", f"The sandbox {choice} cannot be used here (possible: {names}).")
    refusals: list[str] = []
    for sandbox in named:
        try:
            await sandbox.check()
        except Outage as outage:
            if choice != "auto":
                raise
            refusals.append(f"{sandbox.name}: {outage.message}")
        else:
            reason = _reason(sandbox.name, choice)
            return SandboxChoice(sandbox=sandbox, reason=reason, refusals=tuple(refusals))
    raise Outage("sandbox", "No sandbox works. " + " ".join(refusals))


def _reason(name: str, choice: str) -> str:
    if name != "process":
        why = "as configured" if choice == name else "the first that works"
        return f"The sandbox is {name} ({why})."
    bare = "The sandbox is process: what runs in it has your rights on this machine."
    if choice == name:
        return bare
    return f"{bare} Install {INSTALLABLE} to isolate it."


_AT_ONCE = 20_000  # bytes; masking more takes a thread


class MaskedSandbox:
    """The ``Sandbox`` port around another one."""

    def __init__(
        self,
        inner: Sandbox,
        mask: Mask,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._inner = inner
        self._mask = mask
        self._sleep = sleep

    @property
    def name(self) -> str:
        """The name of the sandbox that runs the commands."""
        return self._inner.name

    @property
    def installed(self) -> bool:
        """Whether the inner one has what the user has installed."""
        return self._inner.installed

    async def check(self) -> None:
        """Raise ``Outage`` with what to do when it does not work."""
        await self._inner.check()

    async def open(self, spec: SandboxSpec) -> SandboxSession:
        """Open a session whose output is masked; an engine that is gone may soon be back."""
        inner = await self._opened(spec)
        if isinstance(inner, HostSession):
            return _MaskedHostBox(inner, self._mask)
        return _MaskedBox(inner, self._mask)

    async def _opened(self, spec: SandboxSpec) -> SandboxSession:
        try:
            async for attempt in retrying("sandbox", spec.retry, sleep=self._sleep):
                with attempt:
                    try:
                        return await self._inner.open(spec)
                    except Outage as outage:
                        raise TryAgain(outage) from outage
        except TryAgain as gone:
            raise gone.outage from gone
        raise AssertionError("tenacity returns or raises")

    async def prepare(self, spec: SandboxSpec, setup: Setup, fill: Fill, ran: Ran = unheard) -> str:
        """Run the setup commands; the output that an error quotes is masked."""
        try:
            return await self._inner.prepare(spec, setup, fill, ran)
        except TaskError as error:
            raise TaskError(error.kind, self._mask(error.message)) from None

    async def kept(self) -> int:
        """Return how many bytes the results of setup commands take."""
        return await self._inner.kept()

    async def sweep(self) -> int:
        """Remove what killed workers left behind."""
        return await self._inner.sweep()


class NoSandbox:
    """The ``Sandbox`` port of a process that runs no code."""

    name, installed = "none", False

    async def check(self) -> None:
        """Nothing can be wrong with it."""

    async def open(self, spec: SandboxSpec) -> SandboxSession:
        """Raise ``Outage``."""
        raise Outage("sandbox", "This process runs no code.")

    async def prepare(self, spec: SandboxSpec, setup: Setup, fill: Fill, ran: Ran = unheard) -> str:
        """Raise ``Outage``."""
        raise Outage("sandbox", "This process runs no code.")

    async def kept(self) -> int:
        """Return that it keeps nothing."""
        return 0

    async def sweep(self) -> int:
        """Leave the sandboxes of others alone."""
        return 0


class _MaskedBox:
    def __init__(self, inner: SandboxSession, mask: Mask) -> None:
        self._inner = inner
        self._mask = mask

    async def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", timeout: float | None = None
    ) -> CommandResult:
        result = await self._inner.run(argv, stdin=stdin, timeout=timeout)
        if len(result.stdout) + len(result.stderr) > _AT_ONCE:
            return await asyncio.to_thread(self._masked, result)
        return self._masked(result)

    def led(self, serve: Serve) -> AbstractAsyncContextManager[str]:
        return led(self._inner, serve)

    async def renew(self) -> bool:
        return await self._inner.renew()

    async def close(self) -> None:
        await self._inner.close()

    def _masked(self, result: CommandResult) -> CommandResult:
        return replace(
            result, stdout=self._without(result.stdout), stderr=self._without(result.stderr)
        )

    def _without(self, output: bytes) -> bytes:
        text = output.decode("utf-8", "surrogateescape")
        return self._mask(text).encode("utf-8", "surrogateescape")


class _MaskedHostBox(_MaskedBox):
    def __init__(self, inner: HostSession, mask: Mask) -> None:
        super().__init__(inner, mask)
        self._host = inner

    @property
    def prepared(self) -> bool:
        return self._host.prepared

    async def fill(self, files: Mapping[str, tuple[str, bytes]]) -> None:
        await self._host.fill(files)
