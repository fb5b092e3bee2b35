"""The check ``cairn/trust``: notes on lines in batches, once, also after a failure in between."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from runner.errors import Outage
from runner.people.pull_requests import check_details
from runner.state.findings import Level, TestFailure, Verification
from runner.state.publishing import CheckDetails, LineNote, ShownTasks
from runner.state.run_state import Attempt, VerifiedWork
from runner.state.trust import Trust
from tests.app.github.repository_bench import NAME, Bench, bench


@pytest.fixture
async def github(tmp_path: Path) -> AsyncIterator[Bench]:
    """A repository on the fake GitHub."""
    async with bench(tmp_path) as made:
        yield made


def shown(count: int) -> ShownTasks:
    """A task with so many notes."""
    notes = tuple(LineNote("a.py", n, n, "No test runs this", "Line") for n in range(1, count + 1))
    trust = Trust(task="t1", result="not_verified", reason="no test ran")
    return ShownTasks(trust=(("One", trust),), details=(CheckDetails("t1", "Levels", notes),))


async def test_notes_are_written_fifty_at_a_time(github: Bench) -> None:
    """GitHub takes no more with one request; shown twice, each is there once."""
    commit = github.fake.repo(NAME).branches["main"]

    for _ in range(2):
        await github.repository().trust.show(commit, shown(120))

    (check,) = github.fake.repo(NAME).checks
    assert [note["start_line"] for note in check["annotations"]] == list(range(1, 121))
    assert check["output"]["text"].endswith("Levels")


async def test_a_failure_between_two_batches_loses_none(github: Bench) -> None:
    """The next try goes on with the notes that are missing."""
    commit, trust = github.fake.repo(NAME).branches["main"], github.repository().trust
    github.fake.fail("PATCH", f"/repos/{NAME}/check-runs/*", status=502, skip=1, times=99)
    with pytest.raises(Outage):
        await trust.show(commit, shown(120))
    github.fake.world.faults.clear()

    await trust.show(commit, shown(120))

    (check,) = github.fake.repo(NAME).checks
    assert [note["start_line"] for note in check["annotations"]] == list(range(1, 121))


def test_notes_say_what_linters_tests_and_measures_found() -> None:
    """Each at its lines; output of tools is made inert, and what has no file is left out."""
    lint = TestFailure("F401", "unused <!-- @all", "calc.py", 3)
    red = TestFailure("tests/test_a.py::test_a", "E   assert 1 == 2", "tests/test_a.py", 7)
    levels = (
        Level("lint", "failed", tool="ruff", failures=(lint,)),
        Level("tests", "failed", failures=(red, TestFailure("nowhere", "?"))),
        Level("coverage", "passed", found=("calc.py:4", "calc.py:5", "calc.py:9")),
        Level("mutants", "failed", found=("calc.py:4: `-` in place of `+`",)),
    )
    attempt = Attempt("t1", "", "", tested=VerifiedWork(Verification("", levels)))

    notes = check_details(attempt).notes

    assert [(note.path, note.start, note.end, note.level) for note in notes] == [
        ("calc.py", 3, 3, "warning"),
        ("tests/test_a.py", 7, 7, "failure"),
        ("calc.py", 4, 5, "warning"),
        ("calc.py", 9, 9, "warning"),
        ("calc.py", 4, 4, "warning"),
    ]
    assert "<!--" not in notes[0].text
    assert notes[1].text == "tests/test_a.py::test_a: assert 1 == 2"
