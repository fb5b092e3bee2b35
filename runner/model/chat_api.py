"""OpenAI's chat completions, spoken by Cairn to an agent in a sandbox.

The agent has no key and no network. What it asks is asked by the run itself: reserved, counted,
recorded and answered again after a crash like every other question. Conversations are plain text;
an agent that wants the model to call tools is told that there are none.
https://platform.openai.com/docs/api-reference/chat/create
"""

from __future__ import annotations

import json
import tempfile
from asyncio import StreamReader, StreamWriter, open_unix_connection
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

from aiohttp import web
from pydantic import BaseModel, Field, PositiveInt, ValidationError

from runner.errors import PortError
from runner.ports import Serve, Spoken
from runner.prompts.questions import Message
from runner.sandbox.indexes import join

_MOST_BYTES = 8_000_000
_USUAL = 0.2


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
    tools: list[object] = []


@asynccontextmanager
async def serving(model: str, ask: Spoken) -> AsyncIterator[Serve]:
    """Serve the API with one ``model``, answered by ``ask``."""

    async def complete(request: web.Request) -> web.StreamResponse:
        try:
            asked = _Request.model_validate_json(await request.read())
        except ValidationError as error:
            where = ".".join(map(str, error.errors()[0]["loc"])) or "the body"
            why = f"Cairn answers conversations in text, and cannot read {where} of this one"
            return _refusal(400, why)
        if asked.tools:
            return _refusal(400, "Cairn answers in text: set the agent to a form without tools")
        if asked.model.removeprefix("openai/") != model:
            return _refusal(404, f"There is no model {asked.model} here, only {model}")
        try:
            text, reason = await ask(
                tuple(turn.message() for turn in asked.messages),
                temperature=_USUAL if asked.temperature is None else asked.temperature,
                max_tokens=asked.max_completion_tokens or asked.max_tokens,
            )
        except PortError as error:
            return _refusal(403, error.message)
        return await _said(request, asked, text, reason)

    async def models(_request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": model, "object": "model"}]})

    app = web.Application(client_max_size=_MOST_BYTES)
    for prefix in ("", "/v1"):
        app.router.add_post(f"{prefix}/chat/completions", complete)
        app.router.add_get(f"{prefix}/models", models)
    # unpacked, what is small here could be large
    runner = web.AppRunner(app, access_log=None, handle_signals=False, auto_decompress=False)
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


def _refusal(status: int, message: str) -> web.Response:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": None}
    return web.json_response({"error": error}, status=status)


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
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for delta, ends in ((turn, None), ({}, reason)):
        choice = {"index": 0, "delta": delta, "finish_reason": ends}
        piece = {**about, "object": "chat.completion.chunk", "choices": [choice]}
        await response.write(f"data: {json.dumps(piece)}\n\n".encode())
    await response.write(b"data: [DONE]\n\n")
    return response
