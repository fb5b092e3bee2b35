"""The only way out of a sandbox: a proxy that leads setup commands to package indexes.

Setup has no network of its own. What it sends to the proxy that its environment names comes here
through a ``Tunnel``. The proxy speaks CONNECT (RFC 9110, 9.3.6) for TLS that asks for the same
name, and plain HTTP to places that the operator names. It connects to the very address that it
judged.
"""

from __future__ import annotations

import asyncio
import re
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, suppress
from fnmatch import fnmatchcase
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from socket import SOCK_STREAM
from urllib.parse import urlsplit

from runner.errors import Outage, TaskError
from runner.sandbox.client_hello import read_hello
from runner.sandbox.tunnel import PORT, READY, Send, Serve, Tunnel

INDEXES = frozenset(
    (
        *("pypi.org", "files.pythonhosted.org", "download.pytorch.org", "conda.anaconda.org"),
        *("registry.npmjs.org", "registry.yarnpkg.com", "npm.jsr.io", "jsr.io"),
        *("proxy.golang.org", "sum.golang.org"),
        *("index.crates.io", "static.crates.io", "crates.io", "static.rust-lang.org"),
        *("rubygems.org", "index.rubygems.org", "repo.packagist.org", "packagist.org"),
        *("repo.maven.apache.org", "repo1.maven.org", "plugins.gradle.org"),
        *("plugins-artifacts.gradle.org", "api.nuget.org", "hex.pm", "repo.hex.pm"),
        *("builds.hex.pm", "pub.dev", "cpan.metacpan.org"),
    )
)
"""The public package indexes, and what else their tools fetch packages and toolchains from."""

_PORTS = {"https": 443, "http": 80}
_WAIT = 30.0  # seconds for a request's head, and for a connection
_CHUNK = 1 << 16
_MOST_REFUSED = 20
_VARIABLE = re.compile(
    r"(?:PIP|UV|NPM_CONFIG|YARN|CARGO|BUNDLE|POETRY)_\w*(?:INDEX|REGISTR|LINKS|MIRROR)\w*|GOPROXY",
    re.IGNORECASE,
)
_FILES = (
    *("/etc/pip.conf", "~/.pip/pip.conf", "~/.config/pip/pip.conf"),
    *("/etc/npmrc", "~/.npmrc", "~/.yarnrc.yml"),
)
_ADDRESS = re.compile(r"https?://[^\s'\"|,]+")


def proxy_environment() -> dict[str, str]:
    """What has package managers ask the proxy."""
    address = f"http://127.0.0.1:{PORT}"
    names = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
    yarn = ("YARN_HTTP_PROXY", "YARN_HTTPS_PROXY")
    java = [f"-D{s}.proxyHost=127.0.0.1 -D{s}.proxyPort={PORT}" for s in ("http", "https")]
    return dict.fromkeys((*names, *yarn), address) | {"JAVA_TOOL_OPTIONS": " ".join(java)}


def named_by_operator(environ: Mapping[str, str], files: Iterable[str] = _FILES) -> tuple[str, ...]:
    """Where the operator's own package managers fetch from, as ``host:port``."""
    texts = [value for name, value in environ.items() if _VARIABLE.fullmatch(name)]
    for file in files:
        with suppress(OSError, ValueError, RuntimeError):
            lines = Path(file).expanduser().read_text("utf-8").splitlines()
            texts += [
                line for line in lines if "proxy" not in line and line.strip()[:1] not in "#;"
            ]
    addresses = [_target(address) for text in texts for address in _ADDRESS.findall(text)]
    return tuple(f"{host}:{port}" for host, port in addresses if host)


def _target(address: str) -> tuple[str, int]:
    """Host and port of an address; no host where it is none."""
    with suppress(ValueError):
        parts = urlsplit(address)
        return (parts.hostname or "").rstrip("."), parts.port or _PORTS.get(parts.scheme, 0)
    return "", 0


class IndexProxy:
    """``named`` are ``host`` or ``host:port``, with shell patterns in them: what the operator says.

    Those may be anywhere, also in the operator's own network. ``refused`` is what was asked for
    besides, for the message when a command fails.
    """

    def __init__(self, named: Iterable[str] = (), *, public: Iterable[str] = INDEXES) -> None:
        self._named = tuple(named)
        self._public = frozenset(public)
        self.refused: list[str] = []

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Answer one connection of a sandbox, which the caller closes after that."""
        with suppress(OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(_WAIT):
                head = await reader.readuntil(b"\r\n\r\n")
                first, *fields = head.decode("latin-1").split("\r\n")
                method, target, _ = first.split(" ")
                connects = method == "CONNECT"
                host, port = _target(f"//{target}" if connects else target)
                there = await self._reach(host, port, plain=not connects)
            if there is None:
                writer.write(b"HTTP/1.1 403 Not a package index (CAIRN_SETUP_HOSTS)\r\n\r\n")
                return
            with closing(there[1]):
                if connects:
                    writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
                    first_bytes = await self._hello(reader, host, port)
                else:
                    first_bytes = _as_sent(method, target, fields)
                there[1].write(first_bytes)
                await join((reader, writer), there)

    async def _hello(self, reader: StreamReader, host: str, port: int) -> bytes:
        """Read what TLS begins with; many places answer with whatever site that names."""
        with suppress(ValueError):
            ip_address(host)
            return b""  # TLS names no address
        try:
            async with asyncio.timeout(_WAIT):
                return await read_hello(reader, host)
        except ValueError:
            self._refuse(f"{host}:{port} (not for TLS with this name)")
            raise

    async def _reach(
        self, host: str, port: int, *, plain: bool
    ) -> tuple[StreamReader, StreamWriter] | None:
        """Connect to a place that may be asked; None for another."""
        named = any(
            fnmatchcase(host if ":" not in each else f"{host}:{port}", each) for each in self._named
        )
        public = host in self._public and port == _PORTS["https"] and not plain
        found = []
        if named or public:
            loop = asyncio.get_running_loop()
            found = await loop.getaddrinfo(host, port, type=SOCK_STREAM)
        for *_, place in found:
            address = str(place[0])
            if named or _is_public(address):
                with suppress(OSError):
                    return await asyncio.open_connection(address, port)
        if not named:
            self._refuse(f"{host}:{port}")
        return None

    def _refuse(self, asked: str) -> None:
        if asked not in self.refused and len(self.refused) < _MOST_REFUSED:
            self.refused.append(asked)


def _is_public(address: str) -> bool:
    """Whether an address is one of the internet, not of this machine or of a network of its own."""
    found = ip_address(address)
    if isinstance(found, IPv6Address):
        found = found.ipv4_mapped or found.sixtofour or found
    return found.is_global and not found.is_multicast


def _as_sent(method: str, target: str, fields: list[str]) -> bytes:
    """A request to a proxy as the server itself expects it; it answers no second one."""
    parts = urlsplit(target)
    path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    ours = ("proxy-", "connection:", "host:")
    kept = [each for each in fields if each and not each.lower().startswith(ours)]
    host = f"Host: {parts.netloc.rpartition('@')[2]}"
    lines = [f"{method} {path} HTTP/1.1", host, *kept, "Connection: close", "", ""]
    return "\r\n".join(lines).encode("latin-1")


async def join(
    one: tuple[StreamReader, StreamWriter], other: tuple[StreamReader, StreamWriter]
) -> None:
    """Carry both ways until either side ends; then close the ``other`` one."""
    ways = [
        asyncio.create_task(_copy(one[0], other[1])),
        asyncio.create_task(_copy(other[0], one[1])),
    ]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        other[1].close()


async def _copy(reader: StreamReader, writer: StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()


@asynccontextmanager
async def tunnelled(source: StreamReader, send: Send, serve: Serve) -> AsyncIterator[str]:
    """Have ``serve`` answer what a tunnel's inner end sends; gives the address inside.

    Raises ``Outage`` when the tunnel does not begin.
    """
    if await source.readline() != READY:
        raise Outage(
            "sandbox",
            "Setup has no way out of the sandbox: python3, which opens it, does not work in the "
            "sandbox's image.",
        )
    tunnel = asyncio.create_task(Tunnel(source, send, serve).run())
    try:
        yield f"127.0.0.1:{PORT}"
    finally:
        tunnel.cancel()
        await asyncio.wait([tunnel])


@asynccontextmanager
async def led_out(
    named: Iterable[str], led: Callable[[Serve], AbstractAsyncContextManager[str]]
) -> AsyncIterator[None]:
    """Lead setup commands to package indexes; ``led`` leads the commands of their session.

    A ``TaskError`` inside says what was asked for and refused.
    """
    proxy = IndexProxy(named)
    async with led(proxy.serve):
        try:
            yield
        except TaskError as error:
            if not proxy.refused:
                raise
            places = ", ".join(proxy.refused)
            raise TaskError(
                error.kind,
                f"{error.message}\nSetup reaches only package indexes. Refused: {places}. The "
                "operator can allow more with CAIRN_SETUP_HOSTS.",
            ) from None
