"""Setup with a network reaches package indexes, and nothing else here or elsewhere."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

import pytest

from runner.errors import TaskError
from runner.ports import SandboxSession, Setup
from runner.sandbox.indexes import IndexProxy, named_by_operator
from runner.sandbox.tunnel import Tunnel
from tests.runner.sandbox.sandbox_bench import ISOLATED, ROOMY, working_sandbox

CANARY = b"canary-of-a-service-on-this-machine "
BODY = CANARY * 60_000  # more than a tunnel's window


class _Index(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Answer with the canary, also over a connection that was asked for by CONNECT."""
        self.send_response(200)
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def on_this_machine() -> Iterator[int]:
    """A service on the loopback interface and at an abstract socket; the port of both."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Index)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0cairn-{server.server_port}")
        abstract.listen()
        yield server.server_port
    server.shutdown()
    server.server_close()


# What a hostile setup.py tries; each line of the output is a way and what came of it.
ATTACK = """\
import socket, urllib.request
def tried(name, way):
    try:
        way()
        print(name, "reached")
    except OSError as error:
        print(name, "refused")
def abstract():
    socket.socket(socket.AF_UNIX).connect("\\0cairn-%PORT")
def connect():
    with socket.create_connection(("127.0.0.1", 3128)) as proxy:
        proxy.sendall(b"CONNECT 127.0.0.1:%PORT HTTP/1.1\\r\\n\\r\\n")
        if b" 200 " not in proxy.recv(100):
            raise OSError
own = urllib.request.build_opener(urllib.request.ProxyHandler({}))
tried("loopback", lambda: own.open("http://127.0.0.1:%PORT/", timeout=5))
tried("abstract", abstract)
tried("proxied", lambda: urllib.request.urlopen("http://127.0.0.1:%PORT/", timeout=5))
tried("connected", connect)
tried("metadata", lambda: urllib.request.urlopen("http://169.254.169.254/", timeout=5))
print(*sorted(name for _, name in socket.if_nameindex()))
"""
FETCH = """\
import sys, threading, urllib.request
def fetch():
    content = urllib.request.urlopen("http://127.0.0.1:%PORT/simple/?x", timeout=30).read()
    sys.stdout.write(f"{len(content)}\\n")
them = [threading.Thread(target=fetch) for _ in range(10)]
[each.start() for each in them]
[each.join() for each in them]
"""


async def said_by(
    name: str, script: str, folder: Path, *, hosts: tuple[str, ...] = (), network: bool = True
) -> str:
    """What a Python script prints as a setup command, whose failure the test expects."""
    sandbox = await working_sandbox(name, prepared=folder / "kept", owner=str(folder), hosts=hosts)

    async def fill(box: SandboxSession) -> None:
        """Nothing is needed."""

    command = ("python3", "-c", script + "\nraise SystemExit(1)")
    setup = Setup(commands=(command,), inputs="", network=network)
    with pytest.raises(TaskError) as error:
        await sandbox.prepare(ROOMY, setup, fill)
    assert await sandbox.sweep() == 0
    return error.value.message


@pytest.mark.parametrize("name", ISOLATED)
async def test_setup_reaches_nothing_of_this_machine(name: str, tmp_path: Path) -> None:
    """Neither loopback nor abstract sockets nor private addresses, directly or by the proxy."""
    with on_this_machine() as port:
        said = await said_by(name, ATTACK.replace("%PORT", str(port)), tmp_path)

        ways = ("loopback", "abstract", "proxied", "connected", "metadata")
        assert "\n".join(f"{way} refused" for way in ways) + "\nlo\n" in said
        assert f"Refused: 127.0.0.1:{port}, 169.254.169.254:80. The operator" in said


async def test_without_the_wall_the_same_attack_succeeds(tmp_path: Path) -> None:
    """What the attack proves: in no sandbox, loopback and abstract sockets are there."""
    with on_this_machine() as port:
        script = ATTACK.replace("%PORT", str(port)).replace('tried("m', '0 and tried("m')
        said = await said_by("process", script, tmp_path)

        assert "loopback reached\nabstract reached\n" in said


@pytest.mark.parametrize("name", ISOLATED)
async def test_setup_reaches_the_operators_index(name: str, tmp_path: Path) -> None:
    """Wherever it is; many connections at a time carry more than a window each."""
    with on_this_machine() as port:
        script = FETCH.replace("%PORT", str(port))
        said = await said_by(name, script, tmp_path, hosts=(f"127.0.0.1:{port}",))

        assert said.count(f"\n{len(BODY)}") == 10
        assert "Refused" not in said


@asynccontextmanager
async def proxied(
    proxy: IndexProxy,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection to a proxy."""
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=theirs)

    async def serve() -> None:
        await proxy.serve(reader, writer)
        writer.close()

    serving = asyncio.create_task(serve())
    connection = await asyncio.open_connection(sock=ours)
    yield connection
    connection[1].close()
    await serving


@pytest.mark.parametrize(
    ("request_line", "refused"),
    [
        ("CONNECT localhost:443 HTTP/1.1", "localhost:443"),  # an index that means this machine
        ("CONNECT pypi.org:22 HTTP/1.1", "pypi.org:22"),
        ("CONNECT pypi.org.evil.example:443 HTTP/1.1", "pypi.org.evil.example:443"),
        ("CONNECT 127.0.0.1:443 HTTP/1.1", "127.0.0.1:443"),
        ("CONNECT [::ffff:127.0.0.1]:443 HTTP/1.1", "::ffff:127.0.0.1:443"),
        ("CONNECT user@evil.example:443 HTTP/1.1", "evil.example:443"),
        ("GET http://pypi.org/simple/ HTTP/1.1", "pypi.org:80"),
        ("GET http://index.example:81/ HTTP/1.1", "index.example:81"),
        ("GET file:///etc/passwd HTTP/1.1", ":0"),
    ],
)
async def test_the_proxy_refuses(request_line: str, refused: str) -> None:
    """Other names, other ports, addresses, and a public index that resolves to a private one."""
    proxy = IndexProxy(["index.example:80"], public=["pypi.org", "localhost"])
    async with proxied(proxy) as (reader, writer):
        writer.write(f"{request_line}\r\nHost: x\r\n\r\n".encode())

        assert (await reader.read()).startswith(b"HTTP/1.1 403 Not a package index")
    assert proxy.refused == [refused]


async def fronting(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A delivery network: it has the site that TLS asks for, whatever it was called by."""
    if await reader.read(1):
        writer.write(CANARY)
    writer.close()


def real_hello(name: str) -> bytes:
    """What a client sends first that asks for a name; for an address, it names none."""
    sent = ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), sent, server_hostname=name)
    with suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return sent.read()


def sized(data: bytes, width: int = 2) -> bytes:
    return len(data).to_bytes(width, "big") + data


def hello(*names: bytes, more: bytes = b"", behind: bytes = b"") -> bytes:
    """A message of our own, with an extension for each name, and ``more`` of them."""
    each = [b"\0\0" + sized(sized(b"\0" + sized(name))) for name in names]
    fixed = b"\3\3" + bytes(32) + b"\0" + sized(b"\x13\1") + b"\1\0"
    return b"\1" + sized(fixed + sized(b"".join([*each, more])), 3) + behind


def records(message: bytes, *cuts: int) -> bytes:
    """A message in one record, or in several."""
    ends = (0, *cuts, len(message))
    parts = [message[begin:end] for begin, end in pairwise(ends)]
    return b"".join(b"\x16\3\1" + sized(part) for part in parts)


OWN = b"localhost"


HELLOS = {
    "a client's": (real_hello("localhost"), True),
    "large letters": (records(hello(b"LocalHost")), True),
    "four records": (records(hello(OWN), 2, 40, 60), True),
    "another name": (real_hello("evil.example"), False),
    "an address, so no name": (real_hello("127.0.0.1"), False),
    "no name": (records(hello()), False),
    "another name in four records": (records(hello(b"evil.example"), 2, 40, 60), False),
    "another one after it": (records(hello(OWN, b"evil.example")), False),
    "another one before it": (records(hello(b"evil.example", OWN)), False),
    "another one in the list": (records(hello(OWN + b"\0\0\4evil")), False),
    "another one hidden": (records(hello(OWN, more=b"\xfe\x0d" + sized(b"hidden"))), False),
    "cut": (records(hello(OWN, more=b"\0\x17\0\x09")), False),
    "another message behind it": (records(hello(OWN, behind=hello(b"evil.example"))), False),
    "another type of record": (records(hello(OWN)).replace(b"\x16", b"\x17", 1), False),
    "an empty record": (records(hello(OWN), 40, 40), False),
    "too large": (records(b"\1\2\0\0" + bytes(60_000)), False),
    "no TLS": (b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n" + bytes(70_000), False),
}


@pytest.mark.parametrize(("sent", "arrives"), HELLOS.values(), ids=HELLOS)
async def test_a_connection_is_for_tls_that_asks_for_its_name(sent: bytes, arrives: bool) -> None:
    """What asks for another name, for none or for a hidden one does not arrive, nor other data."""
    async with await asyncio.start_server(fronting, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        proxy = IndexProxy([f"localhost:{port}"])
        async with proxied(proxy) as (reader, writer):
            writer.write(f"CONNECT localhost:{port} HTTP/1.1\r\n\r\n".encode())
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
            writer.write(sent)

            assert await reader.read() == (CANARY if arrives else b"")
    refused = [] if arrives else [f"localhost:{port} (not for TLS with this name)"]
    assert proxy.refused == refused


@pytest.mark.parametrize(
    "garbage", [b"\r\n\r\n", b"GET\r\n\r\n", b"x" * 100_000, b"\0\xff\r\n\r\n"]
)
async def test_what_is_no_request_ends_its_connection(garbage: bytes) -> None:
    """And says nothing."""
    async with proxied(IndexProxy()) as (reader, writer):
        writer.write(garbage)
        writer.write_eof()

        assert await reader.read() == b""


async def test_an_end_that_sends_more_than_was_taken_is_left() -> None:
    """The sandbox cannot fill the server's memory: its tunnel ends instead."""
    source = asyncio.StreamReader(limit=1 << 20)

    async def serve(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async def send(_data: bytes) -> None:
        """Nobody is there."""

    for _ in range(20):
        source.feed_data((1).to_bytes(4, "big") + (1 << 16).to_bytes(4, "big") + bytes(1 << 16))

    await asyncio.wait_for(Tunnel(source, send, serve).run(), 10)

    assert await source.read(1), "it ended before it had taken everything"


def test_the_operators_own_indexes_are_found(tmp_path: Path) -> None:
    """In variables and files of package managers; a proxy and what is no index are none."""
    (tmp_path / "pip.conf").write_text(
        "[global]\n# index-url = https://old.example\nindex-url = https://u:p@pip.example/simple\n"
        "extra-index-url =\n    http://10.0.0.7:3141/root\nproxy = http://proxy.example:8080\n"
    )
    (tmp_path / ".npmrc").write_text("@team:registry=https://npm.example/\n")
    environment = {
        "PIP_INDEX_URL": "http://mirror.example:8081/simple",
        "GOPROXY": "https://go.example,direct",
        "OPENAI_BASE_URL": "https://model.example/index",
    }

    found = named_by_operator(
        environment, [str(tmp_path / n) for n in ("pip.conf", ".npmrc", "no")]
    )

    assert found == (
        *("mirror.example:8081", "go.example:443", "pip.example:443", "10.0.0.7:3141"),
        "npm.example:443",
    )
