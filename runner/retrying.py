"""Try something outside again: the one place that counts tries and waits between them."""

from __future__ import annotations

import logging
import random
from collections.abc import Awaitable, Callable
from typing import ClassVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt
from tenacity.wait import wait_exponential_jitter

from runner.errors import Outage
from runner.retries.policy import RetryPolicy, Tried
from runner.state.error_types import error_type

log = logging.getLogger(__name__)


class Again(Exception):
    """This try failed and the next may not; ``kind`` is the word of the failure.

    ``retry_after`` is what the other side asks to wait, in seconds, to which up to ``spread`` are
    added.
    """

    spread: ClassVar[float] = 0.0

    def __init__(self, message: str, *, kind: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.retry_after = retry_after


class TryAgain(Again):
    """What is worth another try after ``seconds`` (None: as the policy says), else an outage."""

    def __init__(self, outage: Outage, seconds: float | None = None) -> None:
        super().__init__(outage.message, kind=outage.kind, retry_after=seconds)
        self.outage = outage


def retrying(
    what: str,
    policy: RetryPolicy,
    *,
    sleep: Callable[[float], Awaitable[None]],
    heard: Callable[[Tried], None] | None = None,
) -> AsyncRetrying:
    """Return what tries as the policy says while ``Again`` is raised, which is raised in the end.

    ``what`` names it in the log. ``heard`` is told of each try that is followed by another one.
    """
    grows = wait_exponential_jitter(
        multiplier=policy.first, max=policy.longest, jitter=policy.jitter
    )

    def may_pass(error: BaseException) -> bool:
        return isinstance(error, Again) and error_type(error.kind) not in policy.never

    def wait(state: RetryCallState) -> float:
        error = _error(state)
        if error.retry_after is None:
            return grows(state)
        return error.retry_after + random.uniform(0, error.spread)  # noqa: S311

    def say(state: RetryCallState) -> None:
        error, seconds = _error(state), state.upcoming_sleep
        nth = f"try {state.attempt_number} of {policy.attempts}"
        log.warning("%s: %s (%s); trying again in %.1f s", what, error.message, nth, seconds)
        if heard:
            heard(Tried(error_type(error.kind), error.message, round(seconds, 3)))

    return AsyncRetrying(
        sleep=sleep,
        retry=retry_if_exception(may_pass),
        stop=stop_after_attempt(policy.attempts),
        wait=wait,
        before_sleep=say,
        reraise=True,
    )


def _error(state: RetryCallState) -> Again:
    error = state.outcome.exception() if state.outcome else None
    if not isinstance(error, Again):
        raise TypeError(f"{error!r} is not to be tried again")
    return error
