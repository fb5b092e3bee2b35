"""What a TLS connection begins with, and which server it asks for (RFC 8446, 4.1.2; RFC 6066, 3).

A proxy that judges names has to look at this one: servers of many sites answer with the site that
TLS asks for, whatever name the connection was made to.
"""

from __future__ import annotations

import struct
from asyncio import StreamReader
from io import BytesIO

_HANDSHAKE, _CLIENT_HELLO = 22, 1
_SERVER_NAME, _ENCRYPTED_HELLO = b"\x00\x00", b"\xfe\x0d"
_FIXED = 4 + 2 + 32  # type and size, version, random
_MOST = 1 << 16


async def read_hello(reader: StreamReader, host: str) -> bytes:
    """Read a ClientHello that asks for this host and for no other.

    Raises ``ValueError`` for anything else, also for one that holds a hidden name.
    """
    sent, hello, size = b"", b"", _FIXED
    while len(hello) < size:
        head = await reader.readexactly(5)
        record = await reader.readexactly(int.from_bytes(head[3:], "big"))
        sent, hello = sent + head + record, hello + record
        size = 4 + int.from_bytes(hello[1:4], "big")
        if not record or (head[0], hello[0]) != (_HANDSHAKE, _CLIENT_HELLO) or size > _MOST:
            raise ValueError("no ClientHello")
    rest = BytesIO(hello[_FIXED:])
    for width in (1, 2, 1):  # session, ciphers, compressions
        _sized(rest, width)
    extensions = BytesIO(_sized(rest, 2))
    found = []
    while kind := extensions.read(2):
        found.append((kind, _sized(extensions, 2).lower()))
    name = host.encode("ascii")
    wanted = struct.pack("!HBH", len(name) + 3, 0, len(name)) + name
    names = [each for each in found if each[0] in (_SERVER_NAME, _ENCRYPTED_HELLO)]
    if names != [(_SERVER_NAME, wanted.lower())] or len(hello) != size:
        raise ValueError("it does not ask for this host alone")
    return sent


def _sized(source: BytesIO, width: int) -> bytes:
    """Read a value behind its size."""
    size = int.from_bytes(source.read(width), "big")
    data = source.read(size)
    if len(data) != size:
        raise ValueError("a ClientHello ends early")
    return data
