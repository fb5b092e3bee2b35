"""What a model is asked, and what it answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from runner.retries.policy import RetryPolicy, Tried


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation; ``role`` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Call:
    """How an agent's request is passed on: the path of the API, and Anthropic's ``beta`` header."""

    path: str
    beta: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of the model. ``max_tokens`` bounds the answer.

    ``api`` is the one of OpenAI's that is spoken, ``effort`` how long the model thinks first ('':
    as it is used to), ``more`` what the request says besides in the server's own words. ``seed``
    asks for the same answer to the same question, where the endpoint knows it.
    ``timeout`` is in seconds without a word (None: the endpoint's own); it does not change what is
    asked, so an answer to the same question with another one counts. ``retry`` says how often it is
    tried; ``on_retry`` hears of each try that is followed by another one. ``on_reserved`` hears
    what a budget reserves for it before it is asked: tokens, and USD where money is limited.
    With a ``call`` the only message is the body of a request, and the answer's text all of its
    answer, both in JSON.
    ``spent`` are the USD that the attempt it belongs to has cost so far; None if it belongs to no
    task.
    """

    messages: tuple[Message, ...]
    temperature: float
    max_tokens: int
    model: str = ""
    seed: int | None = None
    api: Literal["chat", "responses"] = "chat"
    effort: str = ""
    more: Mapping[str, object] = field(default_factory=dict)
    call: Call | None = field(default=None, repr=False)
    timeout: float | None = field(default=None, repr=False)
    retry: RetryPolicy = field(default=RetryPolicy(), repr=False, compare=False)
    on_retry: Callable[[Tried], None] | None = field(default=None, repr=False, compare=False)
    spent: float | None = field(default=None, repr=False, compare=False)
    on_reserved: Callable[[int, float | None], Awaitable[None]] | None = field(
        default=None, repr=False, compare=False
    )

    @property
    def text(self) -> str:
        """All of its words, as a person reads them."""
        return "\n\n".join(f"[{m.role}]\n{m.content}" for m in self.messages)


@dataclass(frozen=True, slots=True)
class Answer:
    """The model's answer. ``finish_reason`` is stop, length, content_filter or the server's word.

    ``cost`` is in USD, None when the price is unknown; ``seconds`` wall time of the last try;
    ``retries`` how many tries failed before it; ``cached`` how many tokens of the prompt came from
    the endpoint's cache.
    """

    text: str
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int
    model: str
    cost: float | None = None
    seconds: float = 0.0
    retries: int = 0
    cached: int = 0
