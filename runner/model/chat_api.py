"""OpenAI's chat completions and two more APIs, spoken by Cairn to an agent in a sandbox.

The agent has no key and no network. What it asks is asked by the run itself: reserved, counted,
recorded and answered again after a crash like every other question. Conversations in plain text are
asked as Cairn asks; what calls tools is passed on (``passed.py``), also in two other APIs.
https://platform.openai.com/docs/api-reference/chat/create
"""

from __future__ import annotations

import json
import logging
import tempfile
from asyncio import StreamReader, StreamWriter, open_unix_connection
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Literal

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from pydantic import BaseModel, Field, PositiveInt, ValidationError

from runner.errors import PortError
from runner.model.passed import CHAT, MESSAGES, RESPONSES, events, wanted
from runner.ports import Serve, Spoken
from runner.prompts.questions import Call, Message
from runner.sandbox.indexes import join

_MOST_BYTES = 8_000_000
_USUAL = 0.2
_LINGERING = 1.0
"""Seconds for which the rest of a question that is too long is still read."""

log = logging.getLogger(__name__)
# what an agent sends that is no HTTP is its own affair, and the log is not for it to fill
log.addFilter(lambda record: not isinstance((record.exc_info or "  ")[1], HttpProcessingError))


class _Part(BaseModel):
    type: Literal["text"]
    text: str


class _Turn(BaseModel):
    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[_Part]

    def message(self) -> Message:
        said = self.content
        text = said if isinstance(said, str) else "\n".join(part.text for part in said)
        return Message("system" if self.role == "developer" else self.role, text)


class _Request(BaseModel):
    model: str
    messages: list[_Turn] = Field(min_length=1, max_length=10_000)
    temperature: float | None = Field(None, ge=0, le=2)
    max_tokens: PositiveInt | None = None
    max_completion_tokens: PositiveInt | None = None
    stream: bool = False


@asynccontextmanager
async def serving(model: str, ask: Spoken) -> AsyncIterator[Serve]:
    """Serve the API with one ``model``, answered by ``ask``."""

    async def complete(request: web.Request) -> web.StreamResponse:
        body = await request.read()
        if _read(body).get("tools"):
            return await pass_on(request, CHAT)
        try:
            asked = _Request.model_validate_json(body)
        except ValidationError as error:
            where = ".".join(map(str, error.errors()[0]["loc"])) or "the body"
            why = f"Cairn answers conversations in text, and cannot read {where} of this one"
            return _refusal(400, why)
        if asked.model.removeprefix("openai/") != model:
            return _no_model(asked.model, model)
        try:
            text, reason = await ask(
                tuple(turn.message() for turn in asked.messages),
                temperature=_USUAL if asked.temperature is None else asked.temperature,
                max_tokens=asked.max_completion_tokens or asked.max_tokens,
            )
        except PortError as error:
            return _refusal(403, error.message)
        return await _said(request, asked, text, reason)

    async def pass_on(request: web.Request, path: str) -> web.StreamResponse:
        asked = _read(await request.read())
        if str(name := asked.get("model")).removeprefix("openai/") != model:
            return _no_model(name, model)
        try:
            passed, limit = wanted(path, asked)
            text, _ = await ask(
                (Message("user", json.dumps(passed, ensure_ascii=False)),),
                temperature=_USUAL,
                max_tokens=limit,
                call=Call(path, request.headers.get("anthropic-beta", "")),
            )
        except (ValueError, RecursionError) as error:
            return _refusal(400, f"Cairn does not pass this on: {error}")
        except PortError as error:
            return _refusal(403, error.message)
        answer = json.loads(text)
        if asked.get("stream"):
            return await _streamed(request, events(path, answer))
        return web.json_response(answer)

    async def models(_request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": model, "object": "model"}]})

    app = web.Application(client_max_size=_MOST_BYTES)
    for prefix in ("", "/v1"):
        app.router.add_post(f"{prefix}/{CHAT}", complete)
        for path in (RESPONSES, MESSAGES):
            app.router.add_post(f"{prefix}/{path}", partial(pass_on, path=path))
        app.router.add_get(f"{prefix}/models", models)
    # unpacked, what is small here could be large
    runner = web.AppRunner(
        app,
        access_log=None,
        logger=log,
        handle_signals=False,
        auto_decompress=False,
        lingering_time=_LINGERING,
    )
    await runner.setup()
    with tempfile.TemporaryDirectory(prefix="cairn-chat-") as folder:
        socket = str(Path(folder) / "socket")
        await web.UnixSite(runner, socket).start()

        async def serve(reader: StreamReader, writer: StreamWriter) -> None:
            await join((reader, writer), await open_unix_connection(socket))

        try:
            yield serve
        finally:
            await runner.cleanup()


def _read(body: bytes) -> dict[str, Any]:
    """Return what is asked; nothing if it cannot be read."""
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return asked if isinstance(asked, dict) else {}


def _no_model(name: object, model: str) -> web.Response:
    return _refusal(404, f"There is no model {name} here, only {model}")


def _refusal(status: int, message: str) -> web.Response:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": None}
    return web.json_response({"type": "error", "error": error}, status=status)


async def _said(
    request: web.Request, asked: _Request, text: str, reason: str
) -> web.StreamResponse:
    """Answer whole, or as a stream of one piece."""
    about = {"id": "chatcmpl-cairn", "created": 0, "model": asked.model}
    usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    turn = {"role": "assistant", "content": text}
    if not asked.stream:
        choice = {"index": 0, "message": turn, "finish_reason": reason}
        whole = {**about, "object": "chat.completion", "choices": [choice], "usage": usage}
        return web.json_response(whole)
    choice = {"message": turn, "finish_reason": reason}
    return await _streamed(request, events(CHAT, {**about, "choices": [choice], "usage": usage}))


async def _streamed(
    request: web.Request, told: Iterable[Mapping[str, object]]
) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    kind = ""
    for event in told:
        kind = f"event: {event['type']}\n" if "type" in event else ""
        await response.write(f"{kind}data: {json.dumps(event)}\n\n".encode())
    if not kind:  # chunks of a chat completion have no types
        await response.write(b"data: [DONE]\n\n")
    return response
