"""``cairn serve`` and ``cairn worker`` as processes of their own, which can be killed."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import SecretStr

from app.settings import ServerSettings
from tests.plain_python import plain_path
from tests.scenarios.bot import Bot


@dataclass
class Process:
    """A server that listens; ``lines`` are what it has logged so far.

    ``unread`` are those that ``until`` has not returned or passed over: what an earlier process
    left may be done before the server listens.
    """

    process: asyncio.subprocess.Process
    lines: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    async def until(self, words: str) -> str:
        """Read the log up to a line with these words; fails when the process ends before."""
        assert self.process.stderr is not None
        while self.unread:
            if words in (line := self.unread.pop(0)):
                return line
        async for raw in self.process.stderr:
            self.lines.append(raw.decode(errors="replace").rstrip())
            if words in self.lines[-1]:
                return self.lines[-1]
        raise AssertionError(f"never said {words!r}:\n" + "\n".join(self.lines))

    async def end(self, number: signal.Signals = signal.SIGKILL) -> int:
        """Send a signal and wait for the end; the exit code."""
        if self.process.returncode is None:
            self.process.send_signal(number)
        return await self.process.wait()


@asynccontextmanager
async def serving(bot: Bot, *options: str) -> AsyncIterator[Process]:
    """Start ``cairn serve`` and wait until it listens; leaving kills it."""
    async with _started(bot, "serve", *options) as process:
        address = (await process.until("Listening on ")).rpartition(" ")[2]
        bot.github.webhook_url = f"{address}/webhook"
        process.unread = process.lines[:-1]
        try:
            yield process
        finally:
            bot.github.webhook_url = None


@asynccontextmanager
async def working(bot: Bot, *options: str, folder: Path) -> AsyncIterator[Process]:
    """Start ``cairn worker`` with a data folder of its own, and wait until it works."""
    own = replace(bot, settings=bot.settings.model_copy(update={"cairn_data_dir": folder}))
    async with _started(own, "worker", *options) as process:
        await process.until("Working on up to")
        yield process


@asynccontextmanager
async def _started(bot: Bot, *command: str) -> AsyncIterator[Process]:
    process = Process(
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "app", *command),
            env=environment(bot.settings),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
    )
    try:
        yield process
    finally:
        await process.end()


def environment(settings: ServerSettings) -> Mapping[str, str]:
    """The environment that says the same as the settings, on a free port and this engine."""
    names = set(settings.model_fields_set)
    if _plain(settings.database_url).startswith("sqlite"):  # follows from the data folder
        names.discard("database_url")
    values = {name.upper(): _plain(getattr(settings, name)) for name in names}
    path = plain_path(Path(sys.executable).parent)
    engine = {name: os.environ[name] for name in ("DOCKER_HOST",) if name in os.environ}
    return {"PATH": path, "PORT": "0", **engine, **values}


def _plain(value: object) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else str(value)
