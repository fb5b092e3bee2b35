"""What a run leaves behind, written while it works (docs/design.md)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from handlers.grammar import ON_GITHUB
from runner.files.kept import KeptFiles
from runner.files.results import FileMemory, JsonLines, RunFiles
from runner.loop.deps import Deps
from runner.loop.driver import Ended, drive
from runner.nodes import NODES
from runner.ports import Events, MemoryNote
from runner.state.events import Advanced, RunRecalled, Verified
from runner.state.findings import Level, Verification
from runner.state.options import Request
from tests.runner.memory_repository import MemoryRepository
from tests.runner.recording_box import RecordingSandbox
from tests.runner.scripted import (
    MemoryAnswers,
    MemoryJournal,
    ScriptedControl,
    ScriptedModel,
    StandingClock,
    block,
)

FILES = {"ROADMAP.md": "- [ ] T1 Write `a.py`\n", "test_x.py": "def test_x():\n    assert 1\n"}


async def run(events: Events) -> Ended:
    """A run of one task with one syntax repair, and a model that has no test for it."""
    ports = Deps(
        model=ScriptedModel(block("a.py", "K = ("), block("a.py", "K = 'hunter2'")),
        sandbox=RecordingSandbox(),
        repository=MemoryRepository(FILES),
        journal=MemoryJournal(),
        events=events,
        clock=StandingClock(),
        control=ScriptedControl(),
        answers=MemoryAnswers(),
        start=ON_GITHUB,
    )
    return await drive(Request("r1"), NODES, ports)


def read(path: Path) -> dict:
    """A JSON file."""
    return json.loads(path.read_text())


@pytest.fixture
async def folder(tmp_path) -> Path:
    """The folder after the run."""
    place = tmp_path / ".executor"
    await run(RunFiles(place, mask=lambda text: text.replace("hunter2", "***")))
    return place


def test_every_file_is_there(folder: Path) -> None:
    """Exchanges, test runs (also of the base), attempt, work items and report: a file each."""
    names = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}

    assert names == {
        ".gitignore",
        "todos.json",
        "report.json",
        "report.md",
        *(f"runs/r1/agent-{number}.json" for number in (1, 2, 3)),
        *("runs/r1/verification-1.json", "runs/r1/verification-2.json"),
        "runs/r1/iteration-1.json",
        "runs/r1/memory.json",
    }


def test_git_ignores_the_folder(folder: Path) -> None:
    """A file inside keeps the whole folder out of git."""
    assert (folder / ".gitignore").read_text() == "*\n"


def test_an_attempt_links_its_files(folder: Path) -> None:
    """The attempt's file names the others of the attempt, the way it took and how it ended."""
    data = read(folder / "runs/r1/iteration-1.json")

    tested = ["verification-1.json", "verification-2.json"]  # the base, the change
    apart = "agent-3.json"  # nothing shows the task to be done: a test is asked for
    assert data["files"] == ["agent-1.json", "agent-2.json", *tested, apart]
    assert (data["outcome"], data["code_repairs"], data["answers"]) == ("completed", 1, 2)
    assert data["path"][-1] == "checkpoint"


def test_the_end(folder: Path) -> None:
    """The work items and the report say that the task is done."""
    [todo] = read(folder / "todos.json")["todos"]

    assert todo["status"] == "completed"
    assert read(folder / "report.json")["tasks"]["completed"] == 1
    assert "1 of 1 task done" in (folder / "report.md").read_text()


def test_secrets_are_masked(folder: Path) -> None:
    """What the mask knows stands in none of the files."""
    for path in folder.rglob("*.*"):
        if path.is_file():
            assert "hunter2" not in path.read_text()


async def test_a_folder_that_cannot_be_written_fails_no_run(tmp_path) -> None:
    """When nothing can be written the run goes on."""
    (tmp_path / "file").write_text("in the way")

    await run(RunFiles(tmp_path / "file", mask=str))

    assert (tmp_path / "file").read_text() == "in the way"


async def test_one_line_an_event() -> None:
    """For programs every event is a JSON object on one line."""
    lines: list[str] = []
    await run(JsonLines(lines.append))
    events = [json.loads(line) for line in lines]

    assert events[0] == {
        "event": "run_changed",
        "run": "r1",
        "task": "",
        "status": "started",
        "detail": "",
    }
    assert {"node_finished", "model_answered", "verified"} <= {event["event"] for event in events}


async def test_levels_of_one_name_have_one_result() -> None:
    """A project may have tests for several tools: one that fails counts, then one that passes."""
    lines: list[str] = []
    levels = [("tests", "passed"), ("tests", "failed"), ("tests", "skipped"), ("lint", "skipped")]
    found = Verification("t", tuple(Level(name, result) for name, result in levels))

    await JsonLines(lines.append).emit(Verified("r1", "1.1", found))

    assert json.loads(lines[0])["levels"] == {"tests": "failed", "lint": "skipped"}


async def test_a_failure_names_the_files_that_show_it(tmp_path) -> None:
    """The report's error leads to its exchanges, verification and attempt, and nothing else."""
    ports = Deps(
        model=ScriptedModel(*["nothing"] * 3, "unknown"),
        sandbox=RecordingSandbox(),
        repository=MemoryRepository(FILES),
        journal=MemoryJournal(),
        events=RunFiles(tmp_path, mask=str),
        clock=StandingClock(),
        control=ScriptedControl(),
        answers=MemoryAnswers(),
        start=ON_GITHUB,
    )
    await drive(Request("r1"), NODES, ports)
    [error] = read(tmp_path / "report.json")["errors"]

    assert error["references"] == [
        *(f"runs/r1/agent-{n}.json" for n in range(1, 5)),
        "runs/r1/iteration-1.json",
    ]
    assert all((tmp_path / name).exists() for name in error["references"])


def test_what_an_older_version_kept_of_a_verification_is_shown(folder: Path) -> None:
    """It did not say for which answer, or on what, the tests ran."""
    file = next((folder / "runs").glob("*/verification-*.json"))
    data = read(file)
    for name in ("attempt", "answer", "tested"):
        data.pop(name, None)
    file.write_text(json.dumps(data))

    kept = KeptFiles(folder).verifications(file.parent.name, data["task"])
    assert [each.file for each in kept if each.tested == "change"].count(file.name) == 1


async def test_todos_are_written_when_they_change(tmp_path: Path) -> None:
    """Steps between two tasks write nothing: of ten thousand tasks that would take its time."""
    written: list[str] = []
    files = RunFiles(tmp_path, mask=lambda text: written.append(text) or text)
    state = (await run(files)).state
    todos = [text for text in written if '"todos":' in text]
    await files.emit(Advanced("r1", "", replace(state, node="parse_roadmap")))

    assert [text for text in written if '"todos":' in text] == todos
    assert len(set(todos)) == len(todos) == 2


async def test_half_of_a_surrogate_pair_fails_no_run(tmp_path: Path) -> None:
    """A model may say one, and a file in UTF-8 cannot hold it."""
    found = Verification("t", (Level("tests", "failed", output="\udc80 \U0001f40c"),))

    await RunFiles(tmp_path, mask=str).emit(Verified("r1", "1.1", found))

    [level] = read(tmp_path / "runs/r1/verification-1.json")["levels"]
    assert level["output"] == "? \U0001f40c"


async def test_without_reports_those_of_another_run_stay(tmp_path: Path) -> None:
    """What was asked and verified is kept all the same."""
    await run(RunFiles(tmp_path, mask=str, reports=False))

    assert not any((tmp_path / name).exists() for name in ("report.json", "todos.json"))
    assert KeptFiles(tmp_path).read("r1", "agent-1.json")
    assert not (tmp_path / "runs/r1/memory.json").exists()


async def test_what_was_known_when_the_run_began_is_kept(tmp_path: Path) -> None:
    """As it was then: what it teaches, or knew before it was taken up again, is not there."""
    memory = FileMemory(tmp_path / "memory.json", mask=str)
    await memory.remember([MemoryNote("runs", "r0", "1 completed", "r0")])
    ended = await run(RunFiles(tmp_path, mask=str))
    kept = FileMemory(tmp_path / "runs/r1/memory.json", mask=str)
    known = await kept.notes()
    await memory.remember([MemoryNote("runs", "r1", "1 completed", "r1")])
    await RunFiles(tmp_path, mask=str).emit(RunRecalled("r1", "", ended.state))

    assert await kept.notes() == known == (MemoryNote("runs", "r0", "1 completed", "r0"),)
