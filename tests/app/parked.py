"""A folder with a run that rests with a proposal, made in this process by the real loop."""

from __future__ import annotations

import asyncio
from contextlib import chdir
from dataclasses import replace
from pathlib import Path

from typer.testing import CliRunner, Result

from app.cli.main import cli
from app.local.compose import kept_in
from runner.files.decisions import KnownRun
from runner.files.journal import FileJournal
from runner.loop.driver import drive
from runner.nodes import NODES
from runner.prompts.questions import Answer, Question
from runner.state.options import Request
from tests.runner.memory_repository import MemoryRepository
from tests.runner.scripted import answer, deps

ROADMAP = "- [ ] 1.1 Write `one.json`\n- [ ] 1.2 Write `two.json`\n"
BROKEN = 'one.json\n```json\n{"a": 1,\n```\ntwo.json\n```json\n{"a": 1,\n```\n'


class Useless:
    """A model that always says the same, which is never right."""

    async def ask(self, question: Question) -> Answer:
        return answer(BROKEN)


def parked(folder: Path, roadmap: str = ROADMAP, *, run: str = "r1", began: float = 1.0) -> None:
    """Let a run come to rest with a proposal for each task of the roadmap."""
    asyncio.run(_parked(folder, roadmap, run))
    kept_in(folder / ".executor").runs.put(KnownRun(run, "ROADMAP.md", "waiting", began))


async def _parked(folder: Path, roadmap: str, run: str) -> None:
    journal = FileJournal(folder / ".executor" / "journal")
    repository = MemoryRepository({"ROADMAP.md": roadmap})
    ports = deps(model=Useless(), repository=repository)  # type: ignore[arg-type]
    ended = await drive(Request(run), NODES, replace(ports, journal=journal))
    assert ended.status == "waiting"
    await journal.close()


def cairn(folder: Path, *arguments: str, input: str | None = None) -> Result:
    """Run a command in the folder, in this process."""
    with chdir(folder):
        return CliRunner().invoke(cli, arguments, input=input)
