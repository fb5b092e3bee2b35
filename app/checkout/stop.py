"""Ctrl-C: the first stops a run at the next safe place, the second at once."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from app.checkout.text import STOPPED, STOPPING
from runner.errors import Outage

KIND = "interrupt"
"""The kind of the outage that an interrupt is to a run."""

log = logging.getLogger(__name__)


class Interrupts:
    """The ``Control`` port where nobody can give orders but by Ctrl-C."""

    def __init__(self) -> None:
        self._stopping = False

    async def check(self, run: str) -> None:
        """Raise ``Outage`` once the run is to stop: what it has got so far is saved."""
        if self._stopping:
            raise Outage(KIND, STOPPED)

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Listen inside a running event loop; the second interrupt ends what the loop does."""
        loop, before = asyncio.get_running_loop(), signal.getsignal(signal.SIGINT)
        if not callable(before):  # ignored, as in the background of a shell: it stays so
            yield
            return

        def restored() -> None:
            if loop.remove_signal_handler(signal.SIGINT):
                signal.signal(signal.SIGINT, before)

        def first() -> None:
            restored()
            self._stopping = True
            log.warning(STOPPING)

        loop.add_signal_handler(signal.SIGINT, first)
        try:
            yield
        finally:
            restored()
