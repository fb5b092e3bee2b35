"""``cairn setup``: from a machine without any configuration to a server that takes webhooks."""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
from asyncio import create_subprocess_exec, subprocess, to_thread
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli.main import cli
from tests.app.checkout import PROJECT, interruptible
from tests.app.setup.setup_kit import OURS, Browser, Page, browsing, manifest_of
from tests.fake_github import FakeGitHub
from tests.scenarios.process import Process
from tests.scenarios.template import used_database

RUNNER = CliRunner()
PATH = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))


async def _cairn(*command: str, folder: Path, **environment: object) -> subprocess.Process:
    """Start a command with nothing in its environment but this."""
    values = {name: str(value) for name, value in environment.items()}
    return await create_subprocess_exec(
        *command,
        cwd=folder,
        env={"PATH": PATH, "PYTHONPATH": str(PROJECT), "HOME": str(folder), **values},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=interruptible,
    )


async def _opened(process: subprocess.Process, browser: Browser) -> Page:
    """Open the page whose address the command prints."""
    assert process.stdout is not None
    async for line in process.stdout:
        if found := re.search(rb"http://\S+/setup\?key=\S+", line):
            return await browser.open(found[0].decode())
    assert process.stderr is not None
    raise AssertionError((await process.stderr.read()).decode())


async def test_from_nothing_to_a_server_that_takes_webhooks(tmp_path: Path) -> None:
    """Page, GitHub, file; the start command that is printed starts a server; a webhook is taken."""
    setup = (sys.executable, "-P", "-m", "app", "setup", "--url", OURS)
    async with FakeGitHub(tmp_path / "github") as github, browsing() as browser:
        process = await _cairn(*setup, folder=tmp_path, GITHUB_SERVER_URL=github.server_url)
        await browser.register(await _opened(process, browser))
        out, err = await process.communicate()

        said = out.decode()
        assert (process.returncode, err) == (0, b"")
        assert f"{github.server_url}/apps/{github.app.slug}/installations/new" in said
        assert github.app.webhook_secret not in said

        await used_database(tmp_path / "data")
        github.add_repository("octo/hello", {"ROADMAP.md": b""}, roles={"writer": "write"})
        (start,) = re.findall(r"set -a; .*", said)
        start = start.replace("cairn serve", f"exec {sys.executable} -P -m app serve")
        model = {"OPENAI_BASE_URL": "http://127.0.0.1:9", "OPENAI_API_KEY": "sk"}
        sandbox = {"CAIRN_SANDBOX": "process", "CAIRN_ALLOW_UNSANDBOXED": "root"}
        environment = {**model, **sandbox, "PORT": "0"}
        server = Process(await _cairn("sh", "-c", start, folder=tmp_path, **environment))
        address = (await server.until("Listening on ")).rpartition(" ")[2]
        github.webhook_url = f"{address}/webhook"
        issue = github.open_issue("octo/hello", "Please")

        assert await github.comment("octo/hello", issue.number, "Thank you.") == 202
        assert await server.end(signal.SIGTERM) == 0
        github.verify()


async def test_ctrl_c_stops_without_a_trace(tmp_path: Path) -> None:
    """130, and no file."""
    setup = (sys.executable, "-P", "-m", "app", "setup", "--url", OURS)
    async with FakeGitHub(tmp_path / "github") as github, browsing() as browser:
        process = await _cairn(*setup, folder=tmp_path, GITHUB_SERVER_URL=github.server_url)
        told = manifest_of(await _opened(process, browser))
        process.send_signal(signal.SIGINT)
        _, err = await process.communicate()

    assert told["redirect_url"].startswith("http://127.0.0.1:")
    assert (process.returncode, err) == (130, b"")
    assert not (tmp_path / "cairn.env").exists()


@contextmanager
def _taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture
def closed() -> str:
    """An address of this machine at which nobody listens."""
    with _taken() as port:
        return f"http://127.0.0.1:{port}"


BAD = {
    "no address": ([], "--url"),
    "no URL": (["--url", "cairn example"], "not a plain URL"),
    "a strange port": (["--url", "https://cairn.example.com:x"], "not a plain URL"),
    "a query": (["--url", "https://cairn.example.com?a=1"], "not a plain URL"),
    "not encrypted": (["--url", "http://cairn.example.com"], "must begin with https://"),
    "no organisation": (["--url", OURS, "--organization", "a/b"], "name of an organisation"),
    "a long name": (["--url", OURS, "--name", "x" * 35], "at most 34"),
    "no folder": (["--url", OURS, "--file", "nowhere/x.env"], "no folder nowhere"),
}


@pytest.mark.parametrize(("arguments", "says"), BAD.values(), ids=BAD.keys())
def test_what_cannot_be_used_is_told(arguments: list[str], says: str, tmp_path: Path) -> None:
    """2, a sentence, and nothing written; GitHub is not asked."""
    file = [] if "--file" in arguments else ["--file", str(tmp_path / "cairn.env")]

    said = RUNNER.invoke(cli, ["setup", *arguments, *file], env={"CAIRN_PUBLIC_URL": None})

    assert said.exit_code == 2
    assert says in said.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_exists_is_kept(tmp_path: Path) -> None:
    """It may hold the secrets of another App: 2, and the sentence says what to do."""
    file = tmp_path / "cairn.env"
    file.write_text("mine\n")

    said = RUNNER.invoke(cli, ["setup", "--url", OURS, "--file", str(file)])

    assert (said.exit_code, file.read_text()) == (2, "mine\n")
    assert "already exists" in said.stderr
    assert "name another file" in said.stderr


def test_a_github_that_is_not_there_is_told_before_anything_is_registered(
    tmp_path: Path, closed: str
) -> None:
    """2, with the variables to check."""
    file = str(tmp_path / "cairn.env")

    said = RUNNER.invoke(
        cli, ["setup", "--url", OURS, "--file", file], env={"GITHUB_API_URL": f"{closed}/api/v3"}
    )

    assert said.exit_code == 2
    assert f"{closed}/api/v3" in said.stderr
    assert "GITHUB_API_URL" in said.stderr
    assert list(tmp_path.iterdir()) == []


async def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    """2, with the port."""
    async with FakeGitHub(tmp_path / "github") as github:
        with _taken() as port:
            setup = ["setup", "--url", OURS, "--file", str(tmp_path / "cairn.env")]
            where = {"GITHUB_API_URL": github.api_url}
            said = await to_thread(RUNNER.invoke, cli, [*setup, "--port", str(port)], env=where)

    assert said.exit_code == 2
    assert f"PORT {port}" in said.stderr
    assert not (tmp_path / "cairn.env").exists()
