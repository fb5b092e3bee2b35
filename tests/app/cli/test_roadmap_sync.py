"""``cairn roadmap sync``: a todos.json that a person has edited."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli.main import cli
from runner.people.report import todos
from tests.runner.states import ROADMAP, run_state


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a roadmap and the todos.json of a run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ROADMAP.md").write_text(ROADMAP)
    (tmp_path / "todos.json").write_text(json.dumps(todos(run_state())))
    return tmp_path


def edited(here: Path, number: int, status: str) -> None:
    """Change one status, as a person would."""
    data = json.loads((here / "todos.json").read_text())
    data["todos"][number]["status"] = status
    (here / "todos.json").write_text(json.dumps(data))


def sync(*arguments: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(cli, ["roadmap", "sync", "--todos", "todos.json", *arguments])


def test_a_changed_status_becomes_a_tick(here: Path) -> None:
    """Shown first, written when told to, one byte each."""
    edited(here, 0, "completed")
    edited(here, 2, "pending")
    shown = sync()
    unchanged = (here / "ROADMAP.md").read_text()
    written = sync("--write")

    assert (shown.exit_code, written.exit_code) == (0, 0)
    assert "ROADMAP.md:3: tick" in shown.output
    assert unchanged == ROADMAP
    after = (here / "ROADMAP.md").read_text()
    assert after == ROADMAP.replace("[ ] 1.1", "[x] 1.1").replace("[x] 1.3", "[ ] 1.3")


def test_nothing_changed(here: Path) -> None:
    """What the run itself wrote asks for nothing."""
    assert "nothing to copy to the roadmap" in sync("--write").output
    assert (here / "ROADMAP.md").read_text() == ROADMAP


def test_a_roadmap_that_went_on_is_right(here: Path) -> None:
    """A task that is gone is told, the others are taken over; 1."""
    edited(here, 0, "completed")
    edited(here, 1, "completed")
    (here / "ROADMAP.md").write_text(ROADMAP.replace("- [ ] 1.2 Add b\n", ""))
    said = sync("--write")

    assert said.exit_code == 1
    assert "has no task" in said.output
    assert "[x] 1.1" in (here / "ROADMAP.md").read_text()


@pytest.mark.parametrize("text", ["{", "[]", '{"version": 2}', "[" * 100_000])
def test_what_is_no_todos_is_refused(here: Path, text: str) -> None:
    """A sentence and 2; the roadmap stays as it is."""
    (here / "todos.json").write_text(text)
    said = sync("--write")

    assert said.exit_code == 2
    assert "todos.json" in said.output
    assert (here / "ROADMAP.md").read_text() == ROADMAP
