"""What each file of the collection is to give, by the trap it is named for."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Roadmap, Task

FOLDER = Path(__file__).parents[2] / "data/roadmaps"


def read(name: str) -> Roadmap:
    """Parse a file of the collection."""
    return parse_roadmap(name, (FOLDER / f"{name}.md").read_bytes())


def at(name: str, line: int) -> Task:
    """The task on a line of a file."""
    [task] = [task for task in read(name).tasks if task.place.line == line]
    return task


KINDS = {
    "seed-archive": "wwwwww",
    "seed-sections": "wwwcccswws",
    "seed-thrusts": "ccc",
    "seed-statuses": "cc",
    "kinds-sibling-tasks": "wwccwc",
    "kinds-parent-item": "wcw",
    "kinds-summaries": "sswwwws",
    "kinds-kiro": "swww",
    "kinds-openspec": "www",
    "kinds-only-checks": "cc",
    "kinds-testing-is-work": "wwwww",
    "structure-nested": "ssswwwsw",
    "phases-chinese": "wwcw",
    "phases-japanese": "wcw",
    "phases-russian": "wcw",
    "phases-spanish": "wcw",
    "boxes-none-headings": "",
    "boxes-none-prose": "",
}


@pytest.mark.parametrize("name", KINDS)
def test_kinds(name: str) -> None:
    """Work, checks and summaries are told apart, in file order."""
    assert "".join(task.kind[0] for task in read(name).tasks) == KINDS[name]


PHASES = {
    "seed-sections": ["1"] * 7 + [None] + ["1"] * 2,
    "seed-archive": ["1"] * 4 + ["2"] * 2,
    "structure-setext": ["1", "2"],
    "phases-leaked-headings": ["1", "2", "2"],
    "phases-chinese": ["1", "1", "1", "2"],
    "phases-japanese": ["1", "1", "2"],
    "phases-russian": ["1", "1", "2"],
    "phases-spanish": ["1", "1", "2"],
    "phases-weeks": ["2", "2", "MVP", None],
    "bytes-mojibake": ["1", "1"],
    "kinds-spec-kit": ["1", "1", "3", "3"],
    "kinds-openspec": ["1", "1", "2"],
}


@pytest.mark.parametrize("name", PHASES)
def test_phases(name: str) -> None:
    """The nearest number that says a phase wins; headings that leak out of code change nothing."""
    assert [task.place.phase for task in read(name).tasks] == PHASES[name]


@pytest.mark.parametrize(
    ("name", "line", "acceptance"),
    [
        (
            "seed-sections",
            26,
            (
                "A missing file gives exit code 2",
                "An empty file gives no lines",
                "All tests pass",
            ),
        ),
        ("seed-sections", 66, ()),
        ("kinds-sibling-tasks", 9, ("A wrong password is refused", "No password is logged")),
        ("kinds-sibling-tasks", 21, ("The cookie is gone", "it works twice")),
        ("kinds-parent-item", 3, ("a wrong password is refused", "no password is logged")),
        ("kinds-parent-item", 8, ("the cookie is gone", "it works twice")),
        ("kinds-summaries", 18, ("Files are read",)),
        ("kinds-spec-kit", 13, ("Login works",)),
        ("kinds-spec-kit", 6, ()),
        ("phases-chinese", 9, ("测试通过",)),
        ("phases-chinese", 18, ()),
        ("phases-japanese", 5, ("テストが通る",)),
        ("phases-russian", 5, ("Тесты проходят",)),
    ],
)
def test_acceptance(name: str, line: int, acceptance: tuple[str, ...]) -> None:
    """Checks hang on the work they belong to: a sibling list, a section, the item around them."""
    assert at(name, line).acceptance == acceptance


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("seed-thrusts", "all of them are checks"),
        ("seed-statuses", "all of them are checks"),
        ("kinds-only-checks", "all of them are checks"),
        ("kinds-template", "it is a template"),
        ("kinds-one-placeholder", ""),
        ("kinds-testing-is-work", ""),
        ("seed-sections", ""),
        ("boxes-none-prose", ""),
    ],
)
def test_what_asks(name: str, said: str) -> None:
    """Files of nothing but checks, and templates, are not run without a word."""
    asks = read(name).asks

    assert said in asks
    assert bool(said) == bool(asks)


def test_ids_and_titles() -> None:
    """Every form of a written id is found; what only looks like one stays in the title."""
    assert [(task.id, task.title) for task in read("kinds-ids").tasks] == [
        ("1.1", "dotted"),
        ("Phase 1", "worded"),
        ("Task 3", "worded too"),
        ("ABC-12", "tracker"),
        ("01-02", "plan"),
        ("T001", "spec"),
        ("#12", "issue"),
        ("4", "counted"),
        (None, "3 times no id"),
        (None, "UTF-8 is no id"),
        (None, "S3 is none either"),
        ("2.1", "marked"),
        (None, "Bold and code_x and link"),
    ]


def test_parents_by_id() -> None:
    """A sub-task that stands beside its parent is found by its id, whatever the list says."""
    first, one, two, other = read("kinds-kiro").tasks

    assert (one.place.parent, two.place.parent) == (first.key, first.key)
    assert (first.place.parent, other.place.parent) == (None, None)
    assert [task.place.depth for task in (first, one)] == [0, 0]


def test_struck_through() -> None:
    """What is crossed out is not run; what only mentions something crossed out is."""
    assert [task.marks.struck for task in read("kinds-struck").tasks] == [
        True,
        True,
        False,
        True,
        True,
    ]


def test_placeholders() -> None:
    """Of a template no task is run; elsewhere only the placeholder itself is not."""
    assert all(task.marks.template for task in read("kinds-template").tasks)
    assert [
        task.place.line for task in read("kinds-one-placeholder").tasks if task.marks.template
    ] == [8]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("seed-analysis", [(12, 16, "heading"), (17, 21, "heading")]),
        ("seed-thrusts", [(3, 15, "heading"), (16, 24, "heading")]),
        ("seed-statuses", [(5, 6, "numbered"), (9, 13, "numbered"), (16, 17, "numbered")]),
        ("boxes-none-headings", [(5, 9, "heading"), (10, 13, "heading"), (14, 18, "heading")]),
        ("boxes-none-table", [(5, 5, "table"), (6, 6, "table")]),
        ("boxes-none-emoji", [(3, 3, "emoji"), (4, 5, "emoji"), (7, 7, "emoji")]),
        ("bytes-mojibake", [(8, 8, "emoji")]),
        ("bytes-mojibake-mac", [(7, 7, "emoji")]),
        ("boxes-none-prose", []),
        ("seed-archive", []),
    ],
)
def test_candidates(name: str, lines: list[tuple[int, int, str]]) -> None:
    """What reads like a task without a box is listed, and is no task."""
    roadmap = read(name)

    assert [(c.line, c.end_line, c.why) for c in roadmap.candidates] == lines
    assert not {task.place.line for task in roadmap.tasks} & {c.line for c in roadmap.candidates}


def test_titles_of_candidates() -> None:
    """A candidate is called as it is shown, without marks."""
    assert [c.title for c in read("boxes-none-table").candidates] == ["Reader", "Writer"]
    assert read("seed-statuses").candidates[0].title == "Reader - reads files"


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("boxes-custom-states", [(line, "custom-state") for line in range(4, 11)]),
        (
            "boxes-malformed",
            [(line, "malformed-box") for line in (4, 5, 6, 7, 8, 9, 11, 13)],
        ),
        ("boxes-in-headings", [(3, "heading-box"), (7, "heading-box")]),
        ("boxes-in-tables", [(5, "table-box"), (6, "table-box")]),
        ("structure-quotes", [(line, "quoted-task") for line in (5, 6, 9)]),
        ("structure-code", [(line, "task-in-code") for line in (8, 13, 18)]),
        ("structure-html", [(4, "task-in-html"), (8, "task-in-html")]),
        ("structure-open-comment", [(6, "task-in-html"), (19, "task-in-html")]),
        ("structure-front-matter", [(4, "task-in-front-matter")]),
        ("structure-open-fence", [(5, "broken-fence")]),
        ("structure-nested-fence", [(5, "broken-fence"), (8, "task-in-code")]),
        ("structure-longer-fence", [(5, "task-in-code")]),
        ("seed-sections", [(42, "broken-fence"), (47, "task-in-code")]),
        ("phases-leaked-headings", [(7, "broken-fence")]),
        ("bytes-not-utf8", [(3, "not-utf8")]),
        ("boxes-named-in-text", []),
        ("structure-links", []),
        ("kinds-one-placeholder", []),
    ],
)
def test_warnings(name: str, found: list[tuple[int, str]]) -> None:
    """A line that reads like a task and is none is told with its reason; nothing else is."""
    assert [(w.line, w.code) for w in read(name).warnings] == found


def test_an_open_comment_says_what_it_hides() -> None:
    """The message names the comment and the lines; no heading in it is one of a task."""
    roadmap = read("structure-open-comment")
    [task] = roadmap.tasks
    first, second = (warning.message for warning in roadmap.warnings)

    assert (task.place.line, [heading.line for heading in task.place.headings]) == (15, [1])
    assert "2 lines that read like tasks are behind the comment of line 4 (to line 10)" in first
    assert "this is behind the comment of line 17" in second


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "structure-nested-fence",
            ["(line 7)", "already ends in line 9", "of line 13", "````", "line 11"],
        ),
        ("structure-open-fence", ["never closed", "of line 8, 9", "Close it with ```"]),
        (
            "seed-sections",
            ["(line 46)", "already ends in line 48", "of line 56, 57", "as tasks on line 51"],
        ),
    ],
)
def test_broken_fences_say_what_they_hide(name: str, words: list[str]) -> None:
    """The message names the inner fence, the lines it hides, and the fence to write instead."""
    [message] = [w.message for w in read(name).warnings if w.code == "broken-fence"]

    assert [word for word in words if word not in message] == []


@pytest.mark.parametrize(
    ("name", "eol", "bom"),
    [
        ("bytes-bom", "lf", True),
        ("bytes-crlf", "crlf", False),
        ("bytes-lone-cr", "cr", False),
        ("bytes-mixed", "mixed", False),
        ("bytes-tabs", "lf", False),
    ],
)
def test_bytes(name: str, eol: str, bom: bool) -> None:
    """The file says how its lines end, and whether it begins with a mark."""
    roadmap = read(name)

    assert (roadmap.eol, roadmap.bom) == (eol, bom)


def test_the_how_of_a_task() -> None:
    """A task is told its phase's first words, its section above "Tasks", and what it holds."""
    [task] = read("sections-how").tasks

    assert task.place.section.startswith(
        "The reader comes first.\n\nUse `read_bytes`.\n\n```python"
    )
    assert "It is small" not in task.place.section
    assert "Later words" not in task.place.section + task.details
    assert task.files == ("src/reader.py", "docs/")
    assert "A paragraph of the task." in task.details
    assert "  read()" in task.details


def test_sections() -> None:
    """Each heading has its path, its number, its lines and its text up to the first task."""
    sections = read("sections-how").sections

    assert [(s.number, s.line, s.end_line, len(s.path)) for s in sections] == [
        ("", 1, 1, 1),
        ("1", 3, 7, 2),
        ("1.1", 9, 16, 3),
        ("", 18, 29, 4),
    ]
    assert sections[1].text == "The reader comes first.\n\nIt is small."


def test_labels() -> None:
    """A list knows the line that introduces it, without marks."""
    assert at("seed-sections", 25).place.label == "Tasks"
    assert at("seed-sections", 30).place.label == "Expected Behavior"
    assert at("kinds-parent-item", 6).place.label == "Acceptance"
    assert at("kinds-sibling-tasks", 9).place.label == ""
