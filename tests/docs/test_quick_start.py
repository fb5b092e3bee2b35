"""The quick starts, typed word for word into a clean folder of somebody who has only the README."""

from __future__ import annotations

import asyncio
import fcntl
import os
import re
import signal
from pathlib import Path

import pytest

from tests.app.setup.setup_kit import browsing
from tests.docs.journeys import journey
from tests.docs.stranger import Stranger, stranger
from tests.fake_github import FakeGitHub
from tests.model_server import read_script, serve
from tests.runner.git.scratch_git import ScratchGit
from tests.scenarios.process import Process
from tools.docs.parts import ROOT

pytestmark = [
    pytest.mark.long("installs Cairn into a folder of its own"),
    pytest.mark.timeout(600),
]

SCRIPT = ROOT / "docs/quick-start.yaml"
"""What `make model` plays."""
INSTALL, *CHECKOUT = journey("On your own checkout")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Stranger:
    """Somebody who has typed the first block: a clone, and ``cairn`` on PATH.

    The processes of a test run share the clone: installing it takes more than a minute.
    """
    own = tmp_path_factory.getbasetemp()
    home = (own if worker_id == "master" else own.parent) / "stranger"
    home.mkdir(exist_ok=True)
    user = stranger(home)
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (home / "cairn/.venv/.complete").exists():
            asyncio.run(user.types(INSTALL))
    path = os.pathsep.join((str(user.home / "cairn/.venv/bin"), user.environment["PATH"]))
    user.environment["PATH"] = path
    return user


async def test_on_a_checkout(installed: Stranger) -> None:
    """From a new project to a first verified commit, with its box ticked."""
    model = read_script(SCRIPT)
    async with serve(model) as url:
        said = await installed.types(*CHECKOUT, OPENAI_BASE_URL=url)
    assert model.violations == []

    assert "[DRY RUN]" in said
    assert "problem " not in said  # of cairn doctor
    assert "test_price.py" in said
    boxes = re.findall(
        r"^- \[(.)\]", (installed.home / "shop/ROADMAP.md").read_text(), re.MULTILINE
    )
    assert boxes == ["x", " "]


async def test_in_a_workflow(installed: Stranger) -> None:
    """The workflow that is pushed is the example, which tests/action runs."""
    origin = ScratchGit(installed.home / "origin")
    origin.commit({"ROADMAP.md": b"- [ ] Add `a.py`\n"})
    origin("config", "receive.denyCurrentBranch", "ignore")
    await installed.types(f"git clone --quiet {origin.root} hello")

    await installed.types(*journey("In a workflow, without a server"), folder="hello")

    pushed = origin("show", "main:.github/workflows/roadmap.yml")
    assert pushed == (ROOT / "docs/workflows/roadmap.yml").read_text().strip()


async def _address(shell: asyncio.subprocess.Process) -> str:
    """The page that ``cairn setup`` prints."""
    assert shell.stdout is not None
    async for line in shell.stdout:
        if found := re.search(rb"http://\S+/setup\?key=\S+", line):
            return found[0].decode()
    raise AssertionError("no address was printed")


async def test_as_an_app(installed: Stranger, tmp_path: Path) -> None:
    """From nothing to a server of one's own that opens a pull request."""
    setup, start = journey("As a GitHub App")
    model = read_script(SCRIPT)
    sandbox = {"CAIRN_SANDBOX": "process", "CAIRN_ALLOW_UNSANDBOXED": "root", "PORT": "0"}
    async with (
        FakeGitHub(tmp_path / "github") as github,
        browsing() as browser,
        serve(model) as url,
    ):
        shell = await installed.begins(setup, GITHUB_SERVER_URL=github.server_url)
        await browser.register(await browser.open(await _address(shell)))
        assert await shell.wait() == 0

        roadmap = b"- [ ] 1.1 Add `price.py`, and its tests in `test_price.py`\n"
        github.add_repository("octo/shop", {"ROADMAP.md": roadmap}, roles={"writer": "write"})
        issue = github.open_issue("octo/shop", "Prices")
        server = Process(await installed.begins(start, OPENAI_BASE_URL=url, **sandbox))
        address = (await server.until("Listening on ")).rpartition(" ")[2]
        github.webhook_url = f"{address}/webhook"
        assert await github.comment("octo/shop", issue.number, "/execute") == 202
        async with asyncio.timeout(60):
            await server.until("Checkpoint of task [1.1]")

        assert await server.end(signal.SIGTERM) == 0
        assert "1.1" in github.says("octo/shop", issue.number)[0]
        github.verify()
    assert model.violations == []
