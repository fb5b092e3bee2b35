"""Clients that say nothing, too much or nonsense: they cost little, and the others are served."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import aiohttp
import pytest

from app.server.bodies import Bodies
from app.server.connections import HEADERS, listening
from app.server.http import build_app
from tests.app.server.webhooks import SECRET, always, sign, webhook

LIMIT = 4096


class Stored:
    """Deliveries that were stored."""

    def __init__(self):
        self.payloads = []

    async def store(self, *, payload, **_):
        self.payloads.append(payload)
        return True


async def broken(_request):
    raise ZeroDivisionError


async def busy(_request):
    raise aiohttp.web.HTTPServiceUnavailable(text="Too much at once.")


@asynccontextmanager
async def serving(*, connections=50, header_seconds=30.0, body_seconds=30.0, most=1 << 20):
    """A server, where to reach it, and what it stored."""
    stored = Stored()
    app = build_app(
        secret=SECRET,
        deliveries=stored,
        on_delivery=lambda: None,
        handles=always,
        readiness={},
        bodies=Bodies(LIMIT, seconds=body_seconds, most=most),
        routes=[aiohttp.web.get("/broken", broken), aiohttp.web.get("/busy", busy)],
    )
    bounds = {"connections": connections, "header_seconds": header_seconds}
    async with listening(app, "127.0.0.1", 0, **bounds) as address:
        yield address, stored


async def opened(address, text=b""):
    """A connection, and what was sent on it."""
    where = urlsplit(address)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    writer.write(text)
    await writer.drain()
    return reader, writer


def begun(size, sent, signature="sha256=" + "0" * 64):
    """The beginning of a delivery: its headers, and some of its body."""
    return (
        f"POST /webhook HTTP/1.1\r\nHost: cairn\r\nContent-Type: application/json\r\n"
        f"X-Hub-Signature-256: {signature}\r\nContent-Length: {size}\r\n\r\n"
    ).encode() + b"x" * sent


async def delivered(address):
    """Deliver what GitHub would, and return the status of the answer."""
    async with aiohttp.ClientSession() as session:
        return (await session.post(f"{address}/webhook", **webhook())).status


@pytest.mark.parametrize(
    "sent", [b"", b"GET /healthz HTTP/1.1\r\nHost: ca"], ids=["silent", "slow"]
)
async def test_headers_that_do_not_come_end_the_connection(sent):
    """A connection without a complete request is closed when its time is over."""
    async with serving(header_seconds=0.2) as (address, _):
        reader, writer = await opened(address, sent)

        assert await reader.read() == b""
        writer.close()


async def test_a_body_that_does_not_come_is_a_408():
    """A body has its time, and then its connection ends; nothing is stored."""
    async with serving(body_seconds=0.2) as (address, stored):
        reader, writer = await opened(address, begun(100, 99))

        answer = await reader.read()

        assert answer.startswith(b"HTTP/1.1 408")
        assert b"0.2 seconds" in answer
        assert stored.payloads == []
        writer.close()


async def test_bodies_that_fill_the_memory_give_way_to_small_ones():
    """Of the bodies that are being read the largest is given up: GitHub's still comes through."""
    async with serving(most=3 * LIMIT) as (address, stored):
        rude = [await opened(address, begun(LIMIT, LIMIT - 1)) for _ in range(4)]
        over = asyncio.wait(
            [asyncio.ensure_future(reader.readline()) for reader, _ in rude],
            return_when=asyncio.FIRST_COMPLETED,
        )
        done, waiting = await over

        assert {line.result().split()[1] for line in done} == {b"503"}
        assert len(waiting) == 3
        assert await delivered(address) == 202
        assert len(stored.payloads) == 1
        for line in waiting:
            line.cancel()
        for _, writer in rude:
            writer.close()


async def test_who_hangs_up_leaves_one_quiet_line(caplog):
    """A client that goes away in the middle of its body is no error of ours."""
    caplog.set_level(logging.INFO)
    async with serving() as (address, _):
        _, writer = await opened(address, begun(100, 10))
        writer.close()
        assert await delivered(address) == 202

    [line] = [each for each in caplog.records if "hung up" in each.message]
    assert (line.levelno, line.exc_info) == (logging.INFO, None)
    assert not [each for each in caplog.records if each.levelno > logging.INFO]


async def test_a_connection_too_many_is_refused_and_the_next_is_not(caplog):
    """Beyond the limit there is a 503; when somebody leaves there is room again."""
    async with serving(connections=2) as (address, _):
        first, second = await opened(address), await opened(address)
        reader, writer = await opened(address)

        assert (await reader.readline()).split()[1] == b"503"
        for each in (first[1], second[1], writer):
            each.close()
        while (status := await delivered(address)) == 503:
            pass  # the server has not seen yet that they left
        assert status == 202


@pytest.mark.parametrize(
    ("asked", "status"),
    {
        "alive": (b"GET /healthz HTTP/1.1\r\nHost: c\r\n", 200),
        "nothing there": (b"GET /nowhere HTTP/1.1\r\nHost: c\r\n", 404),
        "wrong method": (b"GET /webhook HTTP/1.1\r\nHost: c\r\n", 405),
        "too large": (b"POST /webhook HTTP/1.1\r\nHost: c\r\nContent-Length: 9999\r\n", 413),
        "not HTTP": (b"GET / HTTP/1.1\r\nHost\r\n", 400),
        "a bug": (b"GET /broken HTTP/1.1\r\nHost: c\r\n", 500),
        "busy": (b"GET /busy HTTP/1.1\r\nHost: c\r\n", 503),
        "unsigned": (b"POST /webhook HTTP/1.1\r\nHost: c\r\nContent-Length: 0\r\n", 403),
    }.values(),
)
async def test_every_answer_has_the_security_headers(caplog, asked, status):
    """Whatever is asked, a browser is told what it may do with the answer; no version is told."""
    async with serving() as (address, _):
        reader, writer = await opened(address, asked + b"Connection: close\r\n\r\n")
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()

    lines = head.decode().split("\r\n")
    assert lines[0].split()[1] == str(status)
    assert set(lines) >= {f"{name}: {value}" for name, value in HEADERS.items()}
    assert "Server: Cairn" in lines
    assert body.startswith(b"{")
    assert [each for each in caplog.records if each.exc_info] == [
        each for each in caplog.records if status == 500
    ]


async def test_a_body_in_many_pieces_is_read():
    """What is signed and whole is stored, however slowly it comes."""
    body = b'{"a": 1}'
    async with serving() as (address, stored):
        head = begun(len(body), 0, sign(body)).replace(
            b"\r\n\r\n", b"\r\nX-GitHub-Event: issue_comment\r\nX-GitHub-Delivery: d-1\r\n\r\n"
        )
        reader, writer = await opened(address, head)
        for at in range(len(body)):
            writer.write(body[at : at + 1])
            await writer.drain()

        assert (await reader.readline()).split()[1] == b"202"
        writer.close()
    assert stored.payloads == [body]
