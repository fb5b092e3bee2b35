"""Work that goes on beside everything else, from the start of a process to its end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine

log = logging.getLogger(__name__)


class BackgroundWork:
    """One task that works until ``stop``; ``quiet`` is set while there is nothing to do.

    ``on_bug`` gets the exception that ends it: nobody waits for this task, and a bug must not pass
    unseen. ``name`` says in the log what has stopped.
    """

    def __init__(self, name: str, on_bug: Callable[[Exception], None] | None = None) -> None:
        self._name, self._on_bug = name, on_bug
        self.quiet = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def begin(self, work: Coroutine[None, None, None]) -> None:
        """Begin to work."""
        self._task = asyncio.create_task(work)
        self._task.add_done_callback(self._ended)

    @property
    def ended(self) -> bool:
        """Whether a bug ended it."""
        return self._task is not None and self._task.done()

    async def idle(self) -> None:
        """Wait until there is nothing to do now."""
        await self.quiet.wait()

    async def stop(self) -> None:
        """Let go of everything; what is stored is worked on at the next start."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _ended(self, task: asyncio.Task[None]) -> None:
        bug = None if task.cancelled() else task.exception()
        if isinstance(bug, Exception):
            log.error("%s stopped because of a bug", self._name, exc_info=bug)
            if self._on_bug:
                self._on_bug(bug)
        self.quiet.set()
