"""The two doors: ``cairn run`` as a process on a checkout, and the server with its GitHub."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.app.checkout import Checkout, Said, checkout
from tests.plain_python import plain_path, plain_python
from tests.scenarios.bot import Bot, conversation
from tests.scenarios.endings import progress
from tests.scenarios.left_behind import disagreements, leaks
from tests.scenarios.promised.left import Left
from tests.scenarios.promised.scenario import Scenario

Log = Callable[[], Sequence[str]]


async def by_command(scenario: Scenario, folder: Path) -> Left:
    """Run ``cairn run`` on a checkout of the scenario's repository."""
    async with checkout(folder / "here", scenario.repository) as here:
        here.environment["PATH"] = watching_python(folder)
        scenario.script(here.model)
        said = await here.cairn("run", *scenario.asked.flags)
        assert said.code == scenario.code, said.err + said.out
        assert here.git("status", "--porcelain") == ""
        return left_by(here, said, folder)


async def by_server(
    scenario: Scenario, folder: Path, log: Log, *, sandbox: str = "process", image: str = ""
) -> Left:
    """Comment ``/execute`` on an issue of the scenario's repository."""
    watching_python(folder)
    settings = {"CAIRN_SANDBOX": sandbox} | ({"CAIRN_SANDBOX_IMAGE": image} if image else {})
    async with conversation(folder, scenario.repository, **settings) as bot, bot.started():
        scenario.script(bot.model)
        await bot.comment(" ".join(("/execute", *scenario.asked.command)))
        said = bot.says()
        assert scenario.ends in progress(said).split("\n")[0], said
        check_server(bot)
        return left_on(bot, said, folder, log)


def check_server(bot: Bot) -> None:
    """Nothing is left unsaid, unread or unasked."""
    bot.proposes()
    bot.check()
    assert leaks(bot) == []
    assert disagreements(bot) == []


def left_by(here: Checkout, said: Said, folder: Path) -> Left:
    """What lies in a checkout."""
    prompts = tuple(asked.prompt for asked in here.model.requests)
    git, kept = here.folder / ".git", here.folder / ".executor"
    return Left(git, kept, prompts, tuple(said.err.splitlines()), said.out, folder / "seen")


def left_on(bot: Bot, said: Sequence[str], folder: Path, log: Log) -> Left:
    """What lies in a server's data folder and on its GitHub."""
    (todos,) = bot.files("todos.json")
    text = "\n".join(said)
    asked, said_to_log = tuple(bot.prompts), tuple(log())
    seen = folder / "seen"
    return Left(bot.view.git, todos.parent, asked, said_to_log, text, seen, timed=False)


def watching_python(folder: Path) -> str:
    """A PATH whose Python copies the workspace it is started in, then does what it is asked.

    It stands where a conversation looks for its own; our plugins of pytest stay out of it.
    """
    python, seen = folder / "bin" / "python3", folder / "seen"
    for each in (python.parent, seen):
        each.mkdir(parents=True, exist_ok=True)
    copy = f'cp -R . "$(mktemp -d "{seen}/XXXXXX")"'
    python.write_text(f'#!/bin/sh\n{copy}\nexec "{plain_python()}" "$@"\n')
    python.chmod(0o755)
    return os.pathsep.join((str(python.parent), plain_path(Path(sys.executable).parent)))
