"""Real sandboxes for tests: the process one everywhere, Docker's where an engine answers."""

from __future__ import annotations

import os
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from runner.adapters.docker_sandbox import DockerSandbox
from runner.adapters.process_sandbox import ProcessSandbox
from runner.errors import Outage
from runner.ports import Box, BoxSpec, Sandbox

IMAGE = "cairn-sandbox:latest"
SPEC = BoxSpec(run="r1", task="t1", memory=128 << 20, disk=16 << 20, pids=64, timeout=60)
BOTH = ["process", pytest.param("docker", marks=pytest.mark.docker)]


async def working_sandbox(name: str) -> Sandbox:
    """Return a sandbox with an owner of its own; skip (on CI: fail) where it cannot work."""
    owner = f"test-{uuid.uuid4()}"
    if name == "process":
        return ProcessSandbox(owner=owner)
    sandbox = DockerSandbox(owner=owner, image=IMAGE)
    try:
        await sandbox.check()
    except Outage as outage:
        if os.environ.get("CI"):
            pytest.fail(f"on CI there must be an engine: {outage.message}")
        pytest.skip(outage.message)
    return sandbox


@asynccontextmanager
async def opened(sandbox: Sandbox, spec: BoxSpec = SPEC) -> AsyncIterator[Box]:
    """Yield a box that is closed at the end."""
    box = await sandbox.open(spec)
    try:
        yield box
    finally:
        await box.close()
