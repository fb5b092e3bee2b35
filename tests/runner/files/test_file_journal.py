"""What only the plain-file journal promises: crashes, locks, and errors of the file system."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from runner.errors import Outage
from runner.files.journal import FileJournal, read_rows
from runner.ports import JournalRow
from runner.state.changes import blob_sha


def row(seq: int, **data) -> JournalRow:
    """Make a row."""
    return JournalRow("r1", "t1", seq, "plan_task", data)


async def saved(folder: Path, *rows: JournalRow) -> Path:
    """Save rows as a process that ends, and return their file."""
    journal = FileJournal(folder)
    for each in rows:
        await journal.save(each, {blob_sha(b"content"): b"content"})
    await journal.close()
    return folder / "r1" / "journal.jsonl"


@pytest.mark.parametrize(
    "torn",
    [b"{", b"{\n", b"\0" * 9, b"\0" * 9 + b"\n", b'{"task":"t1","seq":3,"node":"x","data":{}}'],
)
async def test_torn_line(tmp_path, torn):
    """A line that a crash tore is as if it had never been written, and is overwritten."""
    file = await saved(tmp_path, row(1), row(2))
    whole = file.read_bytes()
    file.write_bytes(whole + torn)

    assert [each.seq for each in read_rows(tmp_path / "r1", "r1")] == [2]
    await saved(tmp_path, row(3, after="crash"))
    assert file.read_bytes().startswith(whole)
    assert read_rows(tmp_path / "r1", "r1") == [row(3, after="crash")]


async def test_damage_in_the_middle(tmp_path):
    """A damaged line that is not the last is told by its number, never skipped in silence."""
    file = await saved(tmp_path, row(1), row(2))
    file.write_bytes(file.read_bytes().replace(b"{", b"?", 1))

    journal = FileJournal(tmp_path)
    for _ in range(2):  # the failed opening must not keep the run's lock
        with pytest.raises(Outage, match="line 1 is damaged"):
            await journal.recall("r1")


async def test_one_process_a_run(tmp_path):
    """A run that is being worked on is refused to a second, naming the first; another run is not.

    When the first is gone, the run is free.
    """
    first, second = FileJournal(tmp_path), FileJournal(tmp_path)
    await first.save(row(1), {})
    with pytest.raises(Outage, match=r"run r1 is already being worked on.*process \d+"):
        await second.recall("r1")
    assert await second.recall("r2") == []

    await first.close()
    assert await second.recall("r1") == [row(1)]
    await second.close()


async def test_killed_process(tmp_path):
    """A process that was killed leaves its rows and no lock."""
    code = """
import asyncio, os, pathlib, signal, sys
from runner.files.journal import FileJournal
from runner.ports import JournalRow
journal = FileJournal(pathlib.Path(sys.argv[1]))
asyncio.run(journal.save(JournalRow("r1", "t1", 1, "plan_task", {}), {}))
os.kill(os.getpid(), signal.SIGKILL)
"""
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, str(tmp_path))
    assert await process.wait() == -9

    journal = FileJournal(tmp_path)
    assert await journal.recall("r1") == [row(1)]
    await journal.close()


async def test_damaged_content(tmp_path):
    """A content that is not what was saved is told and never handed out."""
    await saved(tmp_path, row(1))
    sha = blob_sha(b"content")
    (tmp_path / "contents" / sha[:2] / sha[2:]).write_bytes(b"other")

    with pytest.raises(Outage, match="damaged"):
        await FileJournal(tmp_path).content(sha)


async def test_contents_are_stored_once(tmp_path):
    """The same content in many rows takes one file, and no temporary file stays."""
    await saved(tmp_path, row(1), row(2), row(3))

    files = [path.name for path in (tmp_path / "contents").rglob("*") if path.is_file()]
    assert files == [blob_sha(b"content")[2:]]


async def test_folder_that_cannot_be_written(tmp_path):
    """A journal that cannot be written is an outage that names the place."""
    (tmp_path / "file").write_text("in the way")
    journal = FileJournal(tmp_path / "file" / "journal")

    with pytest.raises(Outage, match="file") as caught:
        await journal.save(row(1), {})
    assert caught.value.kind == "file"


@pytest.mark.parametrize("run", ["", "..", "a/b", "contents", "-x", "r1\n"])
async def test_name_of_a_run(tmp_path, run):
    """A run's name cannot lead out of the folder or into the contents."""
    with pytest.raises(ValueError, match="a run is named by"):
        await FileJournal(tmp_path).recall(run)
