"""``cairn memory`` as somebody types it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli.main import cli
from runner.files.results import FileMemory
from runner.ports import MemoryNote

NOTE = MemoryNote("decisions", "t1", "prices are kept in cents", "r1")


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[CliRunner]:
    """A command line in an empty folder."""
    with contextlib.chdir(tmp_path):
        yield CliRunner()


def remember() -> Path:
    """Leave a note as a run does; return the file."""
    file = Path(".executor", "memory.json")
    asyncio.run(FileMemory(file, mask=str).remember([NOTE]))
    return file


def test_what_is_remembered_is_shown(runner: CliRunner) -> None:
    """As lines for people and as one object for programs."""
    remember()

    people = runner.invoke(cli, ["memory", "show"])
    programs = runner.invoke(cli, ["memory", "show", "--json"])

    assert people.output == "decisions (1)\n  t1: prices are kept in cents\n"
    assert json.loads(programs.output) == {
        "notes": [
            {"kind": "decisions", "about": "t1", "text": "prices are kept in cents", "run": "r1"}
        ]
    }


def test_clearing_leaves_nothing(runner: CliRunner) -> None:
    """The file is gone, and clearing what is empty is no error."""
    file = remember()

    first = runner.invoke(cli, ["memory", "clear"])
    again = runner.invoke(cli, ["memory", "clear"])

    assert not file.exists()
    assert first.output == again.output == "The project memory is now empty.\n"
    assert (first.exit_code, again.exit_code) == (0, 0)
    assert runner.invoke(cli, ["memory", "show"]).output == "The project memory is empty.\n"
