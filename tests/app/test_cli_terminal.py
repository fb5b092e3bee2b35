"""``cairn run`` on a real terminal: it asks, and Ctrl-C leaves it for later."""

from __future__ import annotations

import asyncio
import os
import pty
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.app.checkout import Checkout, checkout, interruptible
from tests.scenarios.proposing import BROKEN, STUCK


@dataclass
class Terminal:
    """A process with a terminal of its own; ``shown`` is all it printed there."""

    process: asyncio.subprocess.Process
    screen: int
    shown: str = ""

    async def until(self, words: str) -> None:
        """Wait until it shows these."""
        while words not in self.shown:
            self.shown += (await asyncio.to_thread(os.read, self.screen, 4096)).decode()

    def types(self, text: str) -> None:
        """Type."""
        os.write(self.screen, text.encode())

    async def ended(self) -> int:
        """Wait for its end; what it still printed is shown."""
        try:
            while True:
                self.shown += (await asyncio.to_thread(os.read, self.screen, 4096)).decode()
        except OSError:  # the last one closed the terminal
            return await self.process.wait()


@pytest.fixture
async def stuck(tmp_path: Path) -> AsyncIterator[Checkout]:
    """A checkout with a task that is handed over to people."""
    files = {path: content for path, content in STUCK.items() if isinstance(content, bytes)}
    async with checkout(tmp_path / "here", files) as here:
        here.model.when(contains="A programmer could not finish").says("unknown\nNobody knows.")
        here.model.when(contains="`table.json`").says(BROKEN, repeat_last=True)
        yield here


async def begun(here: Checkout) -> Terminal:
    """Start ``cairn run`` there."""
    screen, own = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "app", "run"),
        cwd=here.folder,
        env={**here.environment, "TERM": "xterm", "COLUMNS": "100"},
        stdin=own,
        stdout=own,
        stderr=own,
        start_new_session=True,
        preexec_fn=interruptible,
    )
    os.close(own)
    return Terminal(process, screen)


async def test_the_person_is_asked(stuck: Checkout) -> None:
    """The proposal is shown with its question; the answer is applied at once; 1 (skipped)."""
    terminal = await begun(stuck)
    await terminal.until("Apply it?")

    terminal.types("s\n")

    assert await terminal.ended() == 1
    assert "ESCALATE" in terminal.shown
    assert stuck.left("report.json")["tasks"]["skipped"] == 1
    assert stuck.left("report.json")["decisions"][0]["channel"] == "prompt"


async def test_not_now(stuck: Checkout) -> None:
    """Enter leaves it waiting, and what to type later is said; 3."""
    terminal = await begun(stuck)
    await terminal.until("Apply it?")

    terminal.types("\n")

    assert await terminal.ended() == 3
    assert "To decide: cairn approve" in terminal.shown


async def test_ctrl_c_at_the_question(stuck: Checkout) -> None:
    """An interrupt leaves it waiting as well; 130. It can be decided and resumed."""
    terminal = await begun(stuck)
    await terminal.until("Apply it?")

    terminal.process.send_signal(signal.SIGINT)

    assert await terminal.ended() == 130
    assert (await stuck.cairn("approve", "--resume")).code == 1
