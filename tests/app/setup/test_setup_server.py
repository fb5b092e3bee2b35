"""``cairn serve`` without an App: it serves the set-up, guarded, then goes on by itself."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from asyncio import create_subprocess_exec, subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from typer.testing import CliRunner

from app.cli.main import cli
from app.settings import load_server_settings, load_setup_settings
from app.settings.reading import APP_NAMES
from app.setup.command import set_up
from tests.app.checkout import PROJECT
from tests.app.setup.setup_kit import Browser, Page, browsing
from tests.fake_github import FakeGitHub
from tests.scenarios.process import Process
from tests.scenarios.template import used_database

PATH = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))

_BASE = {
    "OPENAI_BASE_URL": "http://127.0.0.1:9",
    "OPENAI_API_KEY": "sk",
    "CAIRN_SANDBOX": "process",
    "CAIRN_ALLOW_UNSANDBOXED": "root",
}


async def _start(folder: Path, environment: Mapping[str, str]) -> subprocess.Process:
    base = {"PATH": PATH, "PYTHONPATH": str(PROJECT), "HOME": str(folder)}
    return await create_subprocess_exec(
        *(sys.executable, "-P", "-m", "app", "serve"),
        cwd=folder,
        env={**base, **_BASE, "CAIRN_DATA_DIR": str(folder / "data"), **environment},
        stderr=subprocess.PIPE,
    )


@asynccontextmanager
async def _serving(folder: Path, **environment: str) -> AsyncIterator[Process]:
    process = Process(await _start(folder, environment))
    try:
        yield process
    finally:
        await process.end()


def _at(github: FakeGitHub, port: int) -> dict[str, str]:
    url = f"http://127.0.0.1:{port}"
    return {"GITHUB_SERVER_URL": github.server_url, "PORT": str(port), "CAIRN_PUBLIC_URL": url}


async def test_a_server_without_an_app_gets_one_and_goes_on(
    tmp_path: Path, unused_tcp_port: int
) -> None:
    """Set-up by the printed link, then webhooks; the next start finds the App."""
    async with FakeGitHub(tmp_path / "github") as github, browsing() as browser:
        where = _at(github, unused_tcp_port)
        await used_database(tmp_path / "data")
        url, file = where["CAIRN_PUBLIC_URL"], tmp_path / "data" / "cairn.env"
        async with _serving(tmp_path, **where) as process:
            link = re.findall(r"http\S+key=\S+", await process.until("There is no GitHub App yet"))
            assert await _tells_that_it_waits(browser, url)
            done = await browser.register(await browser.open(link[0]))
            assert "continues automatically" in done.words

            await process.until("Listening on ")
            github.add_repository("octo/hello", {"ROADMAP.md": b""}, roles={"writer": "write"})
            issue = github.open_issue("octo/hello", "Please")
            github.webhook_url = f"{url}/webhook"
            assert await github.comment("octo/hello", issue.number, "Thank you.") == 202
            assert await process.end(signal.SIGTERM) == 0
        again = load_server_settings(**_BASE, CAIRN_DATA_DIR=file.parent)
        assert again.github_app_id == github.app.id
        assert again.cairn_public_url == url
        github.verify()


async def _tells_that_it_waits(browser: Browser, url: str) -> bool:
    alive = await browser.open(f"{url}/healthz")
    ready = await browser.open(f"{url}/readyz")
    return (alive.status, ready.status) == (200, 503) and f"Open {url}/setup" in ready.text


async def test_with_an_admin_token_that_opens_the_setup(
    tmp_path: Path, unused_tcp_port: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """No code is printed then, and neither is the token; stopped, it leaves no file."""
    token, stop = "correct horse battery", asyncio.Event()
    async with FakeGitHub(tmp_path / "github") as github, browsing() as browser:
        where = _at(github, unused_tcp_port)
        settings = load_setup_settings(
            **where, CAIRN_DATA_DIR=tmp_path / "data", CAIRN_ADMIN_TOKEN=token
        )
        serving = asyncio.create_task(set_up(settings, stop))
        asks = await _once_it_listens(browser, f"{where['CAIRN_PUBLIC_URL']}/setup")
        wrong = await browser.send(asks, key="wrong")
        shown = await browser.send(asks, key=token)
        stop.set()
        assert await serving is False

    said = capsys.readouterr().err
    assert "CAIRN_ADMIN_TOKEN" in said
    assert "key=" not in said
    assert token not in said
    assert (wrong.status, shown.status) == (403, 200)
    assert "manifest" in shown.form[1]
    assert not (tmp_path / "data" / "cairn.env").exists()


async def _once_it_listens(browser: Browser, url: str) -> Page:
    while True:
        try:
            return await browser.open(url)
        except aiohttp.ClientConnectorError:  # not yet; asking lets the server go on
            continue


REFUSED = {
    "no public address": ({}, "GITHUB_APP_ID is not set"),
    "half an App": ({"GITHUB_APP_ID": "7", "CAIRN_PUBLIC_URL": "https://x.test"}, "GITHUB_WEBHOOK"),
    "something else is wrong": (
        {"CAIRN_PUBLIC_URL": "https://x.test", "CAIRN_CONCURRENCY": "0"},
        "CAIRN_CONCURRENCY",
    ),
    "not encrypted": ({"CAIRN_PUBLIC_URL": "http://x.test"}, "must begin with https://"),
}


NAMES = ("CAIRN_PUBLIC_URL", "CAIRN_ADMIN_TOKEN", *APP_NAMES)


def _refused(folder: Path, **environment: str) -> str:
    """Start a server that must not start; what it says."""
    given = dict.fromkeys(NAMES) | _BASE | {"CAIRN_DATA_DIR": str(folder / "data"), **environment}
    said = CliRunner().invoke(cli, ["serve"], env=given)
    assert said.exit_code == 2, said.output
    return said.stderr


@pytest.mark.parametrize(("environment", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_other_mistakes_still_keep_the_server_from_starting(
    tmp_path: Path, environment: dict[str, str], says: str
) -> None:
    """2, with what is wrong; nothing is written."""
    assert says in _refused(tmp_path, **environment)
    assert not (tmp_path / "data" / "cairn.env").exists()


def test_what_the_set_up_brings_is_not_asked_for(tmp_path: Path) -> None:
    """Only what keeps the set-up from starting is named, and in one sentence."""
    there = {"CAIRN_PUBLIC_URL": "https://x.test"}
    said = _refused(tmp_path, **there, CAIRN_ADMIN_TOKEN="short")
    assert "CAIRN_ADMIN_TOKEN" in said
    assert "GITHUB_" not in said
    assert "set CAIRN_PUBLIC_URL" not in said

    said = _refused(tmp_path, CAIRN_PUBLIC_URL="http://x.test")
    assert said.count("..") == 0


def test_a_server_without_an_app_says_how_to_get_one(tmp_path: Path) -> None:
    """The message names the command."""
    assert "cairn setup --url https://" in _refused(tmp_path)


def test_an_app_with_a_wrong_setting_is_no_server_without_one(tmp_path: Path) -> None:
    """What is wrong with which setting is said, and nothing of registering an App."""
    for settings in (
        {"GITHUB_APP_ID": "seven", "GITHUB_WEBHOOK_SECRET": "0123456789"},
        {"GITHUB_APP_ID": "seven"},
        {"GITHUB_WEBHOOK_SECRET": "0123456789"},
        {"GITHUB_APP_PRIVATE_KEY_FILE": "/nowhere.pem"},
    ):
        said = _refused(tmp_path, **settings)

        assert "cairn setup" not in said
        assert "GITHUB_APP_ID" in said


def test_a_file_without_an_app_is_not_overwritten(tmp_path: Path) -> None:
    """A file that a crash left empty, or that is no text, is named, and kept."""
    (tmp_path / "data").mkdir()
    file = tmp_path / "data" / "cairn.env"
    for held in (b"OPENAI_API_KEY=sk-mine\n", b"", b"\xff\xfe"):
        file.write_bytes(held)

        said = _refused(tmp_path, CAIRN_PUBLIC_URL="https://x.test")

        assert "cairn.env that holds no App" in said
        assert file.read_bytes() == held


def test_a_file_of_an_app_never_mixes_with_the_environment(tmp_path: Path) -> None:
    """The id of one App with the key of another would be worse than either."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "cairn.env").write_text("GITHUB_WEBHOOK_SECRET=0123456789\n")

    assert "GITHUB_WEBHOOK_SECRET is not set" in _refused(tmp_path, GITHUB_APP_ID="7")
