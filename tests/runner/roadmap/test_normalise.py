"""A roadmap without checkboxes gets them from what a model says; nothing of its text is lost."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from runner.roadmap.normalise.claimed import ClaimedTask, write_claims
from runner.roadmap.normalise.propose import (
    NormalizedRoadmap,
    lines_of,
    normalise,
    render_body,
    render_diff,
    render_title,
)
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.source import MOST_BYTES
from tests.runner.roadmap.texts import files

DATA = Path(__file__).parents[2] / "data" / "normalise"
STYLES = sorted(folder.name for folder in DATA.iterdir())


def claimed(content: bytes, *claims: tuple[int, str]) -> NormalizedRoadmap:
    """What is proposed where a model names these lines (from 1) as tasks with these titles."""
    return write_claims(
        "docs/R.md",
        content,
        [
            ClaimedTask(title=title, source_lines=(line, line), quote=title)
            for line, title in claims
        ],
    )


def words(text: str) -> list[str]:
    """The words of a text, in order; boxes are none."""
    return re.findall(r"\w+", re.sub(r"\[[ xX]\]", " ", text))


@pytest.mark.parametrize("style", STYLES)
def test_real_files_keep_their_words(style: str) -> None:
    """A model that takes every line for a task loses none; read again, the file needs nothing."""
    content = (DATA / style / "input.md").read_bytes()
    lines = lines_of(content)
    entries = [
        ClaimedTask(title=f"Do {n}", source_lines=(n, n), quote=line.strip())
        for n, line in enumerate(lines, 1)
        if re.search(r"\w{3}", line) and not line.startswith("#")
    ]

    proposal = write_claims("ROADMAP.md", content, entries)

    assert proposal.verdict == "proposed", proposal.why
    rest = iter(words(proposal.new.decode()))
    assert [word for word in words(content.decode()) if word not in rest] == []
    assert proposal.tasks == parse_roadmap("ROADMAP.md", proposal.new).tasks
    assert normalise("ROADMAP.md", proposal.new).verdict == "nothing"


def test_what_was_not_read_is_listed() -> None:
    """Lists and tables in which no task was found are named with their lines."""
    table = b"| Size | Name |\n| --- | --- |\n| a | b |\n"
    proposal = claimed(
        b"# Shop\n\n- Sell\n- Buy\n\n- - -\n\n1. Rent\n2. Lend\n\n" + table, (3, "Sell")
    )

    assert [(note.line, note.message) for note in proposal.unread] == [
        (8, "the list up to line 10"),
        (11, "the table up to line 13"),
    ]
    assert "### Not read as tasks\n\n- line 8: the list up to line 10" in render_body(proposal)


def test_lines_with_a_state_that_stay() -> None:
    """They are named where another list has the tasks."""
    for state in ("- ✅ a\n- 🚧 b\n", "✅ a\n🚧 b\n"):
        boxed = normalise("R.md", f"- [ ] Write `a.py`\n\n## Status\n\n{state}".encode())

        assert "lines 5, 6 show a status" in boxed.why
        assert boxed.left == ((5, 5), (6, 6))


def test_a_ticked_check_shows_it() -> None:
    """Checks become bullets; one that was ticked stays recognisable, and a note names its line."""
    text = "# Plan\n\nWrite it.\n\n## Verification\n\n- [x] it runs\n- [ ] it stops\n"
    proposal = claimed(text.encode(), (3, "Write it"))

    assert "- ✅ it runs\n- it stops\n" in proposal.new.decode()
    assert [note.line for note in proposal.notes] == [7]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("- [ ] a\n", "already have checkboxes"),
        ("# P\n\n## Phase 1\n\n- plain\n- [ ] a\n", "already have checkboxes"),
        ("", "is empty"),
        ("# [Project]\n\n- [ ] [Task 1]\n- [ ] {{TASK}}\n- [ ] <name>\n", "is a template"),
    ],
)
def test_nothing_to_do(text: str, why: str) -> None:
    """A file with work that can be run stays as it is, and the proposal says why."""
    proposal = normalise("ROADMAP.md", text.encode())

    assert (proposal.verdict, proposal.new) == ("nothing", text.encode())
    assert why.removeprefix("has ") in proposal.why


def test_a_file_that_is_too_large_is_not_read() -> None:
    """Such a file is told from one that is not understood: no model is asked about it."""
    assert normalise("R.md", b"# a\n" * (MOST_BYTES // 4 + 1)).verdict == "unreadable"
    assert normalise("prd.json", b"{").verdict == "unreadable"


def test_a_file_without_checkboxes_is_unclear() -> None:
    """What its tasks are is for a model to say."""
    content = b"# Roadmap\n\n## Phase 1\n\n- first\n- second\n"

    assert (normalise("R.md", content).verdict, normalise("R.md", content).new) == (
        "unclear",
        content,
    )


def test_bytes_are_kept() -> None:
    """Line ends, a byte order mark and bytes that are no UTF-8 stay what they are."""
    old = b"\xef\xbb\xbf## Phase 1\r\n- caf\xe9\r\n\n- b\r## X\r\ntext"

    assert claimed(old, (2, "caf"), (4, "- b")).new == (
        b"\xef\xbb\xbf## Phase 1\r\n- [ ] caf\xe9\r\n\n- [ ] b\r## X\r\ntext"
    )


def test_tabs_stay_tabs() -> None:
    """What is nested in an item that is indented by tabs begins where its text does."""
    content = b"- a\n\t-\tb\n"
    claim = ClaimedTask(title="b", source_lines=(2, 2), quote="b c", acceptance=["it runs"])

    new = write_claims("R.md", content, [claim]).new.decode()

    assert new == "- a\n\t-\t[ ] b\n\t \t- **Acceptance criteria**:\n\t \t  - it runs\n"


def test_a_diff_can_be_read() -> None:
    """Changes near each other stand in one hunk, with the lines around them."""
    text = "# P\n\n" + "x\n\n" * 9 + "## Phase 1\n\n- aaa\n- bbb\n\n" + "y\n\n" * 9
    diff = render_diff(claimed(text.encode(), (23, "aaa"), (24, "bbb")))

    assert diff.startswith(
        "--- docs/R.md\n+++ docs/R.md\n@@ -20,8 +20,8 @@\n \n ## Phase 1\n \n-- aaa\n-- bbb"
    )
    assert diff.endswith("+- [ ] aaa\n+- [ ] bbb\n \n y\n ")


def test_no_proposal_no_diff() -> None:
    """A file that stays as it is has no diff."""
    assert render_diff(normalise("R.md", b"- [ ] a\n")) == ""


@given(files)
def test_any_bytes_are_looked_at(content: bytes) -> None:
    """Nothing is raised, and nothing changed."""
    assert normalise("ROADMAP.md", content).new == content


def test_what_a_pull_request_says() -> None:
    """Title and text name the file, the counts, every decision and what a model made up."""
    content = b"## Phase 1\n\n- aaa (done)\n- bbb\n"
    done = ClaimedTask(title="aaa", source_lines=(3, 3), quote="aaa", done=True)
    proposal = write_claims(
        "docs/R.md",
        content,
        [done, done.model_copy(update={"source_lines": (4, 4), "done": False})],
    )
    body = render_body(replace(proposal, dropped=("entry 1: not\nin the file",)))

    assert render_title(proposal) == "Give docs/R.md checkboxes"
    assert "`docs/R.md`" in body
    assert "2 tasks, 1 of them done" in body
    assert "- line 3: the model says that this is done; its text says so\n" in body
    assert "### Left out\n\n- entry 1: not in the file\n" in body
