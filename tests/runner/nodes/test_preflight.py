"""Before the first question: what keeps the tests of a run's base from starting."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from runner.errors import TaskError
from runner.loop.deps import Deps, TaskSandbox, TaskWork
from runner.nodes.preflight import preflight
from runner.ports import SandboxSession, SandboxSpec
from runner.sandbox.process import ProcessSandbox
from tests.plain_python import plain_path
from tests.runner.memory_repository import MemoryRepository
from tests.runner.recording_box import RecordingSandbox
from tests.runner.scripted import deps
from tests.runner.states import ROADMAP, at, run_state

SMALL = "The workspace is too small for the files; raise the sandbox's disk limit."


def ports(sandbox: RecordingSandbox | ProcessSandbox) -> Deps:
    """A repository with a test, in this sandbox."""
    files = {"ROADMAP.md": ROADMAP, "test_x.py": "def test_x():\n    assert 1\n"}
    return replace(deps(repository=MemoryRepository(files)), sandbox=sandbox)


async def test_a_sandbox_that_cannot_hold_the_tree_is_said_and_is_no_bug() -> None:
    """No installation helps against it, so none is proposed."""
    sandbox = RecordingSandbox()
    sandbox.outages.append(TaskError("sandbox", SMALL))
    started: set[str] = set()

    found = await preflight(run_state(), ports(sandbox), started, TaskSandbox({}))

    assert found is not None
    assert SMALL.rstrip(".") in found.seen
    assert (found.todo, found.proposed) == ("No model was asked.", "")
    assert not started


async def test_another_error_is_left_to_the_tasks() -> None:
    """Each of them meets it, and says so in its own report."""
    sandbox = RecordingSandbox()
    sandbox.outages.append(TaskError("git", "The repository has no commit."))
    started: set[str] = set()

    assert await preflight(run_state(), ports(sandbox), started, TaskSandbox({})) is None
    assert not started


class Counted(ProcessSandbox):
    """Remembers the sessions that were opened."""

    def __init__(self, folder: Path) -> None:
        super().__init__(owner="test", path=plain_path(), parent=folder)
        self.opened: list[SandboxSession] = []

    async def open(self, spec: SandboxSpec) -> SandboxSession:
        """Open one."""
        self.opened.append(await super().open(spec))
        return self.opened[-1]


async def test_the_first_task_takes_over_the_sandbox_that_was_looked_in(tmp_path: Path) -> None:
    """Its files are there already; the next task gets its own."""
    sandbox, work = Counted(tmp_path), TaskWork()
    state = at("verify_task")

    assert await preflight(run_state(), ports(sandbox), set(), work.sandbox) is None
    first, second = work.beside().sandbox, work.beside().sandbox
    sessions = [await each.session(state, sandbox) for each in (first, second)]

    assert sessions == sandbox.opened
    await first.close()
    await second.close()
