"""Images that hold what setup commands made: committed once, used often, removed when old.

The engine keeps when an image was tagged last (https://docs.docker.com/reference/api/engine/,
ImageInspect), so using one is tagging it again. Podman keeps no such time; there the time of making
counts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from aiodocker import Docker, DockerError
from aiodocker.containers import DockerContainer

from runner.adapters.docker_container import OWNER
from runner.adapters.setup_commands import (
    KEEP,
    KEEP_DAYS,
    environment_of,
    project_key,
    setup_environment,
)
from runner.errors import Outage

NAME = "cairn-prepared"
FOLDER = "/prepared"
_PROJECT = "cairn.project"
_USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# The commands' user may write in this one folder only. Node looks for packages in the folders
# above a file, so they are found beside the workspace.
_BEGIN = f"mkdir -m 1777 {FOLDER} && ln -s {FOLDER[1:]}/node_modules /node_modules"
_NOT_FOUND, _IN_USE = 404, 409


class PreparedImages:
    """The prepared images of one owner on an engine."""

    def __init__(self, docker: Docker, owner: str) -> None:
        self._docker = docker
        self._owner = owner

    async def find(self, key: str) -> str:
        """Return the image of a key, and note that it is used; '' when there is none."""
        try:
            await self._docker.images.tag(f"{NAME}:{key}", NAME, tag=key)
        except DockerError as error:
            if error.status != _NOT_FOUND:
                raise
            return ""
        return f"{NAME}:{key}"

    async def kept(self, project: str, key: str) -> str:
        """Return the image just made; of its project only the newest few stay."""
        for name, _ in (await self._by_use(f"{_PROJECT}={project_key(project)}"))[KEEP:]:
            await self._remove(name)
        return f"{NAME}:{key}"

    async def tidy(self) -> None:
        """Remove what nobody used for long."""
        oldest = datetime.now(UTC) - timedelta(days=KEEP_DAYS)
        for name, used in await self._by_use(_PROJECT):
            if used < oldest:
                await self._remove(name)

    async def _by_use(self, label: str) -> list[tuple[str, datetime]]:
        """Return names and when they were used last, newest first."""
        filters = {"label": [label, f"{OWNER}={self._owner}"]}
        found = await self._docker.images.list(filters=filters)
        used = [
            (name, _used(await self._docker.images.inspect(name)))
            for image in found
            for name in image["RepoTags"] or ()
        ]
        return sorted(used, key=lambda pair: pair[1], reverse=True)

    async def _remove(self, name: str) -> None:
        try:
            await self._docker.images.delete(name)
        except DockerError as error:
            if error.status not in (_NOT_FOUND, _IN_USE):
                raise


async def begin(container: DockerContainer) -> None:
    """Make the folder that is kept. Raises ``Outage`` when the image does not allow it."""
    command = await container.exec(["sh", "-c", _BEGIN], user="0:0")
    async with command.start() as stream:
        said = b""
        while (message := await stream.read_out()) is not None:
            said += message.data
    if (await command.inspect())["ExitCode"]:
        raise Outage(
            "sandbox",
            f"{FOLDER} cannot be made in the image, which sandbox.setup needs: "
            + said.decode(errors="replace").strip(),
        )


def during(image: Mapping[str, Any]) -> dict[str, str]:
    """Return the environment of setup commands in this image."""
    return environment_of(FOLDER, _path(image)) | setup_environment(FOLDER)


async def finish(
    container: DockerContainer, image: Mapping[str, Any], *, owner: str, project: str, key: str
) -> None:
    """Commit the container; the image knows where its tools are and whose it is."""
    environment = environment_of(FOLDER, _path(image))
    labels = {OWNER: owner, _PROJECT: project_key(project)}
    changes = [f"ENV {name}={json.dumps(value)}" for name, value in environment.items()]
    changes += [f"LABEL {name}={json.dumps(value)}" for name, value in labels.items()]
    await container.commit(repository=NAME, tag=key, changes=changes)


def _path(image: Mapping[str, Any]) -> str:
    entries = [entry.partition("=") for entry in image["Config"].get("Env") or ()]
    return next((value for name, _, value in entries if name == "PATH"), _USUAL_PATH)


def _used(image: Mapping[str, Any]) -> datetime:
    times = [image.get("Metadata", {}).get("LastTagTime"), image["Created"]]
    found = []
    for time in times:
        with suppress(ValueError, TypeError):
            found.append(datetime.fromisoformat(time))
    return max(found)
