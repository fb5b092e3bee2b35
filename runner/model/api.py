"""What the model port needs from an API: one request each, tried once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from runner.model.replies import ChatReply, EmbeddingReply
from runner.prompts.questions import Message


class ModelApi(Protocol):
    """A server of models. All methods but ``close`` raise only ``Transient`` or ``ErrorStatus``.

    Each hides secrets in what it sends. ``OpenAIEndpoint`` is one; tries, costs and learned
    parameters are those of ``OpenAIModel``.
    """

    async def complete(
        self,
        *,
        model: str,
        messages: Iterable[Message],
        parameters: Mapping[str, object],
        timeout: float | None = None,
    ) -> ChatReply:
        """Ask once, within ``timeout`` seconds (None: its own).

        ``parameters`` are in the words of OpenAI's API: ``temperature``, ``max_tokens`` (or
        ``max_completion_tokens``), ``seed``, ``stream``, ``stream_options``, ``response_format``.
        """

    async def offered(self) -> tuple[str, ...] | None:
        """Return the names of the models; None if the server does not list them."""

    async def windows(self) -> dict[str, int]:
        """Return how many tokens a question and its answer may have, of models that say it."""

    async def embed(self, model: str, texts: Sequence[str]) -> EmbeddingReply:
        """Return a vector for each text."""

    async def close(self) -> None:
        """Close the connections; doing it twice is harmless."""
