"""Listeners of a run that cannot harm it."""

from __future__ import annotations

import asyncio
import logging

from runner.ports import Events
from runner.state.events import Event

log = logging.getLogger(__name__)


class Isolated:
    """A listener that cannot harm what it listens to: after an error it is not told any more."""

    def __init__(self, listener: Events) -> None:
        self._listener = listener
        self._lost = False

    async def emit(self, event: Event) -> None:
        """Tell the listener."""
        if self._lost:
            return
        (result,) = await asyncio.gather(self._listener.emit(event), return_exceptions=True)
        if isinstance(result, Exception):
            self._lost = True
            name = type(self._listener).__name__
            log.error("%s failed and hears of nothing more of this run", name, exc_info=result)
