"""Real sandboxes for tests: the process one everywhere, the others where they work."""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from runner.errors import Outage
from runner.ports import Sandbox, SandboxSession, SandboxSpec
from runner.sandbox.bubblewrap import BubblewrapSandbox
from runner.sandbox.docker import DockerSandbox
from runner.sandbox.docker_engine import OWNER, engine
from runner.sandbox.process import ProcessSandbox

IMAGE = "cairn-sandbox:latest"
ROOT = os.environ.get("TEST_SANDBOX_ROOT", "")
"""A folder made by scripts/sandbox-root; without it bubblewrap takes this machine's programs."""
SPEC = SandboxSpec(run="r1", task="t1", memory=128 << 20, disk=16 << 20, pids=64, timeout=60)
ROOMY = replace(SPEC, memory=512 << 20, disk=128 << 20)
"""What setup needs."""
DOCKER = pytest.param("docker", marks=pytest.mark.docker)
EVERY = ["process", "bubblewrap", DOCKER]
ISOLATED = ["bubblewrap", DOCKER]


async def working_sandbox(
    name: str, *, prepared: Path | None = None, owner: str = "", hosts: Sequence[str] = ()
) -> Sandbox:
    """Return a sandbox with an owner of its own; skip (on CI: fail) where it cannot work."""
    owner = owner or f"test-{uuid.uuid4()}"
    prepared = prepared or Path(tempfile.gettempdir(), "cairn-prepared-tests")
    sandbox = _sandbox(name, owner, prepared, hosts)
    try:
        await sandbox.check()
    except Outage as outage:
        if os.environ.get("CI"):
            pytest.fail(f"on CI every sandbox must work: {outage.message}")
        pytest.skip(f"{name}: {outage.message}")
    return sandbox


def _sandbox(name: str, owner: str, prepared: Path, hosts: Sequence[str]) -> Sandbox:
    if name == "process":
        return ProcessSandbox(owner=owner, prepared=prepared)
    if name == "bubblewrap":
        return BubblewrapSandbox(owner=owner, image=ROOT, prepared=prepared, hosts=hosts)
    return DockerSandbox(owner=owner, image=IMAGE, hosts=hosts)


@asynccontextmanager
async def opened(sandbox: Sandbox, spec: SandboxSpec = SPEC) -> AsyncIterator[SandboxSession]:
    """Yield a box that is closed at the end."""
    box = await sandbox.open(spec)
    try:
        yield box
    finally:
        await box.close()


async def remove_images(owner: str) -> None:
    """Remove what setup commands made on an engine: it outlives the sandbox that made it."""
    async with engine() as (docker, _):
        for image in await docker.images.list(filters={"label": [f"{OWNER}={owner}"]}):
            await docker.images.delete(image["Id"], force=True)
