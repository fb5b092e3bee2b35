"""The main job with a container for each task, on a real engine."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.model_server import Held
from tests.runner.sandbox.sandbox_bench import working_sandbox
from tests.scenarios.bot import REPOSITORY, Bot, conversation
from tests.scenarios.containers import containers, inspected, watched
from tests.scenarios.endings import progress
from tests.scenarios.left_behind import leaks
from tests.scenarios.process import serving
from tests.scenarios.projects import ADD, ADD_WRONG, CALC, DOUBLE

pytestmark = pytest.mark.docker


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Bot]:
    """A conversation whose server works in containers; none may be left in the end."""
    await working_sandbox("docker")  # skips, with the reason, where there is no engine
    async with conversation(tmp_path, CALC, CAIRN_SANDBOX="docker") as bot:
        yield bot
        bot.check()
        assert leaks(bot) == []
        assert await containers(bot.settings) == set()


@pytest.mark.long("once more with Docker")
async def test_each_task_has_a_container_of_its_own(talk: Bot) -> None:
    """The first has that in which it was seen that tests start; each look renews it; all go."""
    talk.model.says(ADD, DOUBLE)
    async with watched(talk.settings) as watch, talk.started():
        await talk.comment("/execute")

        assert await containers(talk.settings) == set()
        counted = await watch.counted()
    assert "is done" in progress(talk.says())
    assert len(talk.pulls) == 2
    assert counted["create"] == counted["destroy"] == 2


@pytest.mark.long("once more with Docker")
async def test_a_repair_has_the_container_of_its_task(talk: Bot) -> None:
    """Can they start; then red tests, the base, green ones after a repair, looks at new ones."""
    talk.model.says(ADD_WRONG, ADD)
    async with watched(talk.settings) as watch, talk.started():
        await talk.comment("/execute --max-tasks 1")
        counted = await watch.counted()

    talk.says()
    assert len(talk.pulls) == 1
    assert counted["create"] == counted["destroy"] == 1


NOSY = """\
import os
import socket

import pytest


def test_nothing_of_the_server_is_in_the_environment():
    names = set(os.environ)
    assert not [name for name in names if name.startswith(("CAIRN", "GITHUB", "OPENAI"))]
    assert "sk-test" not in str(os.environ)
    assert names <= {%s}


def test_nobody_can_be_reached():
    for address in (("%s", %d), ("1.1.1.1", 53)):
        with pytest.raises(OSError):
            socket.create_connection(address, timeout=5)
"""
INSIDE = "HOME HOSTNAME LANG OLDPWD PATH PWD PYTHONDONTWRITEBYTECODE SHLVL _"
OF_PYTEST = "PYTEST_CURRENT_TEST PYTEST_VERSION"


async def test_code_sees_neither_the_server_nor_the_network(talk: Bot) -> None:
    """A test of the repository that looks for secrets and for GitHub finds neither."""
    known = ", ".join(map(repr, f"{INSIDE} {OF_PYTEST}".split()))
    github = urlsplit(talk.github.server_url)
    nosy = NOSY % (known, github.hostname, github.port)
    await talk.github.push(REPOSITORY, {"tests/test_nosy.py": nosy.encode()})
    talk.model.says(ADD)
    async with talk.started():
        await talk.comment("/execute --max-tasks 1")

    talk.says()
    (found,) = talk.files("verification-1.json")
    levels = {level["name"]: level["result"] for level in json.loads(found.read_text())["levels"]}
    assert levels["tests"] == "passed", found.read_text()


async def begun(bot: Bot) -> tuple[Held, set[str]]:
    """Wait until the tests were red once, so that a container waits for the repair."""
    kept = Held(ADD)
    bot.model.says(ADD_WRONG, kept)
    await bot.github.comment(REPOSITORY, bot.issue.number, "/execute --max-tasks 1", by="writer")
    await kept.asked.wait()
    assert leaks(bot, engine=await inspected(bot.settings)) == []
    return kept, await containers(bot.settings)


@pytest.mark.long("once more with Docker")
async def test_a_cancelled_run_leaves_no_container(talk: Bot) -> None:
    """The container of the task in hand goes with the run."""
    async with talk.started() as server:
        kept, there = await begun(talk)
        await talk.github.comment(REPOSITORY, talk.issue.number, "/execute cancel", by="writer")
        await server.inbox.idle()
        kept.go.set()
        await talk.idle()

        assert len(there) == 1
        assert await containers(talk.settings) == set()
    assert "was cancelled" in progress(talk.says())


@pytest.mark.long("once more with Docker")
async def test_a_stopped_server_leaves_no_container(talk: Bot) -> None:
    """A server that is stopped in order removes what it opened."""
    async with talk.started():
        kept, there = await begun(talk)
    kept.go.set()

    assert len(there) == 1
    assert await containers(talk.settings) == set()
    talk.says()


@pytest.mark.long("kills servers")
async def test_the_next_start_removes_what_a_killed_server_left(talk: Bot) -> None:
    """A killed server leaves its container; the next one removes it and ends the run."""
    async with serving(talk) as server:
        kept, there = await begun(talk)
        await server.end()
        assert await containers(talk.settings) == there
    kept.go.set()

    talk.model.says(ADD)
    async with serving(talk) as server:
        assert await containers(talk.settings) & there == set()
        await server.until(": ended")

    assert len(talk.pulls) == 1
    assert "is done" in progress(talk.says())
