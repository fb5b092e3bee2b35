"""The scripted model's HTTP server on loopback: chat completions, models."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager

from aiohttp import web

from tests.model_server.faults import Fault
from tests.model_server.replies import (
    Reply,
    completion,
    message_of,
    response_events,
    response_of,
    streamed,
)
from tests.model_server.script import ScriptedModel
from tests.model_server.turns import Asked, Held

HOST = "127.0.0.1"


@asynccontextmanager
async def serve(model: ScriptedModel, *, port: int = 0) -> AsyncIterator[str]:
    """Serve a scripted model while the block runs; gives the base URL (port 0: any free one)."""
    closing = asyncio.Event()
    runner = web.AppRunner(_Application(model, closing).build(), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, HOST, port)
    await site.start()
    try:
        yield f"http://{HOST}:{runner.addresses[0][1]}/v1"
    finally:
        closing.set()  # requests that hang on purpose end now
        await runner.cleanup()


class _Application:
    def __init__(self, model: ScriptedModel, closing: asyncio.Event) -> None:
        self._model = model
        self._closing = closing

    def build(self) -> web.Application:
        app = web.Application(client_max_size=64 << 20)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_post("/v1/responses", self._responses)
        app.router.add_post("/v1/messages", self._messages)
        app.router.add_get("/v1/models", self._models)
        return app

    async def _models(self, request: web.Request) -> web.Response:
        window = {"max_model_len": self._model.window} if self._model.window else {}
        listed = [{"id": name, **window, **more} for name, more in self._model.listed.items()]
        response = web.json_response({"object": "list", "data": listed})
        response.enable_compression()  # as servers do for those who say that they can read it
        return response

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        key = request.headers.get("Authorization", "").removeprefix("Bearer ")
        asked = Asked(await request.json(), key)
        turn = self._model.answer(asked)
        if isinstance(turn, Held):
            turn.asked.set()
            await turn.go.wait()
            turn = turn.reply
        if isinstance(turn, Fault):
            return await self._fail(request, turn, asked)
        body = self._body(asked, turn)
        if asked.body.get("stream"):
            return await self._stream(request, streamed(body, asked.body))
        return web.json_response(body)

    async def _responses(self, request: web.Request) -> web.StreamResponse:
        """The other API: https://platform.openai.com/docs/api-reference/responses/create."""
        body = await request.json()
        key = request.headers.get("Authorization", "").removeprefix("Bearer ")
        asked = Asked({**body, "messages": body["input"]}, key)
        turn = self._model.answer(asked)
        if isinstance(turn, Fault):
            return await self._fail(request, turn, asked)
        assert not isinstance(turn, Held)
        response = response_of(self._body(asked, turn))
        if not body.get("stream"):
            return web.json_response(response)
        return await self._stream(request, response_events(response))

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        """Anthropic's API: https://docs.anthropic.com/en/api/messages."""
        asked = Asked(await request.json(), request.headers.get("x-api-key", ""))
        turn = self._model.answer(asked)
        if isinstance(turn, Fault):
            return await self._fail(request, turn, asked)
        assert not isinstance(turn, Held)
        return web.json_response(message_of(self._body(asked, turn)))

    async def _stream(
        self, request: web.Request, events: Iterable[Mapping[str, object]]
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in events:
            await response.write(f"data: {json.dumps(event)}\n\n".encode())
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response

    def _body(self, asked: Asked, turn: str | Reply) -> dict[str, object]:
        reply = turn if isinstance(turn, Reply) else Reply(turn)
        number = len(self._model.requests)
        return completion(model=asked.model, number=number, prompt=asked.prompt, reply=reply)

    async def _fail(self, request: web.Request, fault: Fault, asked: Asked) -> web.StreamResponse:
        match fault.kind:
            case "timeout":
                await self._closing.wait()
                return web.Response(status=504)
            case "reset":
                if request.transport is not None:
                    request.transport.abort()
                return web.Response()
            case "html":
                text = "<html><body><h1>Service Unavailable</h1></body></html>"
                return web.Response(status=fault.status, text=text, content_type="text/html")
            case "bad_json":
                text = json.dumps(self._body(asked, "cut off"))
                return web.Response(text=text[: len(text) // 2], content_type="application/json")
            case "no_choices":
                return web.json_response({**self._body(asked, ""), "choices": []})
            case "status":
                return web.json_response(
                    dict(fault.body), status=fault.status, headers=dict(fault.headers)
                )
