"""What a task costs when model and tests take no time: the whole loop on a local repository."""

from __future__ import annotations

import os
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from bench.finding import Finding, Line, Peer, Unmeasured
from bench.timing import medians_of
from runner.errors import Outage
from runner.files.journal import FileJournal
from runner.git.local_repository import LocalRepository
from runner.loop.deps import Deps
from runner.loop.driver import drive
from runner.nodes import NODES
from runner.ports import Fanout, Sandbox, SystemClock
from runner.sandbox.bubblewrap import BubblewrapSandbox
from runner.sandbox.docker import DockerSandbox
from runner.sandbox.docker_engine import engine
from runner.sandbox.process import ProcessSandbox
from runner.state.options import Request
from runner.state.run_state import Status
from tests.runner.git.scratch_git import ENVIRONMENT, ScratchGit
from tests.runner.scripted import ScriptedModel, deps
from tests.scenarios.projects import note

IMAGE = "cairn-sandbox:latest"
_OWNER = f"bench-{uuid.uuid4()}"
_ENGINES_OWN = "the engine's own run + 3 execs"
_TASKS, _ROUNDS = 4, 3


async def measure(folder: Path) -> AsyncIterator[Line]:
    """Every sandbox that works here, in turn, and what the Docker Engine itself takes."""
    asked: dict[str, Callable[[], Awaitable[float]]] = {}
    for sandbox in sandboxes(folder):
        try:
            await sandbox.check()
        except Outage as outage:
            yield Unmeasured(f"a task with {sandbox.name}", outage.message)
        else:
            asked[sandbox.name] = partial(_seconds_a_task, sandbox, folder)
    if "docker" in asked:
        asked[_ENGINES_OWN] = _engines_own
    found = await medians_of(_ROUNDS, asked)
    for name in asked:
        if name != _ENGINES_OWN:
            yield _finding(name, found)


def sandboxes(folder: Path) -> list[Sandbox]:
    """Every sandbox there is; whether one works here is for it to say."""
    root = os.environ.get("TEST_SANDBOX_ROOT", "")
    return [
        ProcessSandbox(owner=_OWNER, prepared=folder / "prepared"),
        BubblewrapSandbox(owner=_OWNER, image=root, prepared=folder / "prepared"),
        DockerSandbox(owner=_OWNER, image=IMAGE),
    ]


def _finding(name: str, found: dict[str, float]) -> Finding:
    what, value = f"a task with {name}, model and tests at once", found[name]
    if name == "docker":
        peer = Peer(what=_ENGINES_OWN, value=found[_ENGINES_OWN])
        most, goal = peer.value + 0.3, "< 0.3 s over the engine's own"
        return Finding(what=what, value=value, unit="s", peer=peer, goal=goal, ok=value < most)
    if name == "bubblewrap":
        return Finding(what=what, value=value, unit="s", goal="< 0.5 s", ok=value < 0.5)
    return Finding(what=what, value=value, unit="s")


async def _seconds_a_task(sandbox: Sandbox, folder: Path) -> float:
    """A run of a few tasks from its start to its report, divided by the tasks."""
    place = folder / uuid.uuid4().hex
    roadmap = "".join(f"- [ ] 1.{n} Write `note{n}.md`\n" for n in range(_TASKS))
    ScratchGit(place).commit({"ROADMAP.md": roadmap.encode(), "README.md": b"# Notes\n"})
    ports = _deps(sandbox, place, folder / "journal")
    began = perf_counter()
    ended = await drive(Request(place.name), NODES, ports)
    seconds = perf_counter() - began
    done = {ended.state.status(task) for task in ended.state.tasks}
    assert done == {Status.COMPLETED}, (sandbox.name, ended.reason, done)
    return seconds / _TASKS


def _deps(sandbox: Sandbox, place: Path, journal: Path) -> Deps:
    return replace(
        deps(),
        model=ScriptedModel(*(note(f"note{n}.md") for n in range(_TASKS))),
        sandbox=sandbox,
        repository=LocalRepository(place, environment=ENVIRONMENT),
        journal=FileJournal(journal),
        events=Fanout(),
        clock=SystemClock(),
    )


async def _engines_own() -> float:
    """A container, three commands in it that do nothing, and its removal, with nothing of ours."""
    began = perf_counter()
    async with engine() as (docker, _):
        host = {"NetworkMode": "none", "Init": False}
        config: dict[str, Any] = {"Image": IMAGE, "Cmd": ["sleep", "infinity"], "HostConfig": host}
        container = await docker.containers.create(config)
        try:
            await container.start()
            for _ in range(3):
                command = await container.exec(["true"])
                async with command.start() as stream:
                    while await stream.read_out() is not None:
                        pass
                await command.inspect()
        finally:
            await container.delete(force=True, v=True)
    return perf_counter() - began
