"""What an OpenAI-compatible endpoint sends with status 200, reduced at the door.

Servers differ, so only what is used is read: unknown fields are ignored, a missing or odd
``usage`` is no error, and everything else that is wrong is a ``Transient`` fault.
https://platform.openai.com/docs/api-reference/chat/object
https://platform.openai.com/docs/api-reference/embeddings/create
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ValidationError

from runner.adapters.openai_errors import Transient

_SAID_NOTHING = frozenset({"length", "content_filter"})
"""With these finish reasons an answer without content is an answer, not a fault."""


class _Part(BaseModel):
    text: str = ""


class _Message(BaseModel):
    content: str | list[_Part] | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Body(BaseModel):
    choices: list[_Choice] | None = None
    model: str | None = None
    usage: object = None
    error: object = None


class _Vector(BaseModel):
    embedding: list[float]
    index: int = 0


class _Vectors(BaseModel):
    data: list[_Vector]
    usage: object = None


@dataclass(frozen=True, slots=True)
class Vectors:
    """A vector for each text; the count is None when the endpoint did not tell it."""

    vectors: tuple[list[float], ...]
    tokens: int | None


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer; token counts are None when the endpoint did not tell them."""

    text: str
    finish_reason: str
    model: str
    prompt_tokens: int | None
    completion_tokens: int | None


def read_reply(body: bytes) -> Reply:
    """Read the body of a chat completion. Raises ``Transient`` when it is no whole answer."""
    try:
        parsed = _Body.model_validate_json(body)
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        raise Transient(f"a reply that is cut off or no chat completion ({reason})") from error
    if parsed.choices is None and parsed.error is not None:
        raise Transient(f"an error with status 200: {str(parsed.error)[:300]}")
    if not parsed.choices:
        raise Transient("a reply without choices", task=True)
    text, finish_reason = _said(parsed.choices[0])
    counts = _count(parsed.usage, "prompt_tokens"), _count(parsed.usage, "completion_tokens")
    return Reply(text, finish_reason, parsed.model or "", *counts)


def read_vectors(body: bytes, texts: int) -> Vectors:
    """Read the body of an answer to so many texts. Raises ``Transient`` when it is no whole one."""
    try:
        parsed = _Vectors.model_validate_json(body)
    except ValidationError as error:
        raise Transient(f"no embeddings ({error.errors()[0]['msg']})") from error
    if len(parsed.data) != texts:
        raise Transient(f"{len(parsed.data)} embeddings for {texts} texts")
    ordered = sorted(parsed.data, key=lambda vector: vector.index)
    return Vectors(tuple(v.embedding for v in ordered), _count(parsed.usage, "prompt_tokens"))


def _said(choice: _Choice) -> tuple[str, str]:
    message, reason = choice.message, choice.finish_reason or "stop"
    if message.refusal and not message.content:
        return message.refusal, "content_filter"
    if isinstance(message.content, list):
        return "".join(part.text for part in message.content), reason
    if message.content is None and reason not in _SAID_NOTHING:
        raise Transient("a reply without content", task=True)
    return message.content or "", reason


def _count(usage: object, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and value >= 0 else None
