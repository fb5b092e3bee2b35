"""Deliveries on loopback, made cheaply enough that the server is what is measured.

``python -m bench.webhook_load PORT COUNT RATE`` sends COUNT deliveries, RATE of them a second
(0: as fast as they are answered, 64 at once), and prints what it saw as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from time import perf_counter

from bench.timing import percentile
from tests.app.server.webhooks import SECRET
from tests.fake_github.courier import sign

_BODY = Path("tests/data/github/webhook-payloads/issue_comment.created.json").read_bytes()
_AT_ONCE = 64
_SIGNATURE = sign(SECRET.get_secret_value(), _BODY)


async def load(port: int, count: int, rate: float) -> dict[str, float]:
    """Send them; ``rate`` answered a second, ``p50`` and ``p99`` in milliseconds.

    With a rate to keep, a delivery's time counts from the moment it was due: a server that keeps
    everybody waiting is not spared the ones that could not be sent meanwhile.
    """
    came: asyncio.Queue[float] = asyncio.Queue()
    latencies: list[float] = []
    senders = [asyncio.create_task(_send(port, came, latencies)) for _ in range(_AT_ONCE)]
    began = perf_counter()
    async for due in _due(count, rate):
        came.put_nowait(due)
    for _ in senders:
        came.put_nowait(-1.0)
    await asyncio.gather(*senders)
    return {
        "rate": count / (perf_counter() - began),
        "p50": percentile(latencies, 0.5) * 1e3,
        "p99": percentile(latencies, 0.99) * 1e3,
    }


async def _due(count: int, rate: float) -> AsyncIterator[float]:
    began = perf_counter()
    for n in range(count):
        due = began + n / rate if rate else 0.0
        if (wait := due - perf_counter()) > 0:
            await asyncio.sleep(wait)
        yield due


async def _send(port: int, came: asyncio.Queue[float], latencies: list[float]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while (due := await came.get()) >= 0:
        began = due or perf_counter()
        writer.write(_request())
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 202 "), head
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
        await reader.readexactly(int(length or 0))
        latencies.append(perf_counter() - began)
    writer.close()
    await writer.wait_closed()


def _request() -> bytes:
    head = [
        "POST /webhook HTTP/1.1",
        "Host: 127.0.0.1",
        "Content-Type: application/json",
        f"Content-Length: {len(_BODY)}",
        "X-GitHub-Event: issue_comment",
        f"X-GitHub-Delivery: {uuid.uuid4()}",
        f"X-Hub-Signature-256: {_SIGNATURE}",
    ]
    return "\r\n".join([*head, "", ""]).encode() + _BODY


if __name__ == "__main__":
    port, count, rate = sys.argv[1:]
    print(json.dumps(asyncio.run(load(int(port), int(count), float(rate)))))
