"""A listener that fails must not harm what it listens to."""

from __future__ import annotations

import asyncio

import pytest

from runner.loop.recorder import Isolated
from runner.state.events import Event


class Listener:
    """Hears of events until it fails."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.heard: list[Event] = []
        self._error = error

    async def emit(self, event: Event) -> None:
        """Note the event, then fail if this listener does."""
        self.heard.append(event)
        if self._error is not None:
            raise self._error


async def test_a_listener_hears_of_everything():
    """Without an error it is as if nothing stood between."""
    listener, first, second = Listener(), Event("r1", "t1"), Event("r1", "t1")
    isolated = Isolated(listener)

    await isolated.emit(first)
    await isolated.emit(second)

    assert listener.heard == [first, second]


async def test_a_listener_that_fails_is_logged_once_and_left_out(caplog):
    """Its bug reaches the log, not the run; it is not asked to try again."""
    listener = Listener(ValueError("a bug"))
    isolated = Isolated(listener)

    await isolated.emit(Event("r1", "t1"))
    await isolated.emit(Event("r1", "t1"))

    assert len(listener.heard) == 1
    (logged,) = caplog.records
    assert "Listener failed" in logged.getMessage()
    assert "a bug" in str(logged.exc_info)


class Endless(Listener):
    """Never comes back by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.began = asyncio.Event()

    async def emit(self, event: Event) -> None:
        """Wait for ever."""
        self.began.set()
        await asyncio.Event().wait()


async def test_a_cancelled_run_is_cancelled():
    """Stopping a run is no error of the listener."""
    listener = Endless()
    task = asyncio.create_task(Isolated(listener).emit(Event("r1", "t1")))
    await listener.began.wait()

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
