"""No check may end a run, or take minutes of it: what fails or comes too late is left out."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

_BUGS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What wrong code of a check raises; what the outside world raises goes on."""

MAX_SECONDS = 20.0
"""Of processor time for all checks of an answer: a file of 1 MB takes about 5 of them."""


@dataclass
class CheckTime:
    """How long the checks of an answer took (``spent``, in seconds) and which were ``left_out``."""

    spent: float = 0.0
    left_out: list[str] = field(default_factory=list)
    clock: Callable[[], float] = time.thread_time


_TIME: ContextVar[CheckTime | None] = ContextVar("time_of_checks", default=None)


@contextmanager
def time_for_checks(clock: Callable[[], float] = time.thread_time) -> Iterator[CheckTime]:
    """Give all checks within the block ``MAX_SECONDS`` together, also those in its threads.

    A check that runs is not interrupted: nothing in Python can stop a regular expression. So an
    answer costs at most the limit and the one check that was running when it was over.
    ``clock`` counts the seconds of the thread that asks.
    """
    used = CheckTime(clock=clock)
    before = _TIME.set(used)
    try:
        yield used
    finally:
        _TIME.reset(before)


def said_by(check: Callable[P, Iterable[T]], *args: P.args, **options: P.kwargs) -> tuple[T, ...]:
    """Return all that a check says about an answer; nothing where it fails or has no time left.

    Only for checks that judge what an answer does, never for those that keep files safe.
    """
    used = _TIME.get() or CheckTime()
    if used.spent > MAX_SECONDS:
        log.warning("Left out the check %s: those before it took %.0f s", _name(check), used.spent)
        used.left_out.append(_name(check))
        return ()
    start = used.clock()
    try:
        return tuple(check(*args, **options))
    except _BUGS:
        log.exception("The check %s failed on an answer and was left out", _name(check))
        return ()
    finally:
        used.spent += used.clock() - start


def _name(check: Callable[..., object]) -> str:
    return f"{check.__module__}.{check.__name__}"
