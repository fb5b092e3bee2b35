"""What the model port needs from an API: one request each, tried once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from runner.model.replies import LONGEST, ChatReply, ListedModel
from runner.prompts.questions import Message


class ModelApi(Protocol):
    """A server of models. All methods but ``close`` raise only ``Transient`` or ``ErrorStatus``.

    ``complete`` also raises ``TaskError``, for an answer without an end.

    Each hides secrets in what it sends. ``OpenAIEndpoint`` is one; tries, costs and learned
    parameters are those of ``OpenAIModel``.
    """

    async def complete(
        self,
        *,
        model: str,
        messages: Iterable[Message],
        parameters: Mapping[str, object],
        longest: int = LONGEST,
        timeout: float | None = None,
        responses: bool = False,
    ) -> ChatReply:
        """Ask once, within ``timeout`` seconds without a word (None: its own).

        ``responses`` asks by the Responses API, where there are two.

        A text of more than ``longest`` characters is cut there (finish reason ``length``).

        ``parameters`` are in the words of OpenAI's API: ``temperature``, ``max_tokens`` (or
        ``max_completion_tokens``), ``seed``, ``stream``, ``stream_options``, ``response_format``.
        """

    async def listed(self, seconds: float) -> tuple[ListedModel, ...] | None:
        """Return the models that the server lists, within ``seconds``; None if it lists none."""

    async def close(self) -> None:
        """Close the connections; doing it twice is harmless."""
