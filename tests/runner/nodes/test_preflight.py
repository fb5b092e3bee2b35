"""Before the first question: what keeps the tests of a run's base from starting."""

from __future__ import annotations

from runner.errors import TaskError
from runner.loop.deps import Deps
from runner.nodes.preflight import preflight
from tests.runner.memory_repository import MemoryRepository
from tests.runner.recording_box import RecordingSandbox
from tests.runner.scripted import deps
from tests.runner.states import ROADMAP, run_state

SMALL = "The workspace is too small for the files; raise the sandbox's disk limit."


def ports(sandbox: RecordingSandbox) -> Deps:
    """A repository with a test, in this sandbox."""
    files = {"ROADMAP.md": ROADMAP, "test_x.py": "def test_x():\n    assert 1\n"}
    return deps(repository=MemoryRepository(files), sandbox=sandbox)


async def test_a_sandbox_that_cannot_hold_the_tree_is_said_and_is_no_bug() -> None:
    """No installation helps against it, so none is proposed."""
    sandbox = RecordingSandbox()
    sandbox.outages.append(TaskError("sandbox", SMALL))
    started: set[str] = set()

    found = await preflight(run_state(), ports(sandbox), started)

    assert found is not None
    assert SMALL.rstrip(".") in found.seen
    assert (found.todo, found.proposed) == ("No model was asked.", "")
    assert not started


async def test_another_error_is_left_to_the_tasks() -> None:
    """Each of them meets it, and says so in its own report."""
    sandbox = RecordingSandbox()
    sandbox.outages.append(TaskError("git", "The repository has no commit."))
    started: set[str] = set()

    assert await preflight(run_state(), ports(sandbox), started) is None
    assert not started
