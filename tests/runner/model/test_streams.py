"""Streamed answers as servers really send them: in pieces, slowly, with comments, cut off."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

import pytest

from runner.errors import Outage, TaskError
from runner.model.chat import OpenAIModel
from runner.retries.policy import RetryPolicy
from tests.model_server import Fault, ScriptedModel
from tests.runner.model.model_kit import FrozenClock, Sleeps, asking, question

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
PACE = 0.25
"""Seconds between two pieces of an answer."""


def event(content: str | None = None, **more: object) -> bytes:
    """A chunk with a piece of the text."""
    choice = {"index": 0, "delta": {} if content is None else {"content": content}, **more}
    return b"data: %s\n\n" % json.dumps({"choices": [choice]}, ensure_ascii=False).encode()


END = event(finish_reason="stop")
DONE = b"data: [DONE]\n\n"


@asynccontextmanager
async def streaming(
    pieces: Sequence[bytes], *, timeout: float = 30.0, hangs: bool = False
) -> AsyncIterator[OpenAIModel]:
    """Ask a server that sends each piece a little later; it closes, or says nothing more."""
    closing = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        loop = asyncio.get_running_loop()
        sent = [loop.create_future() for _ in pieces]
        for number, (piece, done) in enumerate(zip((HEAD, *pieces), (None, *sent), strict=True)):
            loop.call_later(number * PACE, _send, writer, piece, done)
        await asyncio.gather(*sent)
        if hangs:
            await closing.wait()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    model = OpenAIModel(
        model="m",
        api_key="k",
        base_url=f"http://127.0.0.1:{port}/v1",
        timeout=timeout,
        clock=FrozenClock(),
        sleep=Sleeps(),
    )
    try:
        yield model
    finally:
        closing.set()
        await model.close()
        server.close()


@asynccontextmanager
async def endless(
    first: bytes, more: bytes, *, head: bytes = HEAD, timeout: float = 0.5
) -> AsyncIterator[OpenAIModel]:
    """Ask a server that sends ``more`` for as long as somebody takes it."""

    answering = set[asyncio.Task[None] | None]()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answering.add(asyncio.current_task())
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(head + first)
            while not writer.is_closing():
                writer.write(more)
                await writer.drain()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    model = OpenAIModel(
        model="m",
        api_key="k",
        base_url=f"http://127.0.0.1:{port}/v1",
        timeout=timeout,
        clock=FrozenClock(),
        sleep=Sleeps(),
    )
    try:
        yield model
    finally:
        await model.close()
        await asyncio.wait(filter(None, answering))
        server.close()


def _send(writer: asyncio.StreamWriter, piece: bytes, done: asyncio.Future[None] | None) -> None:
    writer.write(piece)
    if done is not None:
        done.set_result(None)


async def test_an_answer_that_keeps_arriving_may_take_longer_than_the_timeout():
    """The limit is for silence: seven pieces in twice the time are one answer, asked for once."""
    async with streaming([*(event(f"{n} ") for n in range(5)), END, DONE], timeout=0.7) as model:
        answer = await model.ask(question())

    assert (answer.text, answer.finish_reason, answer.retries) == ("0 1 2 3 4 ", "stop", 0)


async def test_comments_keep_a_thinking_model_alive():
    """A gateway that says only that it is at work is waited for."""
    wait = [b": PROCESSING\n\n"] * 5
    async with streaming([*wait, event("done"), END, DONE], timeout=0.7) as model:
        assert (await model.ask(question())).text == "done"


async def test_silence_in_the_middle_is_a_timeout():
    """A stream that stops without an end is given up and asked for again, a few times only."""
    async with streaming([event("half")], timeout=0.5, hangs=True) as model:
        with pytest.raises(Outage, match=r"failed 4 times.*no answer within 0.5 seconds"):
            await model.ask(question())


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        ([event("half")], "cut off"),
        ([event("half"), b'data: {"choices": [{"del'], "cut off"),
        ([event("half"), b"data: {no json}\n\n"], "broken"),
        ([event("half"), b'data: {"error": {"message": "overloaded"}}\n\n'], "overloaded"),
    ],
    ids=["closed", "in the middle of a line", "no JSON", "an error"],
)
async def test_half_an_answer_is_no_answer(pieces, said):
    """What arrived before a stream broke off is never taken for the answer."""
    async with streaming(pieces) as model:
        with pytest.raises(Outage, match=rf"failed {RetryPolicy().attempts} times.*{said}"):
            await model.ask(question())


async def test_text_is_cut_nowhere_else_than_the_server_cuts():
    """Letters cut between two packets, and characters that other readers take for line ends."""
    text = "é\u2028x\x85\u2029\r\nend"
    raw = event(text)
    at = raw.index("é".encode()) + 1
    async with streaming([raw[:at], raw[at:], END, DONE]) as model:
        assert (await model.ask(question())).text == text


async def test_a_server_that_ends_without_done_is_heard():
    """Some servers close after the last chunk."""
    async with streaming([event("all"), END]) as model:
        assert (await model.ask(question())).text == "all"


@pytest.mark.parametrize(
    ("refusal", "later"),
    [
        ("Unknown parameter: 'stream_options'", {"stream": True}),
        ("Streaming is not supported by this model", {}),
        ("'stream' must be false here", {}),
    ],
)
async def test_what_a_server_cannot_stream_is_learned(refusal, later):
    """A refusal of streaming, or of the counts in it, costs one more request and is remembered."""
    script = ScriptedModel().says(Fault.http_status(400, refusal), "one", "two")
    async with asking(script) as model:
        answers = [(await model.ask(question())).text for _ in range(2)]

    assert answers == ["one", "two"]
    for request in script.requests[1:]:
        sent = {k: v for k, v in request.body.items() if k.startswith("stream")}
        assert sent == later


@pytest.mark.parametrize("last", [event("b" * 2_000), event("")], ids=["text", "nothing"])
async def test_a_stream_without_an_end_is_cut(last):
    """Of an answer beyond its limit of tokens the beginning counts, as if the model was stopped."""
    beginning = event("a" * 1_990) + event("b" * 5)
    async with endless(beginning, last, timeout=2) as model:  # 8 s for the beginning
        answer = await model.ask(question())

    assert answer.finish_reason == "length"
    assert answer.text.startswith("a" * 1_990 + "b" * 5)
    assert len(answer.text) <= 4 * question().max_tokens


@pytest.mark.parametrize(
    ("first", "more", "timeout", "said"),
    [
        (b"", b": at work\n\n", 0.5, r"not finished after 2 seconds"),
        (b"data: ", b"x" * 100_000, 30, "events have no end"),
    ],
    ids=["comments", "one line"],
)
async def test_an_endless_answer_without_text_is_this_tasks_error(first, more, timeout, said):
    """It is given up, and held in memory neither by its time nor by its size; the run goes on."""
    async with endless(first, more, timeout=timeout) as model:
        with pytest.raises(TaskError, match=said):
            await model.ask(question())


@pytest.mark.parametrize("status", ["200 OK", "500 Oops"])
async def test_a_body_without_an_end_is_not_read_whole(status):
    """What is not streamed is read up to a size, errors too."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
    async with endless(b"[", b" " * 100_000, head=head.encode(), timeout=30) as model:
        with pytest.raises(TaskError, match="8,000,000 bytes"):
            await model.ask(question())


async def test_a_compressed_body_is_not_read():
    """A few bytes of it may become gigabytes; Cairn says that it reads none."""
    head = HEAD.replace(b"text/event-stream", b"application/json\r\nContent-Encoding: gzip")
    packed = zlib.compressobj(wbits=31)
    first, more = (
        packed.compress(b" " * 1_000_000) + packed.flush(zlib.Z_FULL_FLUSH) for _ in "12"
    )
    async with endless(first, more, head=head, timeout=30) as model:
        with pytest.raises(TaskError, match="a compressed body"):
            await model.ask(question())


async def test_half_a_character_spoils_no_answer():
    """Some servers escape the halves of a character one by one, and cut between them."""
    halves = rb'data: {"choices": [{"delta": {"content": "a\ud83d"}}]}' + b"\n\n"
    async with streaming([halves, event("b"), END, DONE]) as model:
        assert (await model.ask(question())).text == "a\ufffdb"


async def test_a_question_may_bring_its_own_limit():
    """A repository whose model is slow sets ``model.timeout``; it wins over the server's own."""
    async with streaming([event("slow"), END, DONE], timeout=0.1) as model:
        assert (await model.ask(replace(question(), timeout=5))).text == "slow"
