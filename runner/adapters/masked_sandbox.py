"""A sandbox whose output holds no secrets: nothing behind it ever sees them.

What a command prints goes into verdicts, and from there into prompts, comments, pull requests and
the database. It is masked here once, before any of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from runner.errors import TaskError
from runner.masking import Mask
from runner.ports import Box, BoxSpec, CommandResult, Sandbox, Setup

_AT_ONCE = 20_000  # bytes; masking more takes a thread


class MaskedSandbox:
    """The ``Sandbox`` port around another one."""

    def __init__(self, inner: Sandbox, mask: Mask) -> None:
        self._inner = inner
        self._mask = mask

    @property
    def name(self) -> str:
        """The name of the sandbox that runs the commands."""
        return self._inner.name

    async def check(self) -> None:
        """Raise ``Outage`` with what to do when it does not work."""
        await self._inner.check()

    async def open(self, spec: BoxSpec) -> Box:
        """Open a box whose output is masked."""
        return _MaskedBox(await self._inner.open(spec), self._mask)

    async def prepare(
        self, spec: BoxSpec, setup: Setup, fill: Callable[[Box], Awaitable[None]]
    ) -> str:
        """Run the setup commands; the output that an error quotes is masked."""
        try:
            return await self._inner.prepare(spec, setup, fill)
        except TaskError as error:
            raise TaskError(error.kind, self._mask(error.message)) from None

    async def sweep(self) -> int:
        """Remove what killed workers left behind."""
        return await self._inner.sweep()


class _MaskedBox:
    def __init__(self, inner: Box, mask: Mask) -> None:
        self._inner = inner
        self._mask = mask

    async def run(
        self, argv: Sequence[str], *, stdin: bytes = b"", timeout: float | None = None
    ) -> CommandResult:
        result = await self._inner.run(argv, stdin=stdin, timeout=timeout)
        if len(result.stdout) + len(result.stderr) > _AT_ONCE:
            return await asyncio.to_thread(self._masked, result)
        return self._masked(result)

    async def close(self) -> None:
        await self._inner.close()

    def _masked(self, result: CommandResult) -> CommandResult:
        return replace(
            result, stdout=self._without(result.stdout), stderr=self._without(result.stderr)
        )

    def _without(self, output: bytes) -> bytes:
        text = output.decode("utf-8", "surrogateescape")
        return self._mask(text).encode("utf-8", "surrogateescape")
