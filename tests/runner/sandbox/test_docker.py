"""What is special about containers: the image, the engine that goes on when we stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from runner.ports import Sandbox, SandboxSession
from tests.runner.sandbox.sandbox_bench import SPEC, opened, working_sandbox

pytestmark = pytest.mark.docker


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    """Docker's; at the end no container of it may be left."""
    sandbox = await working_sandbox("docker")
    yield sandbox

    assert await sandbox.sweep() == 0


@pytest.fixture
async def box(sandbox: Sandbox) -> AsyncIterator[SandboxSession]:
    """An open container."""
    async with opened(sandbox) as box:
        yield box


async def test_the_image_holds_the_tools(box: SandboxSession) -> None:
    """The default image has what projects are verified with."""
    for tool in (["python", "-m", "pytest"], ["node"], ["git"], ["bash"]):
        assert (await box.run([*tool, "--version"])).exit_code == 0, tool


async def test_an_opening_that_is_cancelled_leaves_nothing(sandbox: Sandbox) -> None:
    """When the caller is cancelled while the container starts, it is removed again."""
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await sandbox.open(SPEC)

    assert await sandbox.sweep() == 0


async def test_a_sweep_leaves_others_alone(sandbox: Sandbox) -> None:
    """A sweep removes containers of its own owner only."""
    other = await working_sandbox("docker")
    async with opened(other) as box:
        await sandbox.sweep()

        assert (await box.run(["true"])).exit_code == 0
