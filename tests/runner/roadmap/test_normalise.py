"""A roadmap without checkboxes gets them where its structure says what the tasks are."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.roadmap.normalise.propose import normalise, render_body, render_diff, render_title
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.source import MOST_BYTES
from tests.runner.roadmap.texts import PIECES, files
from tests.runner.tries import tries

DATA = Path(__file__).parents[2] / "data" / "normalise"
STYLES = sorted(folder.name for folder in DATA.iterdir())


def new_of(text: str, path: str = "ROADMAP.md") -> str:
    """The text that is proposed."""
    return normalise(path, text.encode()).new.decode()


def words(text: str) -> list[str]:
    """The words of a text, in order; boxes and written emoji are none."""
    return re.findall(r"\w+", re.sub(r"\[[ xX]\]|:white_check_mark:", " ", text))


@pytest.mark.parametrize("style", STYLES)
def test_styles(style: str) -> None:
    """Each style of roadmap becomes exactly the file a person has read and found right."""
    expected = (DATA / style / "expected.md").read_text(encoding="utf-8")

    assert new_of((DATA / style / "input.md").read_text(encoding="utf-8")) == expected


@pytest.mark.parametrize("style", STYLES)
def test_no_word_is_lost(style: str) -> None:
    """Every word of a file occurs in its proposal, in order."""
    old = (DATA / style / "input.md").read_text(encoding="utf-8")
    rest = iter(words(new_of(old)))

    assert [word for word in words(old) if word not in rest] == []


@pytest.mark.parametrize("style", STYLES)
def test_the_tasks_are_those_of_the_new_file(style: str) -> None:
    """Read again, the new file has the proposed tasks and needs no boxes any more."""
    proposal = normalise("ROADMAP.md", (DATA / style / "input.md").read_bytes())

    assert proposal.tasks == parse_roadmap("ROADMAP.md", proposal.new).tasks
    assert {task.kind for task in proposal.tasks} <= {"work", "summary"}
    assert normalise("ROADMAP.md", proposal.new).verdict == "nothing"


@pytest.mark.parametrize(
    ("heading", "done"),
    [
        ("What we have built (today)", True),
        ("Shipped in v0.1.8 (current) — payments", True),
        ("What shipped in 0.7", True),
        ("Current foundation", True),
        ("已实现", True),
        ("Recently completed", True),
        ("Near-term priorities", False),
        ("What we plan after that (2027)", False),
        ("Planned for v0.2", False),
        ("Remaining work", False),
    ],
)
def test_sections_that_say_a_state(heading: str, done: bool) -> None:
    """Words of a state at the beginning of a heading hold for the list below it."""
    proposal = normalise("ROADMAP.md", f"# Shop\n\n## {heading}\n\n- Sell\n- Buy\n".encode())

    assert [task.checked for task in proposal.tasks] == [done, done]


def test_what_is_not_to_be_done_is_not_proposed() -> None:
    """It is listed as not read, with its line."""
    proposal = normalise(
        "ROADMAP.md", b"# Shop\n\n## Next\n\n- Sell\n- Buy\n\n## Deferred\n\n- Rent\n- Lend\n"
    )

    assert [task.title for task in proposal.tasks] == ["Sell", "Buy"]
    assert [(note.line, note.message) for note in proposal.unread] == [
        (10, "2 points below \u201cDeferred\u201d")
    ]
    assert "### Not read as tasks\n\n- line 10: 2 points" in render_body(proposal)


def test_lists_beside_one_with_emoji() -> None:
    """They are treated alike: where one list of a section has states, the others are tasks, too."""
    proposal = normalise(
        "ROADMAP.md",
        "# Shop\n\n**Connect**\n- Link ✅\n- Share\n\n**Play**\n- Cards\n- Wheel\n".encode(),
    )

    assert [task.checked for task in proposal.tasks] == [True, False, False, False]


@pytest.mark.parametrize("bullet", ["- ", ""])
@pytest.mark.parametrize("heading", ["## Status\n\n", "## Whatever\n\n", ""])
def test_lines_with_the_emoji_of_a_state(bullet: str, heading: str) -> None:
    """Every line becomes a task, with a bullet or without one, whatever the heading is."""
    states = ("✅ Write `a.py`", "🚧 Write `b.py`", "❌ Write `c.py`")
    text = heading + "".join(f"{bullet}{state}\n" for state in states)

    assert new_of(text).removeprefix(heading).splitlines() == [
        "- [x] Write `a.py`",
        "- [ ] Write `b.py` 🚧",
        "- [ ] Write `c.py` ❌",
    ]


@pytest.mark.parametrize("state", ["- ✅ a\n- 🚧 b\n", "✅ a\n🚧 b\n"])
def test_lines_with_a_state_that_stay(state: str) -> None:
    """They are named where another list has the tasks."""
    boxed = normalise("R.md", f"- [ ] Write `a.py`\n\n## Status\n\n{state}".encode())
    phases = normalise("R.md", f"## Phase 1\n\n- Write `a.py`\n\n## Status\n\n{state}".encode())

    assert "lines 5, 6 show a status" in boxed.why
    assert [note.line for note in phases.unread] == [7]


def test_thrusts() -> None:
    """Ten headings with dependencies and checks are ten tasks with both, and no check is a task."""
    tasks = normalise("PLAN.md", (DATA / "thrusts" / "input.md").read_bytes()).tasks
    number = {task.key: at for at, task in enumerate(tasks, 1)}

    assert [task.id for task in tasks] == [f"Thrust {n}" for n in range(1, 11)]
    assert [task.acceptance[:2] for task in tasks[:2]] == [
        ("`make parser` passes", "a person has looked at it"),
        ("`make printer` passes", "a person has looked at it"),
    ]
    assert [sorted(number[key] for key in task.depends_on) for task in tasks] == [
        [],
        [1],
        [1, 2],
        [1, 2, 3],
        [2, 4],
        [],
        [1, 2, 3],
        [7],
        [1, 2, 3, 4, 5, 6, 8],
        [1, 2, 3, 4, 5, 6, 7, 8, 9],
    ]


def test_a_ticked_check_shows_it() -> None:
    """A check that was ticked stays recognisable, and a note names its line."""
    text = "# Plan\n\n## Task 1: a\n\n### Verification\n\n- [x] it runs\n- [ ] it stops\n"
    proposal = normalise("PLAN.md", text.encode())

    assert "- ✅ it runs\n  - it stops\n" in proposal.new.decode()
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


@pytest.mark.parametrize(
    "text",
    [
        "# Vision\n\nWe will be fast.\n\n- speed\n- beauty\n",
        "# Roadmap\n\nFirst we build the parser, then the printer.\n",
        "# Roadmap\n\n## Goals\n\n- be fast\n\n## Legend\n\n- ✅ Done\n- 🚧 In progress\n",
        "# Roadmap\n\n| Name | Size |\n| --- | --- |\n| a | 1 |\n",
        "```\n## Task 1: in code\n```\n",
        "> ## Task 1: quoted\n",
    ],
)
def test_prose_is_not_guessed_at(text: str) -> None:
    """Where the structure does not say what the tasks are, nothing is proposed."""
    proposal = normalise("ROADMAP.md", text.encode())

    assert (proposal.verdict, proposal.new, proposal.tasks) == ("unclear", text.encode(), ())


def test_a_file_that_is_too_large_is_not_read() -> None:
    """Such a file is told from one that is not understood: no model is asked about it."""
    assert normalise("R.md", b"# a\n" * (MOST_BYTES // 4 + 1)).verdict == "unreadable"
    assert normalise("prd.json", b"{").verdict == "unreadable"


@pytest.mark.parametrize(
    ("mark", "box"),
    [
        ("✅ a", "- [x] a"),
        ("a ✅", "- [x] a"),
        ("☑️ a", "- [x] a"),
        ("a (done)", "- [x] a (done)"),
        ("a — Complete", "- [x] a — Complete"),
        ("[DONE] a", "- [x] [DONE] a"),
        ("完了: a", "- [x] 完了: a"),
        ("[x]a", "- [x] a"),
        ("a — ✅ Complete", "- [x] a — Complete"),
        ("a (✅ done)", "- [x] a (done)"),
        ("1.2: ✅ a", "- [x] 1.2: a"),
        ("🔄 a", "- [ ] a 🔄"),
        ("a (in progress)", "- [ ] a (in progress)"),
        ("✅ a (in progress)", "- [ ] a (in progress)"),
        ("❌ a ✅", "- [ ] a ❌"),
        ("✅ Partially a", "- [ ] Partially a"),
        ("Complete the docs", "- [ ] Complete the docs"),
        ("Undone", "- [ ] Undone"),
        ("a: complete it", "- [ ] a: complete it"),
    ],
)
def test_states(mark: str, box: str) -> None:
    """Only a mark or a word in the place of a mark makes a task done; words are kept."""
    assert new_of(f"## Phase 1\n\n- {mark}\n") == f"## Phase 1\n\n{box}\n"


def test_states_only_the_author_knows_are_left() -> None:
    """An item with a box like [~] gets none of ours, and a note names it."""
    proposal = normalise("R.md", b"## Phase 1\n\n- [~] a\n- b\n")

    assert proposal.new == b"## Phase 1\n\n- [~] a\n- [ ] b\n"
    assert [note.line for note in proposal.notes] == [3]


def test_every_decision_about_a_state_is_noted() -> None:
    """A note names the line a state comes from: its own, else the heading's above it."""
    text = "## Phase 1 ✅\n\n- a\n- b (in progress)\n\n## Phase 2\n\n**Status**: Done\n\n- c\n"
    proposal = normalise("ROADMAP.md", text.encode())

    assert [(note.line, note.message) for note in proposal.notes] == [
        (3, "done, because of “✅” of line 1, above it"),
        (4, "open, because of “in progress”"),
        (10, "done, because of “Done” of line 8, above it"),
    ]


def test_bytes_are_kept() -> None:
    """Line ends, a byte order mark and bytes that are no UTF-8 stay what they are."""
    old = b"\xef\xbb\xbf## Phase 1\r\n- caf\xe9\r\n\n- b\r## Task 2: x\r\ntext"

    assert normalise("R.md", old).new == (
        b"\xef\xbb\xbf## Phase 1\r\n- [ ] caf\xe9\r\n\n- [ ] b\r## Task 2: x\r\n"
        b"\r\n- [ ] Task 2: x\r\n\r\n  text"
    )


def test_code_indented_by_tabs_stays_code() -> None:
    """Moved into an item, a tab is as wide as before: what was code is code."""
    new = new_of("## Task 1: a\n\ntext\n\n\tcode\n\n```\n\tmake\n```\n")

    assert "-   [ ] Task 1: a\n\n    text\n\n    \tcode\n\n    ```\n    \tmake\n" in new


def test_boxes_in_code_stay() -> None:
    """What stands in a fence is no check and not changed."""
    assert "  - [ ] example\n" in new_of("## Task 1: a\n\n```\n- [ ] example\n```\n")


def test_a_diff_can_be_read() -> None:
    """Changes near each other stand in one hunk, with the lines around them."""
    text = "# P\n\n" + "x\n\n" * 9 + "## Phase 1\n\n- a\n- b\n\n" + "y\n\n" * 9
    diff = render_diff(normalise("R.md", text.encode()))

    assert diff.startswith("--- R.md\n+++ R.md\n@@ -20,8 +20,8 @@\n \n ## Phase 1\n \n-- a\n-- b")
    assert diff.endswith("+- [ ] a\n+- [ ] b\n \n y\n ")


def test_no_proposal_no_diff() -> None:
    """A file that stays as it is has no diff."""
    assert render_diff(normalise("R.md", b"- [ ] a\n")) == ""


MORE = [
    "# TODO",
    "## Phase 1: a",
    "## Task 1: a ✅",
    "### 1.2 b",
    "**Tasks**:",
    "**Status**: done",
    "### Verification",
    "- ✅ emoji",
    "- plain (done)",
    "1. step",
    "  nested",
    "| Task | Status |",
    "| --- | --- |",
    "| a | ✅ |",
]
_lines = st.tuples(st.sampled_from(PIECES + MORE), st.sampled_from(["\n", "\r\n", "\r", "\n\n"]))
documents = st.lists(_lines.map("".join), max_size=16).map("".join).map(str.encode)


@tries(4)
@given(st.one_of(documents, files))
def test_normalising_never_raises_and_is_done_once(content: bytes) -> None:
    """Any bytes give a proposal; the new file needs nothing, and no word of the old one is gone."""
    proposal = normalise("ROADMAP.md", content)

    if proposal.verdict != "proposed":
        assert proposal.new == content
        return
    assert normalise("ROADMAP.md", proposal.new).verdict == "nothing"
    rest = iter(words(proposal.new.decode("utf-8", "replace")))
    assert all(word in rest for word in words(content.decode("utf-8", "replace")))
    assert render_diff(proposal).count("\n@@ ") >= 1


def test_what_a_pull_request_says() -> None:
    """Title and text name the file, the counts, every decision and what a model made up."""
    proposal = normalise("docs/R.md", b"## Phase 1\n\n- a (done)\n- b\n")
    body = render_body(replace(proposal, by_model=True, dropped=("entry 1: not\nin the file",)))

    assert render_title(proposal) == "Give docs/R.md checkboxes"
    assert "`docs/R.md`" in body
    assert "2 tasks, 1 of them done" in body
    assert "- line 3: done, because of “done”\n" in body
    assert "### Left out\n\n- entry 1: not in the file\n" in body
    assert ("A model found" in body, "A model found" in render_body(proposal)) == (True, False)
