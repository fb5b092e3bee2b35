"""What the demo needs around it: GitHub, a model, a sandbox, and Cairn itself as a process."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from rich.console import Console

from tests.fake_github import FakeGitHub, WallClock
from tests.fake_github.state import Issue
from tests.model_server import read_script, serve
from tools.demo.repository import FILES
from tools.demo.site import BY, Site

REPOSITORY = "octo/calc"
_SCRIPT = Path(__file__).parent / "answers.yaml"
_BIN = Path(sys.executable).parent


@dataclass
class Stage:
    """``open`` starts everything and stops it again; ``lines`` are what Cairn logs.

    ``url`` is where Cairn and its pages are, ``token`` opens them.
    """

    folder: Path
    console: Console
    sandbox: str = ""
    image: str = ""
    lines: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    github: FakeGitHub = field(init=False)
    issue: Issue = field(init=False)
    url: str = field(init=False)
    token: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    _variables: dict[str, str] = field(default_factory=dict)
    _process: asyncio.subprocess.Process | None = None
    _reader: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Self]:
        """Start GitHub, the model and Cairn; leaving stops them."""
        async with AsyncExitStack() as stack:
            site = Site(REPOSITORY)
            folder = self.folder / "github"
            self.github = site.github = await stack.enter_async_context(
                FakeGitHub(folder, clock=WallClock(), must_read=False, routes=site.routes())
            )
            self.url = f"http://127.0.0.1:{_free_port()}"
            self.github.add_repository(REPOSITORY, FILES, roles={BY: "maintain"})
            self.issue = self.github.open_issue(REPOSITORY, "Work on the roadmap", by=BY)
            model = await self._model(stack)
            self._variables = {**os.environ, **self._environment(), **model, **self._sandbox()}
            stack.push_async_callback(self._end, signal.SIGTERM)
            await self._begin()
            yield self

    async def kill(self) -> None:
        """Kill Cairn as a crash would, and start it again on what it left."""
        await self._end(signal.SIGKILL)
        self.console.print("[bold red]kill -9[/bold red]: Cairn is dead. Starting it again.")
        await self._begin()

    async def _begin(self) -> None:
        self._process = await self._start(self._variables)
        self._reader = asyncio.create_task(self._read(self._process))
        await self._listening()

    async def _end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        if self._process.returncode is None:
            self._process.send_signal(how)
        await self._process.wait()
        if self._reader is not None:
            await self._reader

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
            "CAIRN_ADMIN_TOKEN": self.token,
            "CAIRN_PUBLIC_URL": self.url,
            "HOST": "127.0.0.1",
            "PORT": self.url.rpartition(":")[2],
            "PATH": os.pathsep.join((str(_BIN), os.environ.get("PATH", os.defpath))),
            "PYTHONUNBUFFERED": "1",
        }

    def _sandbox(self) -> dict[str, str]:
        """Docker where it works; else the plain process sandbox, said loudly."""
        image = {"CAIRN_SANDBOX_IMAGE": self.image} if self.image else {}
        if self.sandbox == "bubblewrap":
            self.console.print("Sandbox: bubblewrap, namespaces of its own for each task.")
            return {"CAIRN_SANDBOX": "bubblewrap", **image}
        if self.sandbox != "process" and (self.image or _has_docker()):
            self.console.print("Sandbox: docker, one container a task without network.")
            return {"CAIRN_SANDBOX": "docker", **image}
        if self.sandbox == "docker":
            raise SystemExit(_NO_DOCKER)
        if self.sandbox != "process":
            self.console.print(_NO_DOCKER)
        self.console.print(
            "Sandbox: [bold red]process[/bold red]. The demo goes on without isolation: its code "
            "runs as you, on this machine."
        )
        return {"CAIRN_SANDBOX": "process", "CAIRN_ALLOW_UNSANDBOXED": "root"}

    async def _start(self, environment: dict[str, str]) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # a folder "app" where the demo runs is not Cairn
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

    async def _listening(self) -> None:
        """Wait for the address Cairn says it listens on, and tell GitHub."""
        lines = []
        while not self._reader_is_done() or not self.lines.empty():
            lines.append(await self.next_line() or "")
            if "Listening on " in lines[-1]:
                self.github.webhook_url = f"{self.url}/webhook"
                return
        raise SystemExit("Cairn did not start:\n" + "\n".join(lines))

    async def next_line(self) -> str | None:
        """Return the next line Cairn logs; None when there is none for half a second."""
        try:
            return await asyncio.wait_for(self.lines.get(), timeout=0.5)
        except TimeoutError:
            return None

    def _reader_is_done(self) -> bool:
        return self._reader is None or self._reader.done()


_NO_DOCKER = (
    "No Docker Engine answers, or it has no image cairn-sandbox:latest. Install one (Debian and "
    "Ubuntu: apt-get install docker.io), then run scripts/sandbox-image "
    "in Cairn's repository."
)


def _free_port() -> int:
    """A port that Cairn can listen on: its pages are linked before it listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _has_docker() -> bool:
    docker = shutil.which("docker")
    if docker is None:
        return False
    asked = [docker, "image", "inspect", "cairn-sandbox:latest"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0
