"""A container for each task, through the Docker Engine API."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from aiodocker import Docker, DockerError
from aiodocker.containers import DockerContainer

from runner.errors import Outage, PortError
from runner.ports import Fill, Ran, SandboxSession, SandboxSpec, Serve, Setup, unheard
from runner.sandbox.docker_engine import OWNER, container_config, engine
from runner.sandbox.docker_session import (
    NAME,
    DockerSession,
    PreparedImages,
    begin,
    during,
    finish,
    led_beside,
)
from runner.sandbox.indexes import led_out, proxy_environment
from runner.sandbox.prepared import run_setup, setup_key
from runner.state.options import PREPARED_ROOM

_GONE, _ALREADY_GOING = 404, 409


class DockerSandbox:
    """Opens containers: no network, not root, no capabilities, read-only except the workspace.

    ``owner`` names who opens them, the same after a restart (a server: the identity of its data
    directory, which one process uses at a time). ``image`` is used where a spec names none.
    ``address`` is the engine's, empty for DOCKER_HOST or the standard sockets.
    """

    name = "docker"
    installed = False

    def __init__(
        self,
        *,
        owner: str,
        image: str,
        address: str = "",
        hosts: Sequence[str] = (),
        room: int = PREPARED_ROOM,
    ) -> None:
        """``hosts`` are those that setup may reach besides the public package indexes.

        ``room`` is for the images that setup commands make.
        """
        self._room = room
        self._hosts = hosts
        self._owner = owner
        self._image = image
        self._address = address
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def check(self) -> None:
        """Raise ``Outage`` if no Docker Engine answers, or the default image is missing."""
        async with engine(self._address) as (docker, address):
            parts = (await docker.version()).get("Components") or ()
            if any(part.get("Name") == "Podman Engine" for part in parts):
                raise Outage(
                    "sandbox",
                    f"Podman answers at {address}, and Cairn needs Docker's own engine. Install "
                    "that, or use bubblewrap (CAIRN_SANDBOX=bubblewrap).",
                )
            await self._inspect(docker, self._image)

    async def open(self, spec: SandboxSpec) -> SandboxSession:
        """Start a container; if the caller is cancelled, it is removed again.

        Raises ``Outage`` when the engine is down or the image is missing.
        """
        starting = asyncio.create_task(self._start(spec))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            # the engine finishes what it was asked for, so wait to know what to remove
            with suppress(PortError):
                await (await starting).close()
            raise

    async def prepare(self, spec: SandboxSpec, setup: Setup, fill: Fill, ran: Ran = unheard) -> str:
        """Run setup commands once and keep what they make as an image; return its name."""
        async with engine(self._address) as (docker, address):
            base = await self._inspect(docker, spec.image or self._image)
            key = setup_key(f"{self._owner} {base['Id']}", setup)
            images = PreparedImages(docker, self._owner, self._room)
            async with self._turns[key]:
                if found := await images.find(key):
                    return found
                spec = replace(spec, network=setup.network)
                async with self._installing(docker, address, spec, base) as (container, session):
                    await fill(session)
                    await run_setup(session, setup, ran)
                    await finish(container, base, owner=self._owner, project=setup.project, key=key)
                await images.make_room()
                return f"{NAME}:{key}"

    async def kept(self) -> int:
        """Return how many bytes the images that setup commands made take."""
        async with engine(self._address) as (docker, _):
            found = await PreparedImages(docker, self._owner, self._room).all()
            return sum(each.size for each in found)

    async def sweep(self) -> int:
        """Remove every container of this owner and old images, before the first ``open``."""
        async with engine(self._address) as (docker, _):
            await PreparedImages(docker, self._owner, self._room).make_room()
            filters = json.dumps({"label": [f"{OWNER}={self._owner}"]})
            left = await docker.containers.list(all=True, filters=filters)
            for container in left:
                await _remove(container)
            return len(left)

    async def _start(self, spec: SandboxSpec) -> DockerSession:
        async with AsyncExitStack() as resources:
            docker, address = await resources.enter_async_context(engine(self._address))
            container = await self._create(docker, spec)
            resources.push_async_callback(_remove, container)
            await container.start()
            return DockerSession(
                container=container,
                address=address,
                spec=spec,
                resources=resources.pop_all(),
                led=partial(self._led, docker, container, spec),
            )

    @asynccontextmanager
    async def _installing(
        self, docker: Docker, address: str, spec: SandboxSpec, image: dict[str, Any]
    ) -> AsyncIterator[tuple[DockerContainer, SandboxSession]]:
        """Yield a container that setup commands may leave something in; it is removed after."""
        async with AsyncExitStack() as resources:
            container = await self._create(docker, spec, writable=True)
            resources.push_async_callback(_remove, container)
            await container.start()
            await begin(container)
            environment = during(image)
            led = partial(self._led, docker, container, spec)
            if spec.network:
                await resources.enter_async_context(led_out(self._hosts, led))
                environment |= proxy_environment()
            yield (
                container,
                DockerSession(
                    container=container,
                    address=address,
                    spec=spec,
                    resources=AsyncExitStack(),
                    led=led,
                    environment=environment,
                ),
            )

    @asynccontextmanager
    async def _led(
        self, docker: Docker, container: DockerContainer, spec: SandboxSpec, serve: Serve
    ) -> AsyncIterator[str]:
        """Have ``serve`` answer on a container's loopback, by another container beside it.

        For its image may have no Python, and its commands must not reach what does that.
        """
        network = f"container:{container.id}"
        config = container_config(spec, image=self._image, owner=self._owner, network=network)
        beside = await docker.containers.create(config)
        try:
            await beside.start()
            async with led_beside(beside, serve) as address:
                yield address
        finally:
            await _remove(beside)

    async def _inspect(self, docker: Docker, image: str) -> dict[str, Any]:
        try:
            return await docker.images.inspect(image)
        except DockerError as error:
            raise _missing(image, error) from error

    async def _create(
        self, docker: Docker, spec: SandboxSpec, *, writable: bool = False
    ) -> DockerContainer:
        image = spec.image or self._image
        config = container_config(spec, image=image, owner=self._owner, writable=writable)
        try:
            return await docker.containers.create(config)
        except DockerError as error:
            raise _missing(image, error) from error


async def _remove(container: DockerContainer) -> None:
    try:
        await container.delete(force=True, v=True)
    except DockerError as error:
        if error.status not in (_GONE, _ALREADY_GOING):
            raise


def _missing(image: str, error: DockerError) -> PortError | DockerError:
    """Say what to do when it is the image that is missing; else the error speaks for itself."""
    if error.status != _GONE:
        return error
    return Outage(
        "sandbox",
        f"The engine does not have the image {image}. Build it (scripts/sandbox-image) "
        f"or pull it (docker pull {image}).",
    )
