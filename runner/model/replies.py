"""Read what an OpenAI-compatible endpoint sends with status 200, and its list of models.

Servers differ, so only what is used is read: unknown fields are ignored, a missing or odd
``usage`` is not an error, and everything else that is wrong is a ``Transient`` fault. Some
endpoints answer with a bare array of models, and some have no list.
https://platform.openai.com/docs/api-reference/chat/object
https://platform.openai.com/docs/api-reference/models/list
https://openrouter.ai/docs/api-reference/list-available-models
https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import SequenceMatcher
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from runner.model.errors import Transient
from runner.text.sanitize import sendable

B = TypeVar("B", bound=BaseModel)

_SAID_NOTHING = frozenset({"length", "content_filter"})
"""With these finish reasons an answer without content is an answer, not a fault."""

LONGEST = 8_000_000
"""Bytes of a body that is read at once, and of one event of a stream."""


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


class _Change(BaseModel):
    delta: _Message = _Message()
    finish_reason: str | None = None


class _Chunk(BaseModel):
    choices: list[_Change] = []
    model: str | None = None
    usage: object = None
    error: object = None


@dataclass(frozen=True, slots=True)
class ChatReply:
    """One answer; token counts are None if the endpoint did not send them.

    Of those of the prompt, ``cached`` came from the endpoint's cache and ``written`` were put
    there.
    """

    text: str
    finish_reason: str
    model: str
    prompt_tokens: int | None
    completion_tokens: int | None
    cached: int = 0
    written: int = 0


def read_reply(body: bytes, *, longest: int = LONGEST) -> ChatReply:
    """Read the body of a chat completion. Raises ``Transient`` if it is incomplete.

    A text of more than ``longest`` characters is cut there, as if the model had been stopped.
    """
    try:
        parsed = _parsed(_Body, body)
    except ValidationError as error:
        if body.lstrip()[:1] == b"<":
            text = "a web page instead of a chat completion: is OPENAI_BASE_URL right (…/v1)?"
            raise Transient(text) from error
        reason = error.errors()[0]["msg"]
        raise Transient(
            f"a reply that is cut off or is not a chat completion ({reason})"
        ) from error
    if parsed.choices is None and parsed.error is not None:
        raise Transient(f"an error with status 200: {str(parsed.error)[:300]}")
    if not parsed.choices:
        raise Transient("a reply without choices", task=True)
    text, finish_reason = _content_of(parsed.choices[0])
    if len(text) > longest:
        text, finish_reason = text[:longest], "length"
    return counted(text, finish_reason, parsed.model, parsed.usage)


def _parsed(kind: type[B], data: bytes) -> B:
    """Read JSON; half a character, which some servers send, becomes U+FFFD and spoils no more.

    Raises ``ValidationError``.
    """
    try:
        return kind.model_validate_json(data)
    except ValidationError:
        try:
            text = json.dumps(json.loads(data.decode("utf-8", "replace")), ensure_ascii=False)
        except (ValueError, RecursionError):
            text = ""
        if not text:
            raise
        return kind.model_validate_json(sendable(text))


class StreamedReply:
    """A chat completion sent as server-sent events, as far as it has come.

    https://platform.openai.com/docs/api-reference/chat-streaming
    """

    def __init__(self, *, longest: int, read_as: Callable[[bytes], bytes] = bytes) -> None:
        """``read_as`` turns the data of an event into that of such a stream."""
        self._longest = longest
        self._read_as = read_as
        self._text: str | None = None
        self._reason = self._model = ""
        self._usage: object = None

    async def read(self, received: AsyncIterable[bytes]) -> None:
        """Read to the end, or until the text has ``longest`` characters: then it is ``cut``.

        Raises ``Transient`` for what is no such stream.
        """
        pieces: list[str] = []
        size = 0
        try:
            async for data in _events(received):
                chunk = _chunk(self._read_as(data))
                self._model, self._usage = chunk.model or self._model, chunk.usage or self._usage
                for choice in chunk.choices[:1]:
                    delta, refused = choice.delta, choice.delta.refusal is not None
                    piece = delta.refusal if refused else delta.content
                    if piece is not None:
                        self._text = ""
                        size += len(_joined(piece))
                        pieces += [_joined(piece)] if piece else []
                    finished = "content_filter" if delta.refusal else self._reason
                    self._reason = choice.finish_reason or finished
                if size > self._longest:
                    self._reason = "length"
                    return
        finally:
            if self._text is not None:
                self._text = "".join(pieces)[: self._longest]

    def cut(self) -> bool:
        """End it here, as if the model had been stopped; False if it has no text yet."""
        self._reason = self._reason or "length"
        return bool(self._text)

    def whole(self) -> ChatReply:
        """Return what was read. Raises ``Transient`` if it broke off."""
        if not self._reason:
            raise Transient("a streamed reply that is cut off")
        message = _Message(content=self._text)
        text, reason = _content_of(_Choice(message=message, finish_reason=self._reason))
        return counted(text, reason, self._model, self._usage)


async def _events(received: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """Give the data of each event; comments only keep the connection alive.

    Lines are cut from bytes: text may hold what Python also takes for the end of a line.
    """
    begun = bytearray()
    async for part in received:
        begun += part
        if len(begun) > LONGEST:
            raise Transient("a streamed reply whose events have no end", task=True)
        if b"\n" not in part:
            continue
        *lines, rest = bytes(begun).split(b"\n")
        begun = bytearray(rest)
        for line in lines:
            data = line.removeprefix(b"data:").strip()
            if data == b"[DONE]":
                return
            if data and line.startswith(b"data:"):
                yield data


def _chunk(data: bytes) -> _Chunk:
    try:
        chunk = _parsed(_Chunk, data)
    except ValidationError as error:
        raise Transient(f"a streamed reply that is broken ({error.errors()[0]['msg']})") from error
    if chunk.error is not None:
        raise Transient(f"an error in a streamed reply: {str(chunk.error)[:300]}")
    return chunk


def _content_of(choice: _Choice) -> tuple[str, str]:
    message, reason = choice.message, choice.finish_reason or "stop"
    if message.refusal and not message.content:
        return message.refusal, "content_filter"
    if message.content is None and reason not in _SAID_NOTHING:
        raise Transient("a reply without content", task=True)
    return _joined(message.content), reason


def _joined(content: str | list[_Part] | None) -> str:
    if isinstance(content, list):
        return "".join(part.text for part in content)
    return content or ""


def counted(text: str, reason: str, model: str | None, usage: object) -> ChatReply:
    """Return a reply with the tokens that its ``usage`` names."""
    details = usage.get("prompt_tokens_details") if isinstance(usage, dict) else None
    # DeepSeek's word for it: https://api-docs.deepseek.com/guides/kv_cache
    cached = _count(details, "cached_tokens") or _count(usage, "prompt_cache_hit_tokens")
    return ChatReply(
        text,
        reason,
        model or "",
        _count(usage, "prompt_tokens"),
        _count(usage, "completion_tokens"),
        cached or 0,
        _count(details, "cache_write_tokens") or 0,
    )


def _count(usage: object, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and value >= 0 else None


_MOST_NAMED = 8
_LONGEST = 120


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model on an endpoint's list. ``window`` is in tokens, None if the list does not say it.

    ``shutdown`` is the day from which it no longer answers. ``dated`` is whether the list says so,
    or that there is no such day.
    """

    name: str
    window: int | None = None
    shutdown: date | None = None
    dated: bool = False


def read_list(body: bytes) -> tuple[ListedModel, ...] | None:
    """Return the models in an answer to ``GET /models``; None if it is not such a list."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return None
    entries = answer.get("data") if isinstance(answer, dict) else answer
    if not isinstance(entries, list):
        return None
    named = (e for e in entries if isinstance(e, dict) and isinstance(e.get("id"), str) and e["id"])
    return tuple(map(_listed, named))


def _listed(entry: Mapping[str, object]) -> ListedModel:
    window, said = min(_sizes(entry), default=None), entry.get("shutdown_date", "")
    try:
        shutdown = date.fromisoformat(said) if isinstance(said, str) else None
    except ValueError:
        return ListedModel(str(entry["id"]), window)
    return ListedModel(str(entry["id"]), window, shutdown, dated=said is None or bool(shutdown))


_SIZES = ("context_length", "max_model_len", "context_window", "max_context_length", "n_ctx")
"""What servers call it: OpenRouter and Together, vLLM, Groq, Mistral and LM Studio, llama.cpp."""
_LEAST, _MOST = 512, 100_000_000


def _sizes(entry: Mapping[str, object]) -> Iterator[int]:
    """All sizes that an entry names; the smallest is what can be used."""
    for part in (entry, entry.get("meta"), entry.get("top_provider")):
        for key in _SIZES:
            value = part.get(key) if isinstance(part, Mapping) else None
            if isinstance(value, int) and not isinstance(value, bool) and _LEAST <= value <= _MOST:
                yield value


def nearest(offered: Sequence[str], wanted: str) -> list[str]:
    """Order names by how near they are to the one that is wanted, the nearest first."""
    lower = wanted.lower()
    likeness = {name: SequenceMatcher(None, name.lower(), lower).ratio() for name in offered}
    return sorted(offered, key=lambda name: (-likeness[name], name))


def offer_text(offered: Sequence[str] | None, wanted: str) -> str:
    """Say what there is instead of ``wanted``: the nearest few names, and how many more."""
    if offered is None:
        return "It does not say which models it offers."
    if not offered:
        return "It offers no model at all."
    first = [" ".join(name.split())[:_LONGEST] for name in nearest(offered, wanted)[:_MOST_NAMED]]
    more = f" and {len(offered) - len(first)} more" if len(offered) > len(first) else ""
    return f"It offers {', '.join(first)}{more}."
