"""``cairn serve`` in a process of its own, on a fake GitHub and a scripted model, in real time."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from app.settings import load_server_settings
from tests.fake_github import FakeGitHub, WallClock
from tests.model_server import ScriptedModel, serve
from tests.scenarios.bot import Bot, leading_to
from tests.scenarios.projects import notes
from tests.scenarios.template import used_database

BUSY, FREE = "octo/busy", "octo/free"
"""Two repositories of the fake, each with one open task and one issue."""

NOTES = notes("# Roadmap\n\n- [ ] 1.1 Write `one.md`\n")


@asynccontextmanager
async def surroundings(folder: Path) -> AsyncIterator[Bot]:
    """Two repositories, a model that has nothing to say yet, and settings that lead to them."""
    model = ScriptedModel()
    github = FakeGitHub(folder / "github", clock=WallClock(), must_read=False)
    async with github, serve(model) as base_url:
        for name in (BUSY, FREE):
            github.add_repository(name, NOTES, roles={"writer": "write"})
        issues = {name: github.open_issue(name, "Please", by="writer") for name in (BUSY, FREE)}
        await used_database(folder / "data")
        values = leading_to(github, base_url, folder)
        yield Bot(github, model, load_server_settings(**values), issues[FREE])


def processor_seconds(pid: int, *, children: bool = False) -> float:
    """What a process, or its ``children`` that have ended, used so far.

    https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    """
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    user, system = fields[13:15] if children else fields[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def megabytes(pid: int, *, peak: bool = False) -> float:
    """The memory a process holds, or the most that it has held so far."""
    name, lines = "VmHWM" if peak else "VmRSS", Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))
