"""Many connections over one pair of pipes; the same file on both sides of a sandbox's wall.

Inside, as a program of its own (``python3 -c`` with this file's text, so only with what Python 3.9
itself has), it listens on the loopback interface of the sandbox's network, and sends what connects
there through its pipes. Outside, each of these connections is served.

A message is the number of a connection, a size and that many bytes. Size 0: it has ended. A
negative size: so many bytes were taken. Nobody sends more than ``WINDOW`` bytes that were not
taken, so that a connection nobody reads from holds up no other, and fills no memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import struct
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

PORT = 3128
READY = b"ready\n"
WINDOW = 1 << 18
MOST = 64
"""So many connections are served at a time."""
_HEAD = struct.Struct("!Ii")
_CHUNK = 1 << 16

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
Send = Callable[[bytes], Awaitable[None]]


class _Connection:
    """``arrived`` is what is to be taken here, ``sent`` counts what was not taken over there."""

    def __init__(self) -> None:
        self.arrived: asyncio.Queue[bytes] = asyncio.Queue()
        self.waiting = 0
        self.sent = 0
        self.room = asyncio.Event()


class Tunnel:
    """One end: ``source`` is what comes from the other one, ``send`` writes to it.

    ``serve`` answers the connections that the other end begins.
    """

    def __init__(self, source: asyncio.StreamReader, send: Send, serve: Serve | None = None):
        self._source = source
        self._write = send
        self._serve = serve
        self._turn = asyncio.Lock()
        self._open: dict[int, _Connection] = {}
        self._begun = 0
        self._tasks: set[asyncio.Future[None]] = set()

    async def run(self) -> None:
        """Carry what comes from the other end, until that is gone."""
        try:
            while True:
                number, size = _HEAD.unpack(await self._source.readexactly(_HEAD.size))
                data = await self._source.readexactly(max(size, 0))
                if self._serve and number > self._begun:
                    await self._begin(number, self._serve)
                connection = self._open.get(number)
                if connection is None:
                    continue
                if size < 0:
                    connection.sent += size
                    connection.room.set()
                else:
                    connection.waiting += size
                    connection.arrived.put_nowait(data)
                    if connection.waiting > WINDOW:
                        break
        except asyncio.IncompleteReadError:
            pass
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry a new connection of this end to its end."""
        data = await reader.read(_CHUNK)  # so that the other end hears of new ones in their order
        self._begun += 1
        await self._carry(self._begun, reader, writer, data)
        writer.close()

    async def _begin(self, number: int, serve: Serve) -> None:
        self._begun = number
        if len(self._open) >= MOST:
            await self._send(number, 0)
            return
        ours, theirs = socket.socketpair()
        for end, work in ((ours, partial(self._carry, number)), (theirs, serve)):
            reader, writer = await asyncio.open_connection(sock=end)
            self._keep(work(reader, writer), writer)

    def _keep(self, work: Awaitable[None], writer: asyncio.StreamWriter) -> None:
        """Hold on to what works on a connection, which is closed after that."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: writer.close())

    async def _carry(
        self,
        number: int,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        data: bytes | None = None,
    ) -> None:
        connection = self._open[number] = _Connection()
        taking = asyncio.ensure_future(self._take(number, connection, writer))
        try:
            data = await reader.read(_CHUNK) if data is None else data
            while data:
                while connection.sent + len(data) > WINDOW:
                    connection.room.clear()
                    await connection.room.wait()
                connection.sent += len(data)
                await self._send(number, len(data), data)
                data = await reader.read(_CHUNK)
        except OSError:
            pass
        finally:
            taking.cancel()
            del self._open[number]
            await self._send(number, 0)

    async def _take(
        self, number: int, connection: _Connection, writer: asyncio.StreamWriter
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await connection.arrived.get():
                writer.write(data)
                await writer.drain()
                connection.waiting -= len(data)
                await self._send(number, -len(data))
        writer.close()

    async def _send(self, number: int, size: int, data: bytes = b"") -> None:
        async with self._turn:
            with contextlib.suppress(OSError):
                await self._write(_HEAD.pack(number, size) + data)


async def _inside(user: str) -> None:
    """Listen inside, as another ``user`` where one is named, until the pipes end."""
    with contextlib.suppress(PermissionError):
        _raise_loopback()
    if user:
        os.setgroups([])
        os.setgid(int(user))
        os.setuid(int(user))
    loop, thread = asyncio.get_running_loop(), ThreadPoolExecutor(1)
    source = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(source)
    await loop.connect_read_pipe(lambda: protocol, sys.stdin)

    async def send(data: bytes) -> None:
        await loop.run_in_executor(thread, _put, data)

    tunnel = Tunnel(source, send)
    async with await asyncio.start_server(tunnel.accept, "127.0.0.1", PORT):
        _put(READY)
        await tunnel.run()


def _put(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _raise_loopback() -> None:
    """Do what ``ip link set lo up`` does, as netdevice(7) says."""
    from fcntl import ioctl

    request, get, put, up = struct.Struct("16sH14x"), 0x8913, 0x8914, 1
    with socket.socket() as any_socket:
        _, flags = request.unpack(ioctl(any_socket, get, request.pack(b"lo", 0)))
        if not flags & up:
            ioctl(any_socket, put, request.pack(b"lo", flags | up))


def program(user: str = "") -> list[str]:
    """The arguments of a Python 3 that is to be the end inside."""
    return ["-I", "-c", Path(__file__).read_text("utf-8"), user]


if __name__ == "__main__":
    asyncio.run(_inside(*sys.argv[1:]))
