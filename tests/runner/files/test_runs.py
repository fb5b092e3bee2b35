"""Which runs there were in a folder, and how they stand."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from runner.files.decisions import FileRuns, KnownRun
from runner.files.journal import FileJournal
from runner.ports import JournalRow


async def begun(folder: Path, run: str) -> FileJournal:
    """A run with a row, which this process has."""
    journal = FileJournal(folder)
    await journal.save(JournalRow(run, "", 1, "decide_next", {"fingerprint": "abcdef"}), {})
    return journal


async def test_a_run_is_known_as_it_was_put(tmp_path: Path) -> None:
    """Everything that was said about it is there again."""
    run = KnownRun(
        *("r1", "PLAN.md", "paused", 5.0, "process", 0.5, 1000, ("cost",), "no model"),
        until=datetime(2026, 8, 1, tzinfo=UTC),
    )
    await (await begun(tmp_path, "r1")).close()

    FileRuns(tmp_path).put(run)

    assert FileRuns(tmp_path).all() == [run]


async def test_a_run_that_an_older_version_left_waiting_keeps_its_limits(tmp_path: Path) -> None:
    """That version had another word for it, and nothing of the file is lost by that."""
    run = KnownRun("r1", "PLAN.md", "waiting", 5.0, max_cost=0.5)
    await (await begun(tmp_path, "r1")).close()
    FileRuns(tmp_path).put(run)
    file = tmp_path / "r1" / "run.json"
    file.write_text(file.read_text().replace('"waiting"', '"resting"'))

    assert FileRuns(tmp_path).all() == [run]


async def test_the_newest_is_first(tmp_path: Path) -> None:
    """By the time they began; one that never took a step is none."""
    for id, began in (("r1", 1.0), ("r2", 3.0), ("r3", 2.0)):
        await (await begun(tmp_path, id)).close()
        FileRuns(tmp_path).put(KnownRun(id, state="ended", began=began))
    FileRuns(tmp_path).put(KnownRun("r4", began=4.0))

    assert [run.id for run in FileRuns(tmp_path).all()] == ["r2", "r3", "r1"]


async def test_a_replay_is_no_work(tmp_path: Path) -> None:
    """It is there for who asks for replays, too."""
    for run in (KnownRun("r1", began=1.0), KnownRun("r2", began=2.0, replay_of="r1")):
        await (await begun(tmp_path, run.id)).close()
        FileRuns(tmp_path).put(run)

    assert [run.id for run in FileRuns(tmp_path).all()] == ["r1"]
    assert [run.id for run in FileRuns(tmp_path).all(replays=True)] == ["r2", "r1"]


async def test_a_process_that_died_leaves_an_interrupted_run(tmp_path: Path) -> None:
    """A run works as long as a process has it."""
    journal = await begun(tmp_path, "r1")
    FileRuns(tmp_path).put(KnownRun("r1"))
    states = [FileRuns(tmp_path).all()[0].state]

    await journal.close()

    assert [*states, FileRuns(tmp_path).all()[0].state] == ["working", "interrupted"]


@pytest.mark.parametrize("content", [b"", b"{", b'{"state":"dancing"}', None])
async def test_a_broken_file(tmp_path: Path, content: bytes | None) -> None:
    """The run is there all the same: its journal is what counts."""
    await (await begun(tmp_path, "r1")).close()
    if content is not None:
        (tmp_path / "r1" / "run.json").write_bytes(content)

    (run,) = FileRuns(tmp_path).all()

    assert (run.id, run.state) == ("r1", "interrupted")


async def test_what_was_shown_once(tmp_path: Path) -> None:
    """A fingerprint that a journal has is known by its beginning, another is not."""
    await (await begun(tmp_path, "r1")).close()

    assert [FileRuns(tmp_path).showed(word) for word in ("abcd", "bcde")] == ["r1", ""]
