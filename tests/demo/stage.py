"""What the demo needs around it: GitHub, a model, a sandbox, and Cairn itself as a process."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from rich.console import Console

from tests.demo.repository import FILES
from tests.fake_github import FakeGitHub, WallClock
from tests.fake_github.state import Issue
from tests.model_server import read_script, serve

REPOSITORY = "octo/calc"
_SCRIPT = Path(__file__).parent / "answers.yaml"
_BIN = Path(sys.executable).parent


@dataclass
class Stage:
    """``open`` starts everything and stops it again; ``lines`` are what Cairn logs."""

    folder: Path
    console: Console
    sandbox: str = ""
    lines: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    github: FakeGitHub = field(init=False)
    issue: Issue = field(init=False)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Self]:
        """Start GitHub, the model and Cairn; leaving stops them."""
        async with AsyncExitStack() as stack:
            self.github = await stack.enter_async_context(
                FakeGitHub(self.folder / "github", clock=WallClock(), must_read=False)
            )
            self.github.add_repository(REPOSITORY, FILES, roles={"ada": "maintain"})
            self.issue = self.github.open_issue(REPOSITORY, "Work on the roadmap", by="ada")
            model = await self._model(stack)
            environment = {**os.environ, **self._environment(), **model, **self._sandbox()}
            process = await self._start(environment)
            stack.push_async_callback(_stop, process)
            reader = asyncio.create_task(self._read(process))
            stack.callback(reader.cancel)
            await self._listening()
            yield self

    async def _model(self, stack: AsyncExitStack) -> dict[str, str]:
        if os.environ.get("OPENAI_API_KEY"):
            self.console.print("Model: the endpoint of your environment (OPENAI_API_KEY is set).")
            return {}
        url = await stack.enter_async_context(serve(read_script(_SCRIPT)))
        self.console.print(
            "Model: [bold]scripted[/bold]. No language model is asked; a loopback server plays one "
            "that knows the demo's tasks and makes mistakes on the way. Set OPENAI_API_KEY "
            "(and OPENAI_BASE_URL, CAIRN_MODEL) to ask a real one."
        )
        return {"OPENAI_API_KEY": "demo", "OPENAI_BASE_URL": url, "CAIRN_MODEL": "scripted-demo"}

    def _environment(self) -> dict[str, str]:
        app = self.github.app
        return {
            "GITHUB_APP_ID": str(app.id),
            "GITHUB_APP_PRIVATE_KEY": app.private_key,
            "GITHUB_WEBHOOK_SECRET": app.webhook_secret,
            "GITHUB_API_URL": self.github.api_url,
            "GITHUB_SERVER_URL": self.github.server_url,
            "CAIRN_DATA_DIR": str(self.folder / "data"),
            "HOST": "127.0.0.1",
            "PORT": "0",
            "PATH": os.pathsep.join((str(_BIN), os.environ.get("PATH", os.defpath))),
            "PYTHONUNBUFFERED": "1",
        }

    def _sandbox(self) -> dict[str, str]:
        """Docker where it works; else the plain process sandbox, said loudly."""
        if self.sandbox != "process" and _has_docker():
            self.console.print("Sandbox: docker, one container a task without network.")
            return {"CAIRN_SANDBOX": "docker"}
        if self.sandbox == "docker":
            raise SystemExit(_NO_DOCKER)
        if self.sandbox != "process":
            self.console.print(_NO_DOCKER)
        self.console.print(
            "Sandbox: [bold red]process[/bold red]. The demo goes on without isolation: its code "
            "runs as you, on this machine."
        )
        return {"CAIRN_SANDBOX": "process", "CAIRN_ALLOW_UNSANDBOXED": "1"}

    async def _start(self, environment: dict[str, str]) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "app",
            "serve",
            env=environment,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while line := await process.stderr.readline():
            await self.lines.put(line.decode(errors="replace").rstrip("\n"))
        await self.lines.put("")

    async def _listening(self) -> None:
        """Wait for the address Cairn says it listens on, and tell GitHub."""
        said = []
        while line := await self.lines.get():
            said.append(line)
            if "Listening on " in line:
                self.github.webhook_url = line.rpartition(" ")[2] + "/webhook"
                return
        raise SystemExit("Cairn did not start:\n" + "\n".join(said))


_NO_DOCKER = (
    "No Docker Engine answers, or it has no image cairn-sandbox:latest. Install one (Debian and "
    "Ubuntu: apt-get install docker.io), then run scripts/sandbox-image."
)


def _has_docker() -> bool:
    docker = shutil.which("docker")
    if docker is None:
        return False
    asked = [docker, "image", "inspect", "cairn-sandbox:latest"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()
    await process.wait()
