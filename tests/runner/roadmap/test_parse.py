"""Which lines of a file are tasks, and what is known of each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Roadmap, Task
from tests.runner.roadmap.texts import files


def parse(text: str | bytes) -> Roadmap:
    """Parse a text as the file ROADMAP.md."""
    return parse_roadmap("ROADMAP.md", text.encode() if isinstance(text, str) else text)


def tasks(text: str | bytes) -> list[tuple[int, bool, str]]:
    """(line, done, text) of every task."""
    return [(task.place.line, task.checked, task.text) for task in parse(text).tasks]


def only(text: str) -> Task:
    """The one task of a text."""
    [task] = parse(text).tasks
    return task


def test_tasks_stand_under_headings() -> None:
    """A task knows the headings above it, of each level the newest that is still open."""
    text = "# Plan\n## One\n### Deep\n## Two\n\n- [ ] a\n"

    [task] = parse(text).tasks

    assert [(h.level, h.line, h.text) for h in task.place.headings] == [
        (1, 1, "Plan"),
        (2, 4, "Two"),
    ]


def test_open_and_done() -> None:
    """A box with x or X is done, an empty one is open, in every kind of list."""
    text = "- [ ] a\n* [x] b\n+ [X] c\n1. [ ] d\n2) [x] e\n"

    assert tasks(text) == [
        (1, False, "a"),
        (2, True, "b"),
        (3, True, "c"),
        (4, False, "d"),
        (5, True, "e"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "- [] a",
        "- [ ]a",
        "-[ ] a",
        "- [-] a",
        "- [ x] a",
        "- [ ]",
        "- \\[ ] a",
        "[ ] a",
        "- a [ ] b",
        "    - [ ] code",
        "- # [ ] heading",
        "- > [ ] quote",
        "-\n  [ ] on the next line",
        "### [ ] a",
        "| - [ ] a |",
    ],
)
def test_what_is_no_task(line: str) -> None:
    """What GitHub does not show as a box at the start of an item is no task."""
    assert tasks(line + "\n") == []


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end: str) -> None:
    """Lines are counted alike whatever ends them."""
    assert tasks(end.join(["# P", "", "- [ ] a", "- [x] b", ""])) == [
        (3, False, "a"),
        (4, True, "b"),
    ]


def test_other_separators_end_no_line() -> None:
    """A form feed, U+0085 or U+2028 is a character of its line."""
    assert tasks("- [ ] a\u2028b\x0cc\x85d\n- [ ] e\n") == [
        (1, False, "a\u2028b\x0cc\x85d"),
        (2, False, "e"),
    ]


def test_byte_order_mark() -> None:
    """A byte order mark hides nothing."""
    assert tasks(b"\xef\xbb\xbf- [ ] a\n") == [(1, False, "a")]


def test_tabs() -> None:
    """Tabs after the marker and before nested items count as blanks."""
    assert tasks("-\t[ ] a\n\t- [x] b\n") == [(1, False, "a"), (2, True, "b")]


def test_front_matter() -> None:
    """Front matter holds no task, and lines go on counting behind it."""
    assert tasks("---\ntodo: |\n  - [ ] no\n---\n- [ ] a\n") == [(5, False, "a")]


@pytest.mark.parametrize(
    "block",
    [
        "```\n- [ ] no\n```",
        "~~~~md\n- [ ] no\n```\n- [ ] no\n~~~~",
        "<!--\n- [ ] no\n-->",
        "<pre>\n- [ ] no\n\n- [ ] no\n</pre>",
        "<div>\n- [ ] no\n</div>",
    ],
)
def test_code_and_html(block: str) -> None:
    """What stands in code or HTML is no task, and what follows is one."""
    assert [text for _, _, text in tasks(f"{block}\n\n- [ ] a\n")] == ["a"]


def test_details_show_their_tasks() -> None:
    """After a blank line inside <details> Markdown goes on, and so do tasks."""
    assert tasks("<details>\n\n- [ ] a\n\n</details>\n") == [(3, False, "a")]


def test_an_open_fence_swallows_the_rest() -> None:
    """A fence that is never closed ends at the end of the file, as on GitHub."""
    assert tasks("- [ ] a\n\n```\n- [ ] no\n") == [(1, False, "a")]


def test_quotes_are_left_out_and_told() -> None:
    """A task in a block quote is not taken, and a warning names its line."""
    roadmap = parse("- [ ] a\n\n> - [ ] quoted\n>   - [ ] inner\n")

    assert [task.text for task in roadmap.tasks] == ["a"]
    assert [(w.line, w.code) for w in roadmap.warnings] == [(3, "quoted-task"), (4, "quoted-task")]


def test_a_quoted_heading_heads_nothing() -> None:
    """A heading inside a quote is not above the tasks that follow the quote."""
    assert only("# Plan\n\n> # Quoted\n\n- [ ] a\n").place.headings[-1].text == "Plan"


def test_parents_are_summaries() -> None:
    """A task with tasks below it is a summary; through plain bullets as well."""
    roadmap = parse("- [ ] a\n  - [ ] b\n- [ ] c\n  - plain\n    - [ ] d\n- [ ] e\n  - plain\n")

    kinds = {task.text: task.kind for task in roadmap.tasks}
    assert kinds == {"a": "summary", "b": "work", "c": "summary", "d": "work", "e": "work"}


def test_children_know_their_parent() -> None:
    """A nested task names its parent's key and its depth."""
    first, inner, second = parse("- [ ] a\n  - [ ] b\n- [ ] c\n").tasks

    assert (first.place.parent, inner.place.parent, second.place.parent) == (None, first.key, None)
    assert (first.place.depth, inner.place.depth) == (0, 1)


def test_deep_nesting() -> None:
    """Tasks are found at any depth that people write."""
    text = "".join(f"{'  ' * depth}- [ ] level {depth}\n" for depth in range(20))

    assert len(parse(text).tasks) == 20


def test_lines_of_text_and_item() -> None:
    """The own text and the whole item have their own last lines; blank lines are not counted."""
    task = only("- [ ] a\n  more\n\n  second\n  - bullet\n\n\nafter\n")

    assert (task.place.line, task.place.text_end_line, task.place.end_line) == (1, 2, 5)
    assert task.text == "a\nmore"
    assert task.details == "\n  second\n  - bullet".strip("\n")


def test_section() -> None:
    """What stands between the nearest heading and its first task is the section's text."""
    first, second, other = parse(
        "# P\n\nWhy.\n\n- bullet\n\n**Tasks**\n\n- [ ] a\n\nLater.\n\n- [ ] b\n\n# Q\n- [ ] c\n"
    ).tasks

    assert first.place.section == second.place.section == "Why.\n\n- bullet\n\n**Tasks**"
    assert other.place.section == ""


def test_section_of_an_underlined_heading() -> None:
    """The line under a heading is not part of its section."""
    assert only("Plan\n====\nWhy.\n\n- [ ] a\n").place.section == "Why."


def test_a_box_in_code_does_not_end_a_section() -> None:
    """An example of a task in a fence belongs to the section's text."""
    assert "- [ ] example" in only("# P\n```\n- [ ] example\n```\n\n- [ ] a\n").place.section


@pytest.mark.parametrize(
    ("text", "written", "title"),
    [
        ("1.2 Do it", "1.2", "Do it"),
        ("1.2.3: Do it", "1.2.3", "Do it"),
        ("**T001** Do it", "T001", "Do it"),
        ("**T1:** Do it", "T1", "Do it"),
        ("**1.1 Do it** now", "1.1", "Do it now"),
        ("1.1 \u2013 Return `1\u20135` \u2013 or so", "1.1", "Return 1\u20135 \u2013 or so"),
        ("API-12 Do it", "API-12", "Do it"),
        ("Do 1.2 times", None, "Do 1.2 times"),
        ("3 times", None, "3 times"),
        ("**Do** `my_function_x` in snake_case", None, "Do my_function_x in snake_case"),
        ("[Do](https://example.org) <b>it</b>\nand more", None, "Do it and more"),
        ("Add <T> to `List<T>`", None, "Add <T> to List<T>"),
        ("\u2705 **2.1** Do it \U0001f680", "2.1", "Do it"),
        ("T001 [P] [US1] Do it", "T001", "Do it"),
        ("Phase 2: Do it", "Phase 2", "Do it"),
        ("Phase 2 of it", None, "Phase 2 of it"),
        ("01-02: Do it", "01-02", "Do it"),
        ("#12 Do it", "#12", "Do it"),
        ("[#12](https://example.org) Do it", "#12", "Do it"),
        ("3. Do it", "3", "Do it"),
    ],
)
def test_id_and_title(text: str, written: str | None, title: str) -> None:
    """The title is the first sentence as it is shown, without its written id."""
    task = only(f"- [ ] {text}\n".replace("\nand", "\n  and"))

    assert (task.id, task.title) == (written, title)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("## Tasks\n- [ ] a\n**Acceptance Criteria:**\n- [ ] b\n", "wc"),
        ("## Phase 1: Build\n- [ ] a\n## Phase 2: Verification\n- [ ] b\n", "ww"),
        ("## Build\n- [ ] a\n## Phase 2 Success Criteria\n- [ ] b\n", "wc"),
        ("## Build\n- [ ] a\n## Verification of addresses\n- [ ] b\n", "ww"),
        ("## Success Criteria\n### Speed\n- [ ] b\n## Build\n- [ ] a\n", "cw"),
        ("## Verification\n**Tasks**:\n- [ ] a\n\n**Done when**:\n- [ ] b\n", "wc"),
        ("- [ ] a\n  **Done when:**\n  - [ ] b\n    - [ ] c\n", "wcc"),
        ("- [ ] Complete section 1.1\n- [ ] Finish the module loader\n", "sw"),
        ("## Overview\n- [ ] Phase 1: A\n- [ ] Phase 2: B\n## Phase 1\n- [ ] x\n", "sww"),
        ("## A\n- [ ] a\n## Files\n- [ ] `src/a.py`\n- [ ] Move `src/b.py`\n", "wcw"),
    ],
)
def test_kinds(text: str, kinds: str) -> None:
    """Checks are told by label, then heading; what sums up others by their being there."""
    assert "".join(task.kind[0] for task in parse(text).tasks) == kinds


@pytest.mark.parametrize(
    ("text", "acceptance"),
    [
        ("- [ ] a\n  **Acceptance**: works\n  **Effort**: 2h\n", ("works",)),
        ("- [ ] a\n  - **Done when**: it is\n    there\n", ("it is there",)),
        ("**Priority**: High\n**Acceptance**: works\n\n- [ ] a\n", ("works",)),
        ("**Success Criteria** (all):\n1. A\n2. B\n**Plans**: 3\n\n- [ ] a\n", ("A", "B")),
        ("- [ ] a\n  - see:\n    - b\n", ()),
        ("### Task 1: A\n**Verify**:\n- b\n\n### Task 2: B\n- [ ] a\n", ()),
    ],
)
def test_acceptance(text: str, acceptance: tuple[str, ...]) -> None:
    """Criteria are boxes, bullets and lines under a key; another task's own are not taken."""
    assert only(text).acceptance == acceptance


def test_file_hints() -> None:
    """Code spans that look like paths are hints; routes, links and words are not."""
    task = only(
        "- [ ] Make `src/a.py` and `b.toml` (see `/api/x`, `../up.py`, `https://x.y`, `word`)\n"
        "  - also `docs/`\n"
    )

    assert task.files == ("src/a.py", "b.toml", "docs/")


def test_equal_texts_have_different_keys() -> None:
    """Tasks with the same text under the same heading stay apart."""
    keys = [task.key for task in parse("# P\n- [ ] a\n- [ ] a\n# Q\n- [ ] a\n").tasks]

    assert len(set(keys)) == 3


def test_keys_survive_other_changes() -> None:
    """A tick, a new task, new details or other spacing leave the key of a task as it is."""
    [key] = [task.key for task in parse("# P\n- [ ] **1.1** a b\n").tasks]
    after = parse("Intro\n\n# P\nText.\n\n- [ ] new\n- [x] **1.1** a\n  b\n  - detail\n# Q\n")

    assert after.tasks[1].key == key


def test_keys_tell_headings_apart() -> None:
    """The same words in another phase are another task."""
    [one], [two] = parse("## P\n- [ ] a\n").tasks, parse("## Q\n- [ ] a\n").tasks

    assert one.key != two.key


@given(files)
def test_parsing_never_raises(content: bytes) -> None:
    """Any bytes give a roadmap that keeps them, with tasks in file order."""
    roadmap = parse(content)

    assert roadmap.content == content
    assert [t.place.line for t in roadmap.tasks] == sorted(t.place.line for t in roadmap.tasks)


@given(files)
def test_keys_are_unique(content: bytes) -> None:
    """No two tasks of a file share a key."""
    keys = [task.key for task in parse(content).tasks]

    assert len(keys) == len(set(keys))


@given(files)
def test_lines_lie_in_the_file(content: bytes) -> None:
    """A task's lines are lines of the file, its text before its end."""
    last = content.count(b"\n") + content.count(b"\r") + 1
    for task in parse(content).tasks:
        assert 1 <= task.place.line <= task.place.text_end_line <= task.place.end_line <= last


@given(files, st.sampled_from([b"\n", b"\r\n", b"\r"]))
def test_line_ends_change_nothing(content: bytes, end: bytes) -> None:
    """The same lines with other ends hold the same tasks."""
    plain = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    assert parse(plain.replace(b"\n", end)).tasks == parse(content).tasks


def test_the_same_bytes_are_read_once() -> None:
    content = b"- [ ] 1.1 Write `a.md`\n"

    first = parse_roadmap("ROADMAP.md", content)

    assert parse_roadmap("ROADMAP.md", bytes(bytearray(content))) is first
    assert parse_roadmap("TODO.md", content).path == "TODO.md"
    assert parse_roadmap("ROADMAP.md", content.replace(b"[ ]", b"[x]")).tasks[0].checked
