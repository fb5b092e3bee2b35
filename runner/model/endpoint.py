"""One try at an OpenAI-compatible endpoint: the only file that touches the ``openai`` package.

Importing that package takes long, so nothing imports this module at start: see
``OpenAIModel``.

"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import httpx2
import openai

from runner.errors import TaskError
from runner.model.errors import ErrorStatus, Transient
from runner.model.passed import MESSAGES, read_passed
from runner.model.replies import (
    LONGEST,
    ChatReply,
    ListedModel,
    StreamedReply,
    read_list,
    read_reply,
)
from runner.model.responses import as_chunk, as_completion, as_responses
from runner.ports import Clock
from runner.prompts.questions import Call, Message
from runner.text.sanitize import sendable

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionMessageParam
    from openai.types.responses import ResponseInputParam

_CONNECT_SECONDS = 10.0
_PATIENCE = 4
"""How many times its limit without a word a whole answer may take."""

_MESSAGE_LIMIT = 500

_ANTHROPIC = "2023-06-01"
"""The version of Anthropic's API: https://docs.anthropic.com/en/api/versioning"""

_trusted = cache(httpx2.create_ssl_context)
"""The certificates every endpoint is held against: reading them takes longer than all else."""


class OpenAIEndpoint:
    """An endpoint and its key; ``mask`` hides secrets in every text that is sent there.

    Retries are not its business.
    """

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        timeout: float,
        clock: Clock,
        mask: Callable[[str], str] = str,
    ) -> None:
        self._mask = mask
        self._key = api_key
        self._clock = clock
        self._timeout = timeout
        self._client = openai.AsyncOpenAI(
            base_url=base_url,
            api_key=api_key or "none",  # a local server needs no key, the package insists on one
            timeout=openai.Timeout(timeout, connect=min(_CONNECT_SECONDS, timeout)),
            max_retries=0,  # tries are counted and bounded in one place, OpenAIModel
            http_client=openai.DefaultAsyncHttpxClient(
                event_hooks={"response": [_bounded]}, verify=_trusted()
            ),
            default_headers={"Accept-Encoding": "identity"},  # see _Bounded
        )

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
        """Ask once. Raises ``Transient``, ``ErrorStatus``, or ``TaskError`` for an endless answer.

        ``timeout`` is in seconds without a word; a whole answer may take ``_PATIENCE`` times as
        long. Whatever of its text has come by then, and its first ``longest`` characters, count as
        an answer that was cut. An endpoint that does not stream answers at once, within
        ``timeout``. With ``responses`` it is asked by the Responses API.
        """
        turns = [
            {"role": turn.role, "content": sendable(self._mask(turn.content))} for turn in messages
        ]
        seconds = timeout or self._timeout
        asked: AbstractAsyncContextManager[Any]
        waits = openai.Timeout(seconds, connect=min(_CONNECT_SECONDS, seconds))
        if responses:
            streamed = StreamedReply(longest=longest, read_as=as_chunk)
            asked = self._client.responses.with_streaming_response.create(
                model=model,
                input=cast("ResponseInputParam", turns),
                extra_body=as_responses(parameters),
                timeout=waits,
            )
        else:
            streamed = StreamedReply(longest=longest)
            asked = self._client.chat.completions.with_streaming_response.create(
                model=model,
                messages=cast("list[ChatCompletionMessageParam]", turns),
                extra_body=dict(parameters),
                timeout=waits,
            )
        with self._translating_errors(seconds):
            try:
                async with asyncio.timeout(seconds * _PATIENCE), asked as raw:
                    if "event-stream" not in raw.headers.get("content-type", ""):
                        body = await raw.read()
                        return read_reply(
                            as_completion(body) if responses else body, longest=longest
                        )
                    await streamed.read(raw.iter_bytes())
            except TimeoutError as error:
                if not streamed.cut():
                    late = (
                        f"the model's answer was not finished after {seconds * _PATIENCE:g} seconds"
                    )
                    raise TaskError("model", late) from error
        return streamed.whole()

    async def passed(
        self, call: Call, body: Mapping[str, object], *, timeout: float | None = None
    ) -> ChatReply:
        """Pass an agent's request on. Raises as ``complete``, which says what ``timeout`` is.

        The answer comes whole, so nothing is heard before its end. Secrets in the body are hidden
        already: it is JSON.
        """
        seconds = (timeout or self._timeout) * _PATIENCE
        headers = {"anthropic-version": _ANTHROPIC, "x-api-key": self._key}
        headers |= {"anthropic-beta": call.beta} if call.beta else {}
        with self._translating_errors(seconds):
            response = await self._client.post(
                f"/{call.path}",
                cast_to=httpx2.Response,
                body=dict(body),
                options={
                    "headers": headers if call.path == MESSAGES else {},
                    "timeout": openai.Timeout(seconds, connect=min(_CONNECT_SECONDS, seconds)),
                },
            )
        return read_passed(call.path, response.content)

    async def listed(self, seconds: float) -> tuple[ListedModel, ...] | None:
        """Return the endpoint's models; None if it does not answer with a list.

        Raises ``Transient`` or ``ErrorStatus``.
        """
        with self._translating_errors(seconds):
            async with asyncio.timeout(seconds):
                raw = await self._client.models.with_raw_response.list(timeout=seconds)
        return read_list(raw.content)

    async def close(self) -> None:
        """Close the connections that are kept open; doing it twice is harmless."""
        await self._client.close()

    @contextmanager
    def _translating_errors(self, seconds: float) -> Iterator[None]:
        try:
            yield
        except _TooLong as error:
            raise TaskError("model", f"the model endpoint sent {error}") from error
        except (TimeoutError, openai.APITimeoutError, httpx2.TimeoutException) as error:
            raise Transient(f"no answer within {seconds:g} seconds") from error
        except httpx2.TransportError as error:
            raise Transient(f"the answer broke off ({self._hide(error)})") from error
        except openai.APIConnectionError as error:
            raise Transient(f"no connection ({self._hide(error.__cause__ or error)})") from error
        except openai.APIStatusError as error:
            detail = error.message
            if " - " not in detail and error.body:  # no OpenAI-style message: show what there is
                detail = f"{detail} - {error.body}"
            raise ErrorStatus(
                status=error.status_code,
                message=self._hide(detail),
                code=error.code or "",
                param=error.param or "",
                retry_after=retry_after(error.response.headers, self._clock.now()),
            ) from error

    def _hide(self, text: object) -> str:
        """Return a message on one line, cut, and without the key some endpoints repeat in it."""
        line = " ".join(str(text).split())
        if self._key:
            line = line.replace(self._key, "***")
        return line[:_MESSAGE_LIMIT]


class _TooLong(httpx2.TransportError):
    """A body without an end, or one whose end cannot be foreseen."""


class _Bounded(httpx2.AsyncByteStream):
    """A body that fails beyond ``LONGEST`` bytes; what is read at once is held in memory.

    It sees the bytes before they are unpacked, so a compressed body is not read at all.
    """

    def __init__(self, body: httpx2.AsyncByteStream, encoding: str) -> None:
        self._body = body
        self._encoding = encoding

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._encoding.strip().lower() not in ("", "identity"):
            raise _TooLong(f"a compressed body ({self._encoding}), which was not asked for")
        size = 0
        async for part in self._body:
            size += len(part)
            if size > LONGEST:
                raise _TooLong(f"more than {LONGEST:,} bytes at once")
            yield part

    async def aclose(self) -> None:
        """Close the connection's side of it."""
        await self._body.aclose()


async def _bounded(response: httpx2.Response) -> None:
    """Bound the body of a response (a hook of httpx), errors and lists as well.

    A stream of events is bounded where it is read: most of its bytes are no text, and not kept.
    """
    streams = response.is_success and "event-stream" in response.headers.get("content-type", "")
    if not streams and isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream, response.headers.get("content-encoding", ""))


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return how many seconds the endpoint asks to wait: a number or a date.

    https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
    """
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(value) - now).total_seconds()
        except (ValueError, TypeError):  # no date, or one without a time zone
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None
