"""A container for each task, through the Docker Engine API (Docker or Podman)."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack, suppress

from aiodocker import Docker, DockerError
from aiodocker.containers import DockerContainer

from runner.adapters.docker_box import DockerBox
from runner.adapters.docker_container import OWNER, container_config
from runner.adapters.docker_engine import engine
from runner.errors import Outage, PortError
from runner.ports import Box, BoxSpec

_GONE, _ALREADY_GOING = 404, 409


class DockerSandbox:
    """Opens containers: no network, not root, no capabilities, read-only but for the workspace.

    ``owner`` names who opens them, the same after a restart (a server: the identity of its data
    directory, which one process uses at a time). ``image`` is used where a spec names none.
    ``address`` is the engine's, empty for DOCKER_HOST or the standard sockets.
    """

    name = "docker"

    def __init__(self, *, owner: str, image: str, address: str = "") -> None:
        self._owner = owner
        self._image = image
        self._address = address

    async def check(self) -> None:
        """Raise ``Outage`` when the engine does not answer or the default image is missing."""
        async with engine(self._address) as (docker, _):
            try:
                await docker.images.inspect(self._image)
            except DockerError as error:
                raise _missing(self._image, error) from error

    async def open(self, spec: BoxSpec) -> Box:
        """Start a container; when the caller is cancelled meanwhile, it is removed again.

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

    async def sweep(self) -> int:
        """Remove every container of this owner: call it before the first ``open``."""
        async with engine(self._address) as (docker, _):
            filters = json.dumps({"label": [f"{OWNER}={self._owner}"]})
            left = await docker.containers.list(all=True, filters=filters)
            for container in left:
                await _remove(container)
            return len(left)

    async def _start(self, spec: BoxSpec) -> DockerBox:
        async with AsyncExitStack() as resources:
            docker, address = await resources.enter_async_context(engine(self._address))
            container = await self._create(docker, spec)
            resources.push_async_callback(_remove, container)
            await container.start()
            return DockerBox(
                container=container, address=address, spec=spec, resources=resources.pop_all()
            )

    async def _create(self, docker: Docker, spec: BoxSpec) -> DockerContainer:
        image = spec.image or self._image
        try:
            return await docker.containers.create(
                container_config(spec, image=image, owner=self._owner)
            )
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
        f"The engine does not hold the image {image}. Build it (scripts/sandbox-image) "
        f"or pull it (docker pull {image}).",
    )
