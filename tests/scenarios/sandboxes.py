"""A sandbox whose engine can be switched off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runner.errors import Outage
from runner.ports import CommandResult, Sandbox, SandboxSession, SandboxSpec

DEAD = Outage("sandbox", "No engine answers. Start it.")


@dataclass
class Switch:
    """``error`` is what goes wrong at every use; ``opened`` and ``closed`` count boxes."""

    error: Exception | None = None
    opened: int = 0
    closed: int = 0

    def check(self) -> None:
        """Raise what goes wrong."""
        if self.error is not None:
            raise self.error


@dataclass
class SwitchedSandbox:
    """A real sandbox behind a switch. ``dies_in_box`` is its end at the next command.

    ``bug`` is raised when a box is closed: after a task's last node no task is to blame.
    """

    real: Sandbox
    switch: Switch
    dies_in_box: bool = False
    bug: Exception | None = None

    @property
    def name(self) -> str:
        return self.real.name

    @property
    def installed(self) -> bool:
        return self.real.installed

    async def check(self) -> None:
        self.switch.check()

    async def open(self, spec: SandboxSpec) -> SandboxSession:
        self.switch.check()
        box = await self.real.open(spec)
        self.switch.opened += 1
        return _Box(box, self)

    async def sweep(self) -> int:
        return await self.real.sweep()


@dataclass
class _Box:
    real: SandboxSession
    sandbox: SwitchedSandbox

    async def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", timeout: float | None = None
    ) -> CommandResult:
        if self.sandbox.dies_in_box:
            self.sandbox.dies_in_box, self.sandbox.switch.error = False, DEAD
        self.sandbox.switch.check()
        return await self.real.run(argv, stdin=stdin, timeout=timeout)

    async def renew(self) -> bool:
        return False

    async def close(self) -> None:
        await self.real.close()
        self.sandbox.switch.closed += 1
        if self.sandbox.bug is not None:
            raise self.sandbox.bug
        self.sandbox.switch.check()
