"""What only the file of decisions promises: many writers, crashes, editors, bounds."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from runner.errors import Outage
from runner.files.decisions import LONGEST_LINE, MOST_BYTES, FileDecisions
from runner.ports import Decision

YES = Decision("t1", "approve", by="Ada", fingerprint="aa")
NO = Decision("t1", "reject", by="Bob", fingerprint="aa")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the decisions are kept; nothing is there yet."""
    return tmp_path / ".executor" / "decisions.jsonl"


def has(file: Path, more: bytes) -> None:
    """Let the file end in these bytes."""
    file.parent.mkdir(exist_ok=True)
    with file.open("ab") as opened:
        opened.write(more)


def test_the_first_one_counts(file: Path) -> None:
    """Whoever comes second is told what was first, and changes nothing."""
    assert FileDecisions(file).store("r1", YES) is None
    assert FileDecisions(file).store("r1", NO) == YES

    assert [stored.decision for stored in FileDecisions(file).stored()] == [YES]


def test_another_proposal_is_another_matter(file: Path) -> None:
    """A newer proposal about the task, and the same one in another run, have their own."""
    inbox = FileDecisions(file)
    newer = Decision("t1", "reject", by="Bob", fingerprint="bb")

    assert [inbox.store(run, each) for run, each in (("r1", YES), ("r1", newer), ("r2", YES))] == [
        None,
        None,
        None,
    ]


def test_many_at_once(file: Path) -> None:
    """Of twenty people who answer at the same time exactly one is the first."""
    people = [Decision("t1", "approve", by=f"p{n}", fingerprint="aa") for n in range(20)]

    with ThreadPoolExecutor(20) as pool:
        said = list(pool.map(lambda each: FileDecisions(file).store("r1", each), people))

    (first,) = FileDecisions(file).stored()
    assert said.count(None) == 1
    assert {each for each in said if each} == {first.decision}


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"\xff\xfe",
        b"[]",
        b"[" * 5_000,
        b'{"taken":"nobody","step":"1"}',
        b'{"id":"x","run":"r1","decision":{"task":"t1","verdict":"maybe","by":"x"}}',
        b'{"id":"x","run":"r1","decision":{"task":"t1"}}',
        b'{"id":"' + b"x" * LONGEST_LINE + b'"}',
    ],
    ids=range(8),
)
async def test_a_broken_line(file: Path, line: bytes, caplog: pytest.LogCaptureFixture) -> None:
    """A line that is no record is said once, with its number, and the others count."""
    inbox = FileDecisions(file)
    has(file, line + b"\n")

    with caplog.at_level(logging.WARNING):
        inbox.store("r1", YES)
        assert await inbox.take("r1", "t1", "1.5") == YES

    assert [record.message.partition(": ")[2] for record in caplog.records] == [
        "line 1 is not a decision and is ignored"
    ]


async def test_a_torn_line(file: Path) -> None:
    """What a crash left half-written does not swallow what comes after it."""
    inbox = FileDecisions(file)
    inbox.store("r1", YES)
    has(file, b'{"taken":"')

    assert await inbox.take("r1", "t1", "1.5") == YES
    assert await FileDecisions(file).take("r1", "t1", "1.5") == YES
    assert await FileDecisions(file).take("r1", "t1", "1.9") is None


def test_a_file_that_is_too_large(file: Path) -> None:
    """The message says which file and what to do."""
    file.parent.mkdir()
    with file.open("wb") as made:
        made.truncate(MOST_BYTES + 1)

    with pytest.raises(Outage, match=r"decisions\.jsonl has more than 8 MB\. Move it away"):
        FileDecisions(file).stored()
