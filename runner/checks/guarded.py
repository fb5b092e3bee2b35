"""No check may end a run, or take minutes of it: what fails or comes too late is left out."""

from __future__ import annotations

import ctypes
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar

from runner.code.symbols import parsed

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

_BUGS = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What wrong code of a check raises, or Python where no thread can be started for its watch.

What the outside world raises goes on.
"""

MAX_SECONDS = 10.0
"""Of processor time for one check: a file of 1 MB takes about 5 for all of them."""


class _TooLongError(Exception):
    """Is raised within a check whose time is up."""


@dataclass
class CheckTime:
    """How long each check of an answer may take (in seconds), and which were ``left_out``."""

    seconds: float = MAX_SECONDS
    left_out: list[str] = field(default_factory=list)


_TIME: ContextVar[CheckTime | None] = ContextVar("time_of_checks", default=None)


@contextmanager
def time_for_checks(seconds: float = MAX_SECONDS) -> Iterator[CheckTime]:
    """Note which checks within the block, also in its threads, take more than ``seconds``."""
    used = CheckTime(seconds)
    before = _TIME.set(used)
    try:
        yield used
    finally:
        _TIME.reset(before)


def said_by(check: Callable[P, Iterable[T]], *args: P.args, **options: P.kwargs) -> tuple[T, ...]:
    """Return all that a check says about an answer; nothing where it fails or takes too long.

    Only for checks that judge what an answer does, never for those that keep files safe.
    """
    used = _TIME.get() or CheckTime()
    try:
        watch = _Watch(used.seconds)
        try:
            return tuple(check(*args, **options))
        finally:
            watch.close()
    except _TooLongError:
        log.warning("Left out the check %s: it took more than %g s", _name(check), used.seconds)
        used.left_out.append(_name(check))
    except _BUGS:
        log.exception("The check %s failed on an answer and was left out", _name(check))
    return ()


class _Watch:
    """Raises ``_TooLongError`` in the thread that made it when that has worked for some seconds.

    Python raises it before the next line; a single regular expression comes to its end first
    (https://docs.python.org/3/c-api/init.html#c.PyThreadState_SetAsyncExc).
    """

    def __init__(self, seconds: float) -> None:
        self._thread = threading.get_ident()
        self._clock = _clock_of(self._thread)
        self._end = self._clock() + seconds
        self._closed = threading.Lock()
        self._look_in(seconds)

    def close(self) -> None:
        """Let the thread go on; after this nothing is raised."""
        self._closed.acquire()
        self._timer.cancel()

    def _look_in(self, seconds: float) -> None:
        self._timer = threading.Timer(max(seconds, _LOOK), self._look)
        self._timer.daemon = True
        self._timer.start()

    def _look(self) -> None:
        if not self._closed.acquire(blocking=False):
            return
        try:
            left = self._end - self._clock()
            if left > 0 or _is_parsing(self._thread):
                self._look_in(left)
            else:
                late = ctypes.py_object(_TooLongError)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), late)
        except RuntimeError as error:  # no thread can be started
            log.warning("A check goes on without a limit of time: %s", error)
        finally:
            self._closed.release()


_LOOK = 0.05  # seconds


def _clock_of(thread: int) -> Callable[[], float]:
    """What tells how long a thread has worked; a clock on the wall where the system cannot."""
    if sys.platform == "linux":
        clock = time.pthread_getcpuclockid(thread)
        return lambda: time.clock_gettime(clock)
    return time.monotonic


def _is_parsing(thread: int) -> bool:
    """Whether it is in tree-sitter, which does not expect errors; it has a limit of its own."""
    frame = sys._current_frames().get(thread)
    while frame and frame.f_code is not parsed.__code__:
        frame = frame.f_back
    return frame is not None


def _name(check: Callable[..., object]) -> str:
    return f"{check.__module__}.{check.__name__}"
