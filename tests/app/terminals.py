"""``cairn run`` on a terminal of its own, typed at and looked at like a real one."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import struct
import sys
import termios
from dataclasses import dataclass

from tests.app.checkout import Checkout, interruptible

HIDES, SHOWS = "\x1b[?25l", "\x1b[?25h"
"""What hides the cursor, and what shows it again."""


@dataclass
class Terminal:
    """A process with a terminal of its own; ``shown`` is all it printed there."""

    process: asyncio.subprocess.Process
    screen: int
    shown: str = ""

    async def until(self, words: str) -> None:
        """Wait until it shows these."""
        while words not in self.shown:
            self.shown += await self._read()

    async def while_live(self, happened: asyncio.Event) -> None:
        """Read on until something has happened: a terminal nobody reads holds up who writes."""
        while not happened.is_set():
            self.shown += await self._read()

    def types(self, text: str) -> None:
        """Type; Ctrl-C is ``\\x03``."""
        os.write(self.screen, text.encode())

    def resizes(self, columns: int, lines: int) -> None:
        """Give the window another size."""
        _size(self.screen, columns, lines)

    async def ended(self) -> int:
        """Wait for its end; what it still printed is shown."""
        try:
            while True:
                self.shown += await self._read()
        except OSError:  # the last one closed the terminal
            return await self.process.wait()

    async def _read(self) -> str:
        return (await asyncio.to_thread(os.read, self.screen, 65536)).decode(errors="replace")


async def begun(here: Checkout, *arguments: str, columns: int = 100, **more: str) -> Terminal:
    """Start a command there, ``run`` if none is given; ``more`` are variables."""
    screen, own = pty.openpty()
    _size(own, columns, 24)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "app", *(arguments or ("run",))),
        cwd=here.folder,
        env={**here.environment, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **more},
        stdin=own,
        stdout=own,
        stderr=own,
        start_new_session=True,
        preexec_fn=_owned,
    )
    os.close(own)
    return Terminal(process, screen)


def _owned() -> None:
    """Let keys that are signals reach the process."""
    interruptible()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _size(terminal: int, columns: int, lines: int) -> None:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
