"""No check may end a run: one that fails itself is logged, and what it would say is left out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

_BUGS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What wrong code of a check raises; what the outside world raises goes on."""


def said_by(check: Callable[P, Iterable[T]], *args: P.args, **options: P.kwargs) -> tuple[T, ...]:
    """Return all that a check says about an answer; nothing where the check itself fails.

    Only for checks that judge what an answer does, never for those that keep files safe.
    """
    try:
        return tuple(check(*args, **options))
    except _BUGS:
        name = f"{check.__module__}.{check.__name__}"
        log.exception("The check %s failed on an answer and was left out", name)
        return ()
