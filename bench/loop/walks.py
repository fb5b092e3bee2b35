"""Whole roadmaps on real checkouts: each task builds on what the ones before it left."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bench.loop.corpus import Roadmap
from bench.loop.environment import BenchEnvironment
from bench.loop.naming import Character
from runner.files.journal import AnswerFiles, FileJournal
from runner.git.local_repository import LocalRepository
from runner.loop.deps import EarlierRuns, NoMemory
from runner.loop.driver import drive
from runner.money import total
from runner.nodes import NODES
from runner.people.run_view import DONE
from runner.ports import Memory
from runner.state.options import (
    ApprovalOptions,
    ModelOptions,
    Options,
    Request,
    SandboxOptions,
    Scope,
)
from runner.state.run_state import RunState
from tests.runner.git.scratch_git import ENVIRONMENT, ScratchGit

_SAID = {True: "tests of all tasks there", False: "no tests there"}


@dataclass(frozen=True, slots=True)
class Walk:
    """How a roadmap ended: ``completed`` tasks as the product says, ``right`` as the tests say.

    ``why`` says of the others why they are not completed.
    """

    roadmap: Roadmap
    shown: bool
    completed: int
    right: int
    tokens: int
    calls: int
    ended: str
    why: tuple[str, ...] = ()

    def __str__(self) -> str:
        tasks = len(self.roadmap.tasks)
        return (
            f"{self.roadmap.name}, {_SAID[self.shown]}: {self.completed} of {tasks} tasks "
            f"completed, {self.right} right, {self.tokens / tasks:,.0f} tokens a task "
            f"({'; '.join((self.ended, *self.why))})"
        )


async def walk(
    environment: BenchEnvironment,
    roadmap: Roadmap,
    who: Character,
    folder: Path,
    *,
    shown: bool,
    memory: Memory | None = None,
) -> Walk:
    """Run a roadmap from its start on a git checkout, with a journal in files.

    ``shown`` puts the visible tests of all tasks there from the start, those of later ones too.
    ``memory`` is what earlier runs learned.
    """
    place, journal = folder / uuid.uuid4().hex, folder / uuid.uuid4().hex
    ScratchGit(place).commit(_start(roadmap, shown=shown))
    repository = LocalRepository(place, environment=ENVIRONMENT)
    ports = replace(
        environment.deps({}, repository),
        journal=FileJournal(journal),
        answers=AnswerFiles(journal),
        earlier=EarlierRuns(memory=memory or NoMemory()),
    )
    options = Options(
        # a conversation of its own
        models=ModelOptions(who.named(f"walk.{roadmap.name}.{place.name}")),
        scope=Scope(max_tasks=100),
        approvals=ApprovalOptions(approval_mode="auto"),
        sandbox=SandboxOptions(test_timeout=60.0),
    )
    ended = await drive(Request(roadmap.name, options=options), NODES, ports)
    state = ended.state
    names = {
        path.relative_to(place).as_posix(): path for path in place.rglob("*") if path.is_file()
    }
    tree = {name: path.read_text() for name, path in names.items() if not name.startswith(".git/")}
    passed = [await environment.judge.passes(task, tree, kept=True) for task in roadmap.tasks]
    spent = total(attempt.spent.total for attempt in state.attempts.values())
    return Walk(
        roadmap,
        shown,
        sum(state.status(task) in DONE for task in state.tasks),
        sum(passed),
        spent.tokens,
        spent.calls,
        " ".join(filter(None, (ended.status, ended.reason))),
        tuple(_left(state)),
    )


def _left(state: RunState) -> Iterator[str]:
    """What is not completed, and why."""
    for task in state.tasks:
        if state.status(task) not in DONE:
            attempt = state.attempts.get(task.key)
            failure = attempt.failure if attempt else None
            text = f": {failure.type}: {failure.message}" if failure else ""
            yield f"{task.name} {state.status(task)}{text}"


def _start(roadmap: Roadmap, *, shown: bool) -> dict[str, bytes]:
    tests = {path for path, _ in (task.seen for task in roadmap.tasks)}
    files = roadmap.start.items()
    return {path: text.encode() for path, text in files if shown or path not in tests}
