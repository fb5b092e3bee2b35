"""Reaching a Docker Engine: its address, a client for it, its failures in our words.

Podman serves the same API (https://docs.docker.com/reference/api/engine/); its sockets are tried
after Docker's.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import aiohttp
from aiodocker import Docker, DockerError

from runner.errors import Outage

# An answer that takes longer (seconds) is none; streams of commands are not bound by it.
_ANSWER = aiohttp.ClientTimeout(total=120, connect=10)
_UNREACHABLE = 900  # aiodocker's own status for "no connection"
_HOW = (
    "Start the Docker Engine (https://docs.docker.com/engine/install/) or Podman's API service, "
    "and set DOCKER_HOST when its socket is in an unusual place."
)


def engine_address(environ: Mapping[str, str]) -> str:
    """Find the engine: DOCKER_HOST (``unix:///path`` or ``tcp://host:port``), else a known socket.

    Raises ``Outage`` when there is none.
    """
    if named := environ.get("DOCKER_HOST"):
        return named
    for socket in _sockets(environ):
        if socket.is_socket():
            return f"unix://{socket}"
    raise Outage("sandbox", f"No Docker Engine was found. {_HOW}")


@asynccontextmanager
async def engine(address: str = "") -> AsyncIterator[tuple[Docker, str]]:
    """Yield a client for the engine and the address used; inside, failures raise ``Outage``."""
    address = address or engine_address(os.environ)
    with engine_errors(address):
        try:
            docker = Docker(url=address, timeout=_ANSWER)
        except ValueError as error:
            raise Outage("sandbox", f"{address} is no address of an engine. {_HOW}") from error
        async with docker:
            yield docker, address


@contextmanager
def engine_errors(address: str) -> Iterator[None]:
    """Turn what the client raises into ``Outage``: nobody's task is to blame for the engine."""
    try:
        yield
    except DockerError as error:
        if error.status == _UNREACHABLE:
            raise Outage("sandbox", f"No Docker Engine answers at {address}. {_HOW}") from error
        message = f"The Docker Engine at {address} refused ({error.status}): {error.message}"
        raise Outage("sandbox", message) from error
    except (aiohttp.ClientError, OSError) as error:  # OSError includes TimeoutError
        message = f"The Docker Engine at {address} stopped answering ({error!r}). {_HOW}"
        raise Outage("sandbox", message) from error


def _sockets(environ: Mapping[str, str]) -> list[Path]:
    system = [Path("/run/docker.sock"), Path("/var/run/docker.sock")]
    home = environ.get("HOME")
    own = [Path(home, ".docker/run/docker.sock")] if home else []
    session = environ.get("XDG_RUNTIME_DIR")
    names = ("docker.sock", "podman/podman.sock")
    rootless = [Path(session, name) for name in names] if session else []
    return [*system, *own, *rootless, Path("/run/podman/podman.sock")]
