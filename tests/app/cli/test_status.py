"""``cairn status`` and which proposal a word means, on a folder where a run rests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.local.compose import kept_in
from runner.files.decisions import KnownRun
from tests.app.parked import ROADMAP, cairn, parked

ONE = "- [ ] 1.1 Write `one.json`\n"


def runs(folder: Path) -> list[Any]:
    """What programs are told."""
    return json.loads(cairn(folder, "status", "--json").stdout)["runs"]


def ids(folder: Path) -> list[str]:
    """The ids of the newest run's proposals, in the order of their tasks."""
    return [each["id"] for each in runs(folder)[0]["proposals"]]


def test_a_folder_without_runs(tmp_path: Path) -> None:
    """Nothing is there, which is said; nothing is made."""
    said = cairn(tmp_path, "status")

    assert (said.exit_code, list(tmp_path.iterdir())) == (0, [])
    assert "There is no run in this folder yet" in said.stdout


def test_status_for_people(tmp_path: Path) -> None:
    """The run, its tasks, and what to type for each proposal."""
    parked(tmp_path)

    said = cairn(tmp_path, "status").stdout

    assert "r1  waiting  ROADMAP.md" in said
    assert said.count("awaiting approval") == 3
    for id in ids(tmp_path):
        assert f"{id} ESCALATE: 1." in said
        assert f"cairn approve {id}" in said


def test_status_for_programs(tmp_path: Path) -> None:
    """One object, with all that an answer needs."""
    parked(tmp_path, ONE)

    (run,) = runs(tmp_path)
    (proposal,) = run["proposals"]

    assert (run["run"], run["state"], run["roadmap"]) == ("r1", "waiting", "ROADMAP.md")
    assert (proposal["strategy"], proposal["decision"]) == ("escalate", None)
    assert run["tasks"][0]["status"] == "awaiting_approval"


def test_the_only_proposal_needs_no_name(tmp_path: Path) -> None:
    """Of one it is clear which is meant; the run applies it when it is resumed."""
    parked(tmp_path, ONE)

    said = cairn(tmp_path, "approve")

    assert said.exit_code == 0
    assert "(approve) is stored. Type `cairn resume r1` to apply it." in said.stdout
    assert runs(tmp_path)[0]["proposals"][0]["decision"] == "approve"


def test_several_must_be_named(tmp_path: Path) -> None:
    """The message lists them with what to type; 2."""
    parked(tmp_path)

    said = cairn(tmp_path, "approve")

    assert said.exit_code == 2
    assert "Say which proposal you mean:" in said.stderr
    assert all(id in said.stderr for id in ids(tmp_path))


@pytest.mark.parametrize("by", ["id", "beginning", "capitals", "task"])
def test_ways_to_name_one(tmp_path: Path, by: str) -> None:
    """Its id, the beginning of it, or its task."""
    parked(tmp_path)
    id = ids(tmp_path)[1]
    word = {"id": id, "beginning": id[:4], "capitals": id.upper(), "task": "1.2"}[by]

    assert cairn(tmp_path, "reject", word, "--why", "no").exit_code == 0
    assert [each["decision"] for each in runs(tmp_path)[0]["proposals"]] == [None, "reject"]


def test_the_first_decision_counts(tmp_path: Path) -> None:
    """Whoever comes second is told what was first, by whom and why; 2."""
    parked(tmp_path, ONE)
    (id,) = ids(tmp_path)
    cairn(tmp_path, "reject", id, "--why", "not\x1b[2J now")

    said = cairn(tmp_path, "approve", id)

    assert said.exit_code == 2
    assert "is already decided, and the first decision counts" in said.stderr
    assert "Rejected by " in said.stderr
    assert "not\\x1b[2J now" in said.stderr


@pytest.mark.parametrize("word", ["00000000", "zzzz", "9.9", "\x1b[31m", "x" * 5_000, "\udcff"])
def test_a_name_nobody_knows(tmp_path: Path, word: str) -> None:
    """The message says so and names what waits; 2."""
    parked(tmp_path, ONE)

    said = cairn(tmp_path, "approve", word)

    assert said.exit_code == 2
    assert "There is no proposal" in said.stderr
    assert ids(tmp_path)[0] in said.stderr
    assert "\x1b" not in said.stderr


def test_a_proposal_of_a_run_that_is_over(tmp_path: Path) -> None:
    """It was good once, which is said; 2."""
    parked(tmp_path, ONE)
    (id,) = ids(tmp_path)
    kept_in(tmp_path / ".executor").runs.put(KnownRun("r1", "ROADMAP.md", "ended", 1.0))

    said = cairn(tmp_path, "approve", id)

    assert said.exit_code == 2
    assert f"Proposal {id} is no longer open" in said.stderr


@pytest.mark.parametrize("row", ["", '{"task":"","seq":1,"node":"rest","data":{}}'])
def test_a_run_that_cannot_be_read(tmp_path: Path, row: str) -> None:
    """It is said and left out; the others count."""
    parked(tmp_path, ONE)
    other = tmp_path / ".executor" / "journal" / "r0"
    other.mkdir()
    (other / "journal.jsonl").write_text(f"{row}\n{row}\n")

    said = cairn(tmp_path, "approve")

    assert said.exit_code == 0, said.stderr
    assert [run["run"] for run in runs(tmp_path)] == ["r1"]


def test_where_nothing_waits(tmp_path: Path) -> None:
    """There is nothing to decide about; 2."""
    said = cairn(tmp_path, "approve")

    assert said.exit_code == 2
    assert "No proposal is waiting for a decision here" in said.stderr


def test_two_runs(tmp_path: Path) -> None:
    """The newest is shown first, and each proposal goes to its own run."""
    parked(tmp_path, ONE, run="r1", began=1.0)
    parked(tmp_path, ROADMAP.splitlines(keepends=True)[1], run="r2", began=2.0)

    assert [run["run"] for run in runs(tmp_path)] == ["r2", "r1"]
    assert "resume r1" in cairn(tmp_path, "approve", "1.1").stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "The list has no task"),
        ("just words\n", "The list has no task"),
        ("- [ ] Improve performance\n", 'Task 1 ("Improve performance"): '),
        ("- x\n" * 5_001, "The list has 20,004 characters"),
        ("- [ ] 1.1 Write `one.json`\n", "The list has the same task again"),
    ],
    ids=["empty", "prose", "vague", "long", "same"],
)
def test_a_list_that_cannot_be_used(tmp_path: Path, text: str, said: str) -> None:
    """An edit is looked at before it is stored; what is wrong is said, and nothing stored; 2."""
    parked(tmp_path, ONE)

    ended = cairn(tmp_path, "edit", "--file", "-", input=text)

    assert ended.exit_code == 2
    assert said in ended.stderr
    assert runs(tmp_path)[0]["proposals"][0]["decision"] is None


def test_a_list_from_standard_input(tmp_path: Path) -> None:
    """A program hands its tasks over; they are stored as they were listed."""
    parked(tmp_path, ONE)
    text = "1. 1.1 Write `a.json` with `{}`\n   - no comments\n2. 1.2 Write `b.json` with `[]`\n"

    assert cairn(tmp_path, "edit", "--file", "-", input=text).exit_code == 0

    (stored,) = kept_in(tmp_path / ".executor").inbox.stored()
    assert [(task.id, task.text) for task in stored.decision.tasks] == [
        ("1.1", "Write `a.json` with `{}`"),
        ("1.2", "Write `b.json` with `[]`"),
    ]
