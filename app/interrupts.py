"""Ctrl-C: whatever a command does, it ends within two seconds, and what it says then is true."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, TypeVar

from app.terminal import printable, say
from runner.errors import Outage

KIND = "interrupt"
"""The kind of the outage that an interrupt is to a run."""

STOPPED = "it was interrupted (Ctrl-C)"
STOPPING = (
    "Stopping after the current step if that ends within a second, so that an answer you pay for "
    "is kept. Press Ctrl-C again to stop at once."
)
CODE = 130
_PATIENCE = 1.2
_LIMIT = 1.8
"""Seconds after Ctrl-C: what is at work is cancelled, and the process ends whatever it does."""

_FAREWELL = 0.2
"""Seconds that the last words may take."""

_SHOW_CURSOR = "\x1b[?25h"
_Result = TypeVar("_Result")
log = logging.getLogger(__name__)


def heard_enough() -> None:
    """Ignore Ctrl-C from now on: the end is being said, and nothing cuts that off."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class Interrupts:
    """Runs a command's work, and is the ``Control`` port where nobody but Ctrl-C can stop a run.

    ``last_words`` says how things stand when it was ended.
    """

    def __init__(self, last_words: Callable[[], str]) -> None:
        self._last_words = last_words
        self._heard = 0
        self._patient = False
        self._stopping = self._stopped = False
        self._work: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None
        self._cancelling: asyncio.TimerHandle | None = None
        self._limit: threading.Timer | None = None

    async def check(self, run: str) -> None:
        """Raise ``Outage`` once the run is to stop: what it has got so far is saved."""
        if self._stopping:
            self._stopped = True
            raise Outage(KIND, STOPPED)

    @contextmanager
    def patient(self) -> Iterator[None]:
        """Let the first Ctrl-C wait a moment for the step at work: ``check`` stops after it.

        What follows where it has ended in time is short, and not cut off.
        """
        self._patient = True
        try:
            yield
        finally:
            self._patient = False
        if self._cancelling:
            self._cancelling.cancel()
        if self._limit:
            self._limit.cancel()
            self._limit = None

    def run(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """Do what ``asyncio.run`` does. Raises ``KeyboardInterrupt`` where Ctrl-C ended it.

        Where Ctrl-C ended or stopped the work, it is ignored from then on.
        """
        before = signal.getsignal(signal.SIGINT)
        if not callable(before):  # ignored, as in the background of a shell: it stays so
            return asyncio.run(work)
        signal.signal(signal.SIGINT, self._on_signal)
        try:
            return asyncio.run(self._known(work))
        except asyncio.CancelledError:
            if not self._heard:
                raise
            self._stopped = True
            raise KeyboardInterrupt from None
        finally:
            if self._limit:
                self._limit.cancel()
            signal.signal(signal.SIGINT, signal.SIG_IGN if self._stopped else before)

    async def _known(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - this is one
        self._work = asyncio.get_running_loop(), task
        return await work

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._heard += 1
        if self._work is None:
            raise KeyboardInterrupt
        if self._limit is None:
            # in a thread: the loop may be busy, or wait for a thread that cannot be ended
            self._limit = threading.Timer(_LIMIT, self._end)
            self._limit.daemon = True
            self._limit.start()
        with suppress(RuntimeError):  # the loop has ended meanwhile
            self._work[0].call_soon_threadsafe(self._stop)

    def _stop(self) -> None:
        assert self._work is not None  # noqa: S101 - set before anything can call this
        loop, task = self._work
        if self._patient and self._heard == 1:
            self._stopping = True
            log.warning(STOPPING)
            self._cancelling = loop.call_later(_PATIENCE, task.cancel)
        else:
            task.cancel()

    def _end(self) -> None:
        """End all that was started, and the process, whatever it is doing."""
        from runner.sandbox.bubblewrap_session import descendants

        # what follows can raise, or wait for somebody who does not read what is printed
        threading.Timer(_FAREWELL, os._exit, (CODE,)).start()
        try:
            for pid in list(descendants(os.getpid())):
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            if sys.stderr.isatty():
                say(_SHOW_CURSOR, end="", stream=sys.stderr)
            say(printable(self._last_words()), stream=sys.stderr)
        finally:
            os._exit(CODE)
