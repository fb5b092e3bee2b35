"""The server's image, built and run as ``compose.yaml`` does, on a real engine."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from aiodocker import Docker

from runner.sandbox.docker_engine import engine_address
from tests.runner.sandbox.sandbox_bench import working_sandbox
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.containers import containers, watched
from tests.scenarios.endings import progress
from tests.scenarios.process import Process, environment
from tests.scenarios.projects import ADD, CALC

IMAGE = "cairn-server:latest"
SCRIPT = Path(__file__).parents[2] / "scripts" / "server-image"
# a first build takes minutes; when the image is up to date the script says so at once
pytestmark = [
    pytest.mark.docker,
    pytest.mark.long("builds the server's image, unless it is there"),
    pytest.mark.timeout(1200),
]


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Bot]:
    """A conversation whose server will be a container; no container may be left in the end."""
    await working_sandbox("docker")  # skips, with the reason, where there is no engine
    if not engine_address(os.environ).startswith("unix://"):
        pytest.skip("the engine has no socket on this machine that a container could be given")
    await done(str(SCRIPT), "--tag", IMAGE)
    async with conversation(tmp_path, CALC, CAIRN_SANDBOX="docker") as bot:
        # no folder of this machine: the name under which the container's own volume is labelled
        own = {"cairn_data_dir": Path(f"/data/{uuid.uuid4().hex}")}
        bot.settings = bot.settings.model_copy(update=own)
        yield bot
        bot.github.verify()
        bot.model.verify()
        assert await containers(bot.settings) == set()


@asynccontextmanager
async def served(bot: Bot) -> AsyncIterator[tuple[Process, str]]:
    """Run the image, and yield its log and the container's name once it listens."""
    name = f"cairn-test-{uuid.uuid4().hex}"
    given = {**environment(bot.settings), "HOST": "127.0.0.1", "PORT": str(_free_port())}
    passed = [f"--env={each}" for each in given if each not in {"PATH", "DOCKER_HOST"}]
    engine = urlsplit(engine_address(os.environ)).path
    group = await asyncio.to_thread(lambda: Path(engine).stat().st_gid)
    process = Process(
        await asyncio.create_subprocess_exec(
            *("docker", "run", "--rm", "--name", name, "--network=host", "--health-interval=1s"),
            *("--read-only", "--tmpfs=/tmp", f"--volume={name}:/data", *passed),
            *(f"--volume={engine}:/var/run/docker.sock", f"--group-add={group}"),
            IMAGE,
            env={**os.environ, **given, "PATH": os.environ["PATH"]},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
    )
    try:
        address = (await process.until("Listening on ")).rpartition(" ")[2]
        bot.github.webhook_url = f"{address}/webhook"
        yield process, name
    finally:
        bot.github.webhook_url = None
        await process.end(signal.SIGTERM)
        await done("docker", "volume", "rm", name)


async def test_the_image_serves(talk: Bot) -> None:
    """Not root, on a read-only file system: a signed delivery becomes a verified pull request."""
    talk.model.says(ADD)
    async with watched(talk.settings) as watch, served(talk) as (server, name):
        await healthy(name)
        await talk.github.comment(
            REPOSITORY, talk.issue.number, "/execute --max-tasks 1", by="writer"
        )
        await server.until(": ended")
        said = progress(talk.says())
        assert await user_of(name) == "cairn"
        assert await server.end(signal.SIGTERM) == 0
        counted = await watch.counted()

    assert len(talk.pulls) == 1, said
    # the task has that in which it was seen that tests can start
    assert counted["create"] == 1
    assert "Stopping" in "\n".join([*server.lines, await _rest(server)])


async def healthy(name: str) -> None:
    """Wait until the engine's own check says that the server is healthy."""
    process = await asyncio.create_subprocess_exec(
        *("docker", "events", "--since=1h", f"--filter=container={name}"),
        *("--filter=event=health_status", "--format={{.Action}}"),
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert (await process.stdout.readline()).strip() == b"health_status: healthy"
    process.terminate()
    await process.wait()


async def done(*line: str) -> None:
    """Run a command; it must succeed."""
    process = await asyncio.create_subprocess_exec(*line, stdout=subprocess.DEVNULL)
    assert await process.wait() == 0, line


async def user_of(name: str) -> str:
    """The user the container runs as."""
    async with Docker(url=engine_address(os.environ)) as docker:
        return str((await docker.containers.get(name))["Config"]["User"])


async def _rest(server: Process) -> str:
    assert server.process.stderr is not None
    return (await server.process.stderr.read()).decode()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
