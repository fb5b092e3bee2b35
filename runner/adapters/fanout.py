"""Tell every event to several listeners."""

from __future__ import annotations

from runner.events import Event
from runner.ports import Events


class Fanout:
    """One ``Events`` port out of many, told in order."""

    def __init__(self, *listeners: Events) -> None:
        self._listeners = listeners

    async def emit(self, event: Event) -> None:
        """Tell each listener."""
        for listener in self._listeners:
            await listener.emit(event)
