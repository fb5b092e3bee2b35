"""What an OpenAI-compatible endpoint's refusal means for a run: pure, no I/O, no SDK.

Transient   worth another try (rate limit, overload, a cut answer, no connection)
Refused     the endpoint answered with an error status; ``meaning`` translates it

Statuses and codes: https://platform.openai.com/docs/guides/error-codes

"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from runner.errors import Outage, PortError, TaskError
from runner.retrying import Again

HEALS_AFTER = timedelta(minutes=5)
"""How long an endpoint that failed every try is left alone before a run may continue."""

_TOO_LONG = re.compile(
    r"context.{0,3}(length|window|size)|maximum context|prompt is too long|too many tokens", re.I
)
_MAY_NOT = re.compile(r"scope|permission", re.I)
_RETRIED = frozenset({408, 409, 425, 429})


class Transient(Again):
    """This try failed and the next may not.

    ``kind`` is the word of the outage it becomes when no try is left; ``task`` marks an answer that
    only this question gets.
    """

    spread = 1.0  # so that not all that were refused come back at the same moment

    def __init__(
        self,
        message: str,
        *,
        kind: str = "model",
        retry_after: float | None = None,
        task: bool = False,
    ) -> None:
        super().__init__(message, kind=kind, retry_after=retry_after)
        self.task = task

    def final(self, *, endpoint: str, tries: int, now: datetime) -> PortError:
        """Return what this is when no try is left: an outage, or this task's own failure."""
        count = "" if tries == 1 else f" {tries} times, the last time with"
        if self.task:
            text = f"the model endpoint {endpoint} gave no usable answer{count}: {self.message}"
            return TaskError("model", text)
        text = f"the model endpoint {endpoint} failed{count}: {self.message}"
        asked = timedelta(seconds=self.retry_after or 0)
        if asked > HEALS_AFTER:
            text = f"{text}. It asks to wait until {now + asked:%Y-%m-%d %H:%M} UTC"
        return Outage(self.kind, text, until=now + max(asked, HEALS_AFTER))


@dataclass(eq=False)  # not frozen: Python itself writes to an exception that is raised
class ErrorStatus(Exception):
    """An error status; ``code`` and ``param`` as the endpoint names them, '' when it does not."""

    status: int
    message: str
    code: str = ""
    param: str = ""
    retry_after: float | None = None

    def __str__(self) -> str:
        return self.message

    @property
    def parameter_at_fault(self) -> bool:
        """Say whether the question's parameters may be the reason."""
        return self.status in (400, 422) and not self.too_long

    @property
    def unknown_model(self) -> bool:
        """Say whether this address does not have the model."""
        return self.status in (404, 405, 410) or self.code == "model_not_found"

    @property
    def bad_key(self) -> bool:
        """Say whether the key itself is wrong, rather than what it may be used for.

        A key of OpenAI may be good for questions and not for the list of models ("missing scopes").
        """
        return self.status == 401 and not _MAY_NOT.search(self.message)

    @property
    def too_long(self) -> bool:
        """Say whether the question is too long for the model's context."""
        return self.status == 413 or bool(
            self.code == "context_length_exceeded" or _TOO_LONG.search(self.message)
        )


def meaning(
    refused: ErrorStatus, *, model: str, endpoint: str, offer: str = ""
) -> PortError | Transient:
    """Translate an error status into what the loop can work with.

    ``offer`` says which models exist, if the model is not one of them.
    """
    if refused.status == 402 or refused.code == "insufficient_quota":
        return Outage(
            "budget",
            f"the account at {endpoint} has no quota left: {refused.message}. Add credit or use "
            "another OPENAI_API_KEY",
        )
    if refused.status in _RETRIED or refused.status >= 500:
        kind = "rate_limit" if refused.status == 429 else "model"
        return Transient(refused.message, kind=kind, retry_after=refused.retry_after)
    if refused.status in (401, 403):
        return Outage(
            "credential",
            f"the model endpoint {endpoint} does not accept the key in OPENAI_API_KEY for {model}: "
            f"{refused.message}. Correct the key (or OPENAI_BASE_URL)",
        )
    if refused.unknown_model:
        return Outage(
            "model_name",
            f"the endpoint {endpoint} has no model {model}: {refused.message}. "
            + (f"{offer} " if offer else "")
            + "Correct the name (CAIRN_MODEL, --model, or `model` in .github/cairn.yml) or "
            "OPENAI_BASE_URL",
        )
    if refused.too_long:
        return TaskError(
            "model",
            f"the question is too long for {model}: {refused.message}. Name fewer or smaller files "
            "in the task, or use a model with a larger context",
        )
    if refused.code == "content_filter":
        return TaskError("model", f"{model} refuses this question: {refused.message}")
    return TaskError("model", f"the model endpoint refused the question: {refused.message}")
