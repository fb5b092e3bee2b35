"""What an agent in a sandbox is answered by the API that Cairn speaks to it."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import openai
import pytest
from aiohttp import ClientSession

from runner.errors import Outage, PortError
from runner.model import chat_server
from runner.prompts.questions import Message


class Run:
    """Answers for a run; keeps what it was asked."""

    def __init__(self, *answers: tuple[str, str] | PortError) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[tuple[Message, ...], float, int | None]] = []

    async def __call__(
        self, messages: tuple[Message, ...], *, temperature: float, max_tokens: int | None
    ) -> tuple[str, str]:
        self.asked.append((messages, temperature, max_tokens))
        answer = self.answers.pop(0)
        if isinstance(answer, PortError):
            raise answer
        return answer


@asynccontextmanager
async def address(run: Run) -> AsyncIterator[str]:
    """The API, led to a port as a sandbox leads it."""
    async with chat_server("oak-1", run) as serve:

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await serve(reader, writer)
            writer.close()

        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


@pytest.mark.parametrize("stream", [False, True])
async def test_a_client_of_openai_is_answered(stream: bool) -> None:
    """Whole or as a stream, with any key; parts of text are put together."""
    run = Run(("Hello.", "stop"))
    turns: Any = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
    ]
    async with address(run) as url, openai.AsyncOpenAI(base_url=url, api_key="x") as client:
        listed = [model.id async for model in client.models.list()]
        said = await client.chat.completions.create(
            model="openai/oak-1", messages=turns, max_tokens=9, temperature=0.5, stream=stream
        )
        if stream:
            text = "".join([piece.choices[0].delta.content or "" async for piece in said])
        else:
            text = said.choices[0].message.content

    assert (text, listed) == ("Hello.", ["oak-1"])
    messages = (Message("system", "Be brief."), Message("user", "a\nb"))
    assert run.asked == [(messages, 0.5, 9)]


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b"{", 400, "Cairn answers conversations in text"),
        ({"messages": [{"role": "tool", "content": "x"}]}, 400, "messages.0.role"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, 400, "messages.0"),
        ({"tools": [{"type": "function"}]}, 400, "set the agent to a form without tools"),
        ({"max_tokens": -1_000_000}, 400, "max_tokens"),
        ({"max_completion_tokens": 0}, 400, "max_completion_tokens"),
        ({"temperature": float("nan")}, 400, "temperature"),
        ({"messages": []}, 400, "messages"),
        ({"model": "another"}, 404, "There is no model another here, only oak-1"),
        ({"messages": [{"role": "user", "content": "x" * 9_000_000}]}, 413, "exceeded"),
        ({}, 403, "No money is left."),
    ],
)
async def test_what_is_not_answered(body: Any, status: int, says: str) -> None:
    """A refusal says why, and is none that a client would repeat."""
    run = Run(Outage("budget", "No money is left."))
    if not isinstance(body, bytes):
        asked = {"model": "oak-1", "messages": [{"role": "user", "content": "hi"}], **body}
        body = json.dumps(asked).encode()
    async with (
        address(run) as url,
        ClientSession() as client,
        client.post(f"{url}/chat/completions", data=io.BytesIO(body)) as response,
    ):
        text = await response.text()

    assert response.status == status
    assert says in text


async def test_what_is_packed_is_not_unpacked() -> None:
    """A few bytes would fill the memory of everybody."""
    asked = {"model": "oak-1", "messages": [{"role": "user", "content": "hi"}]}
    body, packed = gzip.compress(json.dumps(asked).encode()), {"Content-Encoding": "gzip"}
    async with (
        address(Run(("Hello.", "stop"))) as url,
        ClientSession(headers=packed) as client,
        client.post(f"{url}/chat/completions", data=body) as response,
    ):
        assert response.status == 400
