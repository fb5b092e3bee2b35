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
from runner.prompts.questions import Call, Message


class Run:
    """Answers for a run; keeps what it was asked."""

    def __init__(self, *answers: tuple[str, str] | PortError) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[tuple[Message, ...], float, int | None]] = []
        self.calls: list[Call | None] = []

    async def __call__(
        self,
        messages: tuple[Message, ...],
        *,
        temperature: float,
        max_tokens: int | None,
        call: Call | None = None,
    ) -> tuple[str, str]:
        self.asked.append((messages, temperature, max_tokens))
        self.calls.append(call)
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
            pieces = [piece.choices[0].delta.content async for piece in said if piece.choices]
            text = "".join(piece or "" for piece in pieces)
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
        ({"tools": [{"type": "function"}], "model": "x"}, 404, "There is no model x here"),
        ({"tools": [{"type": "function"}], "max_tokens": 0}, 400, "no number of tokens"),
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


TOOLS: Any = [{"type": "function", "function": {"name": "run", "parameters": {"type": "object"}}}]
CALLED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "run", "arguments": '{"a": 1}'}}
    ],
}
CHAT = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 0,
    "model": "oak-1",
    "choices": [{"index": 0, "message": CALLED, "finish_reason": "tool_calls"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7},
}


@pytest.mark.parametrize("stream", [False, True])
async def test_tools_are_called(stream: bool) -> None:
    """What the conversation holds is passed on as it is, and so is the answer."""
    run = Run((json.dumps(CHAT), "stop"))
    turns: Any = [{"role": "user", "content": "hi"}, CALLED, {"role": "tool", "content": "1"}]
    async with address(run) as url, openai.AsyncOpenAI(base_url=url, api_key="x") as client:
        said: Any = await client.chat.completions.create(
            model="oak-1", messages=turns, tools=TOOLS, max_tokens=9, stream=stream, user="me", n=5
        )
        if stream:
            pieces = [piece async for piece in said]
            [call] = pieces[0].choices[0].delta.tool_calls
            reason, usage = pieces[1].choices[0].finish_reason, pieces[-1].usage
        else:
            [call] = said.choices[0].message.tool_calls
            reason, usage = said.choices[0].finish_reason, said.usage

    assert (call.function.name, call.function.arguments) == ("run", '{"a": 1}')
    assert (reason, usage.total_tokens) == ("tool_calls", 7)
    [(asked, _, limit)] = run.asked
    assert json.loads(asked[0].content) == {"messages": turns, "tools": TOOLS}
    assert (limit, run.calls) == (9, [Call("chat/completions")])


async def test_responses_are_passed_on() -> None:
    """OpenAI's other API, as a stream that its own client reads."""
    called = {"type": "function_call", "id": "f", "call_id": "c1", "name": "run", "arguments": "{}"}
    answer = {"id": "r", "object": "response", "created_at": 0, "status": "completed"}
    answer |= {"model": "oak-1", "output": [called], "tools": [], "tool_choice": "auto"}
    run = Run((json.dumps({**answer, "parallel_tool_calls": True}), "stop"))
    async with address(run) as url, openai.AsyncOpenAI(base_url=url, api_key="x") as client:
        stream = await client.responses.create(model="oak-1", input="hi", stream=True)
        told = [event async for event in stream]

    assert [event.type for event in told] == [
        *("response.created", "response.output_item.done", "response.completed")
    ]
    assert told[1].item.name == "run"  # type: ignore[union-attr]
    assert run.calls == [Call("responses")]


async def test_messages_are_passed_on() -> None:
    """Anthropic's API, with the header that opens parts of it; nothing of who asks."""
    content = [
        {"type": "thinking", "thinking": "Hm.", "signature": "s"},
        {"type": "text", "text": "Hello."},
        {"type": "tool_use", "id": "t", "name": "run", "input": {"a": 1}},
        {"type": "redacted_thinking", "data": "x"},
    ]
    answer = {"type": "message", "content": content, "stop_reason": "tool_use"}
    run = Run((json.dumps({**answer, "usage": {"output_tokens": 4}}), "stop"))
    asked = {"model": "oak-1", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 9}
    asked |= {"stream": True, "metadata": {"user_id": "me"}}
    async with (
        address(run) as url,
        ClientSession(headers={"anthropic-beta": "b1"}) as client,
        client.post(f"{url}/messages?beta=true", json=asked) as response,
    ):
        lines = (await response.text()).splitlines()

    told = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
    assert [line[7:] for line in lines if line.startswith("event: ")] == [e["type"] for e in told]
    assert told[0]["message"]["content"] == []
    assert [event["delta"] for event in told if event["type"] == "content_block_delta"] == [
        {"type": "thinking_delta", "thinking": "Hm."},
        {"type": "signature_delta", "signature": "s"},
        {"type": "text_delta", "text": "Hello."},
        {"type": "input_json_delta", "partial_json": '{"a": 1}'},
    ]
    begun = [e["content_block"] for e in told if e["type"] == "content_block_start"]
    assert begun[2]["input"] == {}
    assert begun[3] == content[3]
    assert told[-2]["delta"]["stop_reason"] == "tool_use"
    assert told[-2]["usage"] == {"output_tokens": 4}
    assert run.calls == [Call("messages", "b1")]
    assert run.asked[0][2] == 9
    assert "user_id" not in run.asked[0][0][0].content


async def test_what_is_no_http_fills_no_log(caplog: pytest.LogCaptureFixture) -> None:
    """An agent can send anything, as often as it likes."""
    async with address(Run()) as url:
        port = int(url.split(":")[2].split("/")[0])
        for sent in (b"GET / HTTP/9\r\n\r\n", b"\0" * 1000, b"GET / HTTP/1.1\r\n\r\n"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(sent)
            assert b"400 Bad Request" in await reader.read(500)
            writer.close()

    assert caplog.records == []
