"""The project memory in a file, and what it is asked for."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import replace
from pathlib import Path

import pytest

from runner.context.memory import MAX_TEXT, MOST, of_run, of_task
from runner.context.search import terms
from runner.files.results import FileMemory
from runner.loop.deps import EarlierRuns, TaskWork
from runner.nodes.context import build_context
from runner.nodes.run import decide_next, generate_report
from runner.ports import MemoryNote
from runner.state.changes import ChangeSet, Write
from runner.state.run_state import Failure, Plan, RunState, Status
from runner.text.mask import Mask
from tests.runner.memory_repository import MemoryRepository
from tests.runner.scripted import deps
from tests.runner.states import ROADMAP, at, run_state, with_status

SECRET = "hunter2-hunter2"
PRICES = MemoryNote("decisions", "t1", "prices are kept in cents", "r1")
ALL = frozenset(terms("prices are kept in cents; tax rates"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".executor" / "memory.json"


def memory(path: Path) -> FileMemory:
    """The file as a new process opens it."""
    return FileMemory(path, mask=Mask([SECRET]))


def stored(path: Path) -> list[dict[str, str]]:
    """The notes in the file."""
    notes: list[dict[str, str]] = json.loads(path.read_text())["notes"]
    return notes


def beside(path: Path) -> str:
    """The file that was put aside."""
    return path.with_name("memory.json.broken").read_text(encoding="latin-1")


async def test_what_was_remembered_is_recalled_later(path: Path) -> None:
    """Notes outlive the process; those that share no words with a task stay away."""
    await memory(path).remember([PRICES, MemoryNote("decisions", "t2", "log to a file", "r1")])

    assert await memory(path).recall(ALL, ()) == ("decided: prices are kept in cents",)


async def test_a_newer_note_replaces_the_older(path: Path) -> None:
    """What is known of a subject is what was said last."""
    kept = memory(path)
    await kept.remember([PRICES])
    await kept.remember([MemoryNote("decisions", "t1", "prices have tax rates", "r2")])

    assert await kept.recall(ALL, ()) == ("decided: prices have tax rates",)


async def test_files_that_are_gone_are_not_told_of(path: Path) -> None:
    """A note about a file counts while the tree has it."""
    await memory(path).remember(
        [MemoryNote("files", "src/price.py", "written for: tax rates", "r1")]
    )

    assert await memory(path).recall(ALL, {"src/price.py"}) == (
        "src/price.py: written for: tax rates",
    )
    assert await memory(path).recall(ALL, {"other.py"}) == ()


async def test_the_file_is_bounded(path: Path) -> None:
    """Of each kind the newest are kept."""
    await memory(path).remember([MemoryNote("runs", str(n), "x", "r") for n in range(999)])

    about = [note["about"] for note in stored(path)]
    assert about == [str(n) for n in range(999 - MOST["runs"], 999)]


async def test_every_note_is_told(path: Path) -> None:
    """Notes come back whole, the oldest first."""
    later = MemoryNote("files", "src/price.py", "written for: tax rates", "r2")
    await memory(path).remember([PRICES])
    await memory(path).remember([later])

    assert await memory(path).notes() == (PRICES, later)


async def test_no_file_has_no_notes(path: Path) -> None:
    """Nothing was remembered yet."""
    assert await memory(path).notes() == ()


@pytest.fixture
def unusable(path: Path) -> Path:
    """The memory's file, cut after its first character."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{")
    return path


async def test_a_file_that_cannot_be_used_has_no_notes(unusable: Path) -> None:
    """A broken file tells nothing."""
    assert await memory(unusable).notes() == ()


async def test_secrets_are_hidden(path: Path) -> None:
    """No secret gets into the file."""
    await memory(path).remember([MemoryNote("failures", "t", f"the key {SECRET} was refused", "r")])

    assert stored(path)[0]["text"] == "the key *** was refused"


@pytest.fixture(params=["", "[]", '{"version": 2, "notes": []}', "\xff", "{" * 9000])
def broken(request: pytest.FixtureRequest, path: Path) -> str:
    """What stands in a file that is no memory."""
    path.parent.mkdir()
    path.write_text(request.param, encoding="latin-1")
    return str(request.param)


async def test_a_broken_file_is_put_aside(
    path: Path, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A file that is no memory is told of, kept beside, and a new one begun."""
    with caplog.at_level(logging.WARNING):
        assert await memory(path).recall(ALL, ()) == ()
    await memory(path).remember([PRICES])

    assert str(path) in caplog.text
    assert "validation error" not in caplog.text  # which are words of a library
    assert ("version: should be 1." in caplog.text) == ("version" in broken)
    assert await memory(path).recall(ALL, ()) != ()
    assert beside(path) == broken


async def test_a_folder_that_cannot_be_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Failing to write never fails a run."""
    (tmp_path / "file").write_text("")
    with caplog.at_level(logging.WARNING):
        await memory(tmp_path / "file" / "memory.json").remember([PRICES])

    assert "could not be written" in caplog.text


async def test_writers_at_the_same_time(path: Path) -> None:
    """Runs that end together lose none of their notes."""
    kept = memory(path)
    await asyncio.gather(
        *(kept.remember([MemoryNote("decisions", str(n), "a b", "r")]) for n in range(20))
    )

    assert len(stored(path)) == 20


def finished(**attempt: object) -> RunState:
    """A run whose first task is completed."""
    made = ChangeSet({"a.py": Write(b"A = 1\n")})
    return with_status(run_state(), Status.COMPLETED, commit="c", changes=made, **attempt)


def test_what_a_finished_task_teaches() -> None:
    """What its files are for, what it decided, and what it took when it was not easy."""
    plan = Plan(("a.py",), ("use integers",), (), "low")
    state = finished(plan=plan, answers=3, reasons=("afresh after a SyntaxError",))
    notes = {n.kind: n.text for n in of_task(state, state.tasks[0].key) if n.text}

    assert notes == {
        "files": "written for: 1.1 Add a.py",
        "decisions": "1.1 Add a.py: use integers",
        "successes": "1.1 Add a.py: right after afresh after a SyntaxError",
    }


def test_what_a_failed_task_teaches() -> None:
    """Why it failed, on one line that is not too long."""
    failure = Failure("tests", "red\nred " * 900, node="verify_task", reason="test_failure")
    state = with_status(run_state(), Status.FAILED, failure=failure)
    [note] = of_task(state, state.tasks[0].key)

    assert note.text.startswith("1.1 Add a.py: test_failure at verify_task: red red red")
    assert len(note.text) == MAX_TEXT


def test_what_a_run_leaves() -> None:
    """One line; a run that touched nothing leaves none."""
    assert of_run(finished())[0].text == "1 completed (Add a.py)"
    assert of_run(run_state()) == ()


async def test_the_loop_remembers_and_the_next_run_knows(path: Path) -> None:
    """What one run's task and end left is in the context of a later run's task."""
    repository = MemoryRepository({"ROADMAP.md": ROADMAP, "a.py": "A = 1\n"})
    ports = replace(deps(repository=repository), earlier=EarlierRuns(memory(path)))
    plan = Plan(("a.py",), ("every price of a.py is an integer",), (), "low")
    done = at("checkpoint", commit="c", changes=ChangeSet({"a.py": Write(b"A = 1\n")}), plan=plan)
    settled = (await decide_next(done, ports, TaskWork())).state
    await generate_report(settled, ports, TaskWork())
    later = at("build_context", run_state("- [ ] Print the price `a.py` has as an integer\n"))

    text = (await build_context(later, ports, TaskWork())).state.attempt.planned.context.decode()

    assert "decided: 1.1 Add a.py: every price of a.py is an integer" in text
    assert "runs" in {note["kind"] for note in stored(path)}
