"""The lint on files: each rule finds what it is for, leaves alone what only looks like it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given

from bench.lint import labelled, precision, recall
from runner.roadmap import lint as package
from runner.roadmap.lint import PARSED, RULES, lint, lint_text, rules_table
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Warning
from tests.runner.roadmap.texts import files

PROJECT = Path(__file__).parents[3]


def warnings(text: str) -> tuple[Warning, ...]:
    """What the lint says of a file."""
    return lint(parse_roadmap("ROADMAP.md", text.encode()))


def codes(text: str) -> list[str]:
    """The codes of what the lint says of a file, in its order."""
    return [warning.code for warning in warnings(text)]


def test_nine_of_ten_remarks_are_right() -> None:
    """On the labelled tasks at least 0.9 of what the lint says is what a reviewer said."""
    tasks = labelled()

    assert len(tasks) == 40
    assert sum(bool(task.codes) for task in tasks) == 20
    assert precision(tasks) >= 0.9
    assert recall(tasks) >= 0.9


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("- [ ] Improve performance\n", (1, 7)),
        ("\ufeff- [ ] Improve performance\r\n", (1, 7)),
        ("# Plan\r\n\r\n  - [ ] Fix\r\n    various bugs\r\n", (4, 5)),
        ("# Plan\r\r- [ ] Add tests\r", (3, 1)),
    ],
)
def test_a_warning_points_to_its_words(text: str, place: tuple[int, int]) -> None:
    """Line and column are those of the file, whatever its line ends, with or without a BOM."""
    (warning,) = warnings(text)

    assert (warning.line, warning.column, warning.code) == (*place, "vague")


@pytest.mark.parametrize(
    "text",
    [
        "## Cart\n\n- [ ] Add tests\n",
        "## Work\n\n- [ ] Cart\n  - [ ] Add tests\n",
        "## Work\n\n- [ ] Improve it\n  - `total()` is never negative\n",
        "## Work\n\nAll of this is about `shop/cart.py`.\n\n- [ ] Improve it\n",
        "## Work\n\n- [x] Improve performance\n",
        "- [ ] 支払いページを追加する\n",
    ],
)
def test_what_is_explained_or_over_is_not_vague(text: str) -> None:
    """A terse task is understood where headings, a parent or its own points say the rest."""
    assert "vague" not in codes(text)


def test_a_heading_said_of_any_project_explains_nothing() -> None:
    """ "Phase 2: Testing" says as little as the task below it."""
    assert codes("# Shop\n\n## Phase 2: Testing\n\n- [ ] Add tests\n") == ["vague"]


def test_a_large_task_is_told_by_what_was_counted() -> None:
    """The message names the measures that were reached and what to do."""
    text = "- [ ] Build the UI, implement the API, deploy it and migrate the data\n"

    (warning,) = warnings(text)

    assert warning.code == "too-large"
    assert "4 kinds of work" in warning.message
    assert "split it" in warning.message


def test_many_files_of_a_section_make_no_task_large() -> None:
    """Only the files that a task names itself count."""
    names = " ".join(f"`src/module_{n}.py`" for n in range(12))

    assert codes(f"## Parser\n\n{names}\n\n- [ ] Reject empty input\n") == []
    assert codes(f"## Parser\n\n- [ ] Reject empty input in {names}\n") == ["too-large"]


@pytest.mark.parametrize(
    "text",
    [
        "- [ ] Export invoices as PDF (done)\n",
        "- [ ] Export invoices as PDF \u2014 completed\n",
        "- [ ] ✅ Export invoices as PDF\n",
        "- [ ] Export invoices as PDF\n  - **Status**: ✅ Complete\n",
        "- [x] Export invoices as PDF (WIP)\n",
        "- [x] Export invoices as PDF: not started\n",
        "- [x] Export invoices as PDF 🚧\n",
        "- [x] Export invoices as PDF\n  - Status: in progress\n",
    ],
)
def test_a_box_and_its_words_disagree(text: str) -> None:
    """A remark on the task's own state is held against its box."""
    assert codes(text) == ["contradiction"]


@pytest.mark.parametrize(
    "text",
    [
        "- [x] List pending payments\n",
        "- [x] Add a TODO list to the sidebar\n",
        "- [x] Warn when the job is `TODO: pending`\n",
        "- [x] Move tickets from open to in progress\n",
        "- [ ] Close the dialog when the upload is done\n",
        "- [ ] Mark finished steps with ✅\n",
        "- [ ] Show the ✅ beside each name\n",
    ],
)
def test_words_about_the_product_are_innocent(text: str) -> None:
    """ "pending", "TODO", "done" and check marks are mostly about what is built."""
    assert codes(text) == []


def test_a_done_heading_over_open_tasks() -> None:
    """The heading is named once, with how many tasks are open below it."""
    text = "# Shop\n\n## Phase 1 ✅\n\n- [x] `a.py`\n- [ ] `b.py`\n\n### More\n\n- [ ] `c.py`\n"

    (warning,) = warnings(text)

    assert (warning.line, warning.code) == (3, "contradiction")
    assert "2 open tasks are below it" in warning.message


def test_ids_that_stand_twice() -> None:
    """The second of two equal ids is named with the line of the first; done pairs are past."""
    text = (
        "- [x] 1.1 Write `a.py`\n- [ ] 1.1 Write `b.py`\n- [x] 2.1 Old `c.py`\n- [x] 2.1 `d.py`\n"
    )

    (warning,) = warnings(text)

    assert (warning.line, warning.column, warning.code) == (2, 7, "duplicate-id")
    assert "line 1" in warning.message


def test_titles_that_stand_twice() -> None:
    """The same title counts under the same headings only."""
    task = "- [ ] Write `a.py`\n"

    assert codes(f"## A\n\n{task}{task}") == ["duplicate-title"]
    assert codes(f"## A\n\n{task}\n## B\n\n{task}") == []


def test_dependencies_that_lead_nowhere() -> None:
    """What names nothing and what goes round are told once, the circle with its way."""
    text = (
        "- [ ] T1 Add `a.py` (depends on T3)\n- [ ] T2 Add `b.py` (depends on T1)\n"
        "- [ ] T3 Add `c.py` (depends on T2)\n- [ ] T4 Add `d.py` (depends on T9)\n"
    )

    found = {warning.code: warning.message for warning in warnings(text)}

    assert codes(text) == ["dependency-cycle", "unresolved-dependency"]
    assert "T1" in found["dependency-cycle"].split(";")[0]
    assert "T9" in found["unresolved-dependency"]


@pytest.mark.parametrize("state", ["- ✅ a\n- 🚧 b\n- ❌ c\n", "✅ a\n🚧 b\n❌ c\n"])
@pytest.mark.parametrize("heading", ["Status", "Anything"])
def test_lines_with_a_state_beside_checkboxes(state: str, heading: str) -> None:
    """They are not read, which is said with their lines; a legend is nothing to read."""
    legend = "\n- ✅ Done\n- 🚧 In progress\n"
    text = f"- [ ] Write `x.py`\n\n## {heading}\n\n{state}\n## Legend\n{legend}"

    [found] = [w for w in lint(parse_roadmap("R.md", text.encode())) if w.code == "no-checkbox"]

    assert found.line == 5
    assert "lines 5, 6, 7 show a status" in found.message


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("- [ ] 1.1 Write `a.py`, depends on web#1.1\n", ["unread-dependency"]),
        ("- [ ] 1.1 Write `a.py` (depends on web#1.1)\n", ["unresolved-dependency"]),
        ("- [ ] 1.1 Write `a.py`\n  - depends on `web#1.1`\n", ["unread-dependency"]),
        ("- [x] 1.0 Write `b.py`\n- [ ] 1.1 Write `a.py` (depends on 1.0)\n", []),
        ("- [ ] 1.1 Write `a.py`, which depends on Python 3.11\n", []),
    ],
)
def test_a_dependency_on_nothing(text: str, codes: list[str]) -> None:
    """Whatever its form, it is said that nothing waits for it."""
    found = [w.code for w in lint(parse_roadmap("R.md", text.encode()))]

    assert [code for code in found if code.endswith("dependency")] == codes


def test_a_broken_fence_is_told_with_what_it_hides() -> None:
    """A fence that is never closed swallows tasks: its line is named, and theirs."""
    text = "- [ ] Add `a.py`\n\n```\ncode\n\n- [ ] Add `b.py`\n"

    for file in (text, text.rstrip(), f"{text}\n\n"):
        (found,) = [warning for warning in warnings(file) if warning.code == "broken-fence"]
        assert found.line == 3
        assert "hides the tasks of line 6" in found.message
    assert "broken-fence" not in codes(f"{text}```\n")
    assert "broken-fence" not in codes(f"{text}```")


def test_a_proposed_task_is_judged_by_itself() -> None:
    """With or without a box, in one line or several; () when there is nothing to say."""
    assert lint_text("Add `total()` to `cart.py`: the sum of all prices") == ()
    assert lint_text("- [ ] Cart\n  - quantities of 0 remove the item") == ()
    assert lint_text("Shopping cart\n- quantities of 0 remove the item") == ()
    assert any("vague" in message for message in lint_text("Improve things"))
    assert any("too large" in message for message in lint_text("Rewrite the entire frontend"))


@given(files)
def test_no_file_is_too_odd(content: bytes) -> None:
    """Whatever the bytes: every warning stands in the file, says something, and is known."""
    roadmap = parse_roadmap("ROADMAP.md", content)
    lines = len(re.split(rb"\r\n|\n|\r", content))

    found = lint(roadmap)

    assert set(roadmap.warnings) <= set(found)
    assert all(1 <= w.line <= lines and w.column >= 1 and w.message for w in found)
    assert {w.code for w in found} <= {*(rule.code for rule in RULES), *PARSED}
    assert len(found) <= len(roadmap.warnings) + len(RULES) * len(roadmap.tasks) + 1


def test_every_code_is_in_the_table() -> None:
    """What the parser reports has a line in the table too, and no code two."""
    sources = (PROJECT / "runner/roadmap").rglob("*.py")
    made = r"Warning\((?:[^()\"]|\([^()]*\))*\"([a-z]+(?:-[a-z]+)+)\""
    parsed = {code for path in sources for code in re.findall(made, path.read_text("utf-8"))}
    known = [*(rule.code for rule in RULES), *PARSED]

    assert parsed <= set(known)
    assert len(known) == len(set(known))
    assert set(package.__all__) >= {"lint", "lint_text"}


def test_the_rules_are_documented() -> None:
    """docs/roadmaps.md has the table that the rules themselves print."""
    assert rules_table() in (PROJECT / "docs/roadmaps.md").read_text("utf-8")
