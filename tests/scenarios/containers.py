"""What the Docker Engine does with a server's containers."""

from __future__ import annotations

import json
import os
import uuid
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiodocker import Docker

from app.settings import ServerSettings
from runner.sandbox.docker_engine import OWNER, engine_address


def _owner(settings: ServerSettings) -> str:
    return str(settings.cairn_data_dir.resolve())


async def containers(settings: ServerSettings) -> set[str]:
    """Ids of the server's containers that exist now."""
    async with Docker(url=engine_address(os.environ)) as docker:
        filters = json.dumps({"label": [f"{OWNER}={_owner(settings)}"]})
        found = await docker.containers.list(all=True, filters=filters)
        return {container.id for container in found}


async def inspected(settings: ServerSettings) -> str:
    """What the engine tells about the server's containers, their images and their processes."""
    async with Docker(url=engine_address(os.environ)) as docker:
        there = [docker.containers.container(each) for each in await containers(settings)]
        shown = [(await each.show(), await each.top()) for each in there]
        images = [await docker.images.inspect(each["Image"]) for each, _ in shown]
        return json.dumps([shown, images])


@dataclass
class Watch:
    """The engine's events, as they come.

    They are read live: asked for afterwards, an engine knows its last 256 only
    (https://github.com/moby/moby/blob/master/daemon/events/events.go, eventsLimit).
    """

    docker: Docker
    owner: str
    _events: AsyncIterator[bytes]
    _counted: Counter[str] = field(default_factory=Counter)

    async def counted(self) -> Counter[str]:
        """How often one of the server's containers was created, started, destroyed until now."""
        marker = f"cairn-test-{uuid.uuid4().hex}"  # events keep their order: all before it are read
        await self.docker.volumes.create({"Name": marker})
        async for line in self._events:
            event = json.loads(line)
            if event["Actor"]["ID"] == marker:
                break
            self._count(event)
        await (await self.docker.volumes.get(marker)).delete()
        return self._counted

    def _count(self, event: dict[str, Any]) -> None:
        if event["Actor"]["Attributes"].get(OWNER) == self.owner:
            self._counted[event["Action"]] += 1


@asynccontextmanager
async def watched(settings: ServerSettings) -> AsyncIterator[Watch]:
    """Count what the engine does with the server's containers inside this block."""
    filters = json.dumps({"type": ["container", "volume"]})
    forever = aiohttp.ClientTimeout(total=None)
    async with Docker(url=engine_address(os.environ)) as docker:
        address = f"{docker.docker_host}/events"
        async with docker.session.get(
            address, params={"filters": filters}, timeout=forever
        ) as answer:
            yield Watch(docker, _owner(settings), aiter(answer.content))
