"""What ``--parallel 2`` saves when the model takes its time: the same tasks one after another."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter

from bench.finding import Finding, Line, Peer
from bench.timing import medians_of
from runner.files.journal import FileJournal
from runner.git.local_repository import LocalRepository
from runner.loop.driver import drive
from runner.nodes import NODES
from runner.ports import Fanout, SystemClock
from runner.prompts.questions import Answer, Question
from runner.sandbox.process import ProcessSandbox
from runner.state.options import Options, Request
from runner.state.run_state import Status
from tests.runner.git.scratch_git import ENVIRONMENT, ScratchGit
from tests.runner.scripted import answer, deps
from tests.scenarios.projects import note

_TASKS, _ROUNDS, _SECONDS = 6, 3, 2.0
_MOST = 0.6


class SlowModel:
    """Writes the note a task asks for, after some seconds."""

    async def ask(self, question: Question) -> Answer:
        await asyncio.sleep(_SECONDS)
        _, _, asked = question.messages[-1].content.partition("# The task")
        found = re.search(r"note\d\.md", asked)
        assert found is not None, asked
        return answer(note(found[0]))


async def measure(folder: Path) -> AsyncIterator[Line]:
    """The wall time of a whole run with one and with two tasks at a time."""
    asked = {str(number): partial(_seconds, folder, number) for number in (1, 2)}
    found = await medians_of(_ROUNDS, asked)
    peer = Peer(what="one at a time", value=found["1"])
    yield Finding(
        what=f"{_TASKS} tasks, two at a time, {_SECONDS:.0f} s a model answer",
        value=found["2"],
        unit="s",
        peer=peer,
        goal=f"<= {_MOST} of the time",
        ok=found["2"] <= _MOST * peer.value,
    )


async def _seconds(folder: Path, parallel: int) -> float:
    place = folder / uuid.uuid4().hex
    roadmap = "".join(f"- [ ] 1.{n} Write `note{n}.md`\n" for n in range(_TASKS))
    git = ScratchGit(place)
    git.commit({"ROADMAP.md": roadmap.encode(), "README.md": b"# Notes\n"})
    ports = replace(
        deps(),
        model=SlowModel(),
        sandbox=ProcessSandbox(owner=place.name, prepared=folder / "prepared"),
        repository=LocalRepository(place, environment=ENVIRONMENT),
        journal=FileJournal(folder / "journal"),
        events=Fanout(),
        clock=SystemClock(),
    )
    began = perf_counter()
    ended = await drive(Request(place.name, options=Options(parallel=parallel)), NODES, ports)
    seconds = perf_counter() - began
    done = {ended.state.status(task) for task in ended.state.tasks}
    assert done == {Status.COMPLETED}, (ended.reason, done)
    assert git("status", "--porcelain") == ""
    return seconds
