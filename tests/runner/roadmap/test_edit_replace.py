"""Replacing a task writes what was asked at its place, or refuses; every other byte stays."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from runner.roadmap.edit import EditRefused
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.replace import Audit, replace_task
from runner.roadmap.task import NewTask, Task
from runner.roadmap.writing import propose_ids
from tests.runner.roadmap.edits import (
    AUDIT,
    PATH,
    boxes,
    fitting_texts,
    lines_of,
    new_tasks,
    plain_texts,
    roadmaps,
    tasks_of,
)
from tests.runner.tries import tries

SHORT = replace(AUDIT, original="old", reason="why", approved_by="")
SAID = """<!-- RECOVERY: DECOMPOSE at 2026-03-04T05:06:07Z -->
<!-- Original: old -->
<!-- Reason: why -->
"""


def replaced(
    content: str, *news: NewTask, number: int = 0, audit: Audit = SHORT, keep: bool = True
) -> str:
    """Replace a task by its number in the file."""
    old = content.encode()
    key = tasks_of(old)[number].key
    return replace_task(PATH, old, key, news, audit=audit, keep_nested=keep).decode()


def comments(indent: str, end: str = "\n") -> str:
    """The audit comments as they stand in an item."""
    return "".join(f"{indent}{line}{end}" for line in SAID.splitlines())


def test_decompose() -> None:
    """The parts stand at the place and depth of the task, with audit, numbers and bold."""
    before = "- [ ] **1.1 A**\n  - [ ] 1.2 B\n    old\n    - nested\n- [ ] 1.3 C\n"

    after = replaced(
        before,
        NewTask("One", id="1.2.1"),
        NewTask("Two", id="1.2.2", details=("how",), acceptance=("it works",)),
        number=1,
    )

    assert after == (
        f"- [ ] **1.1 A**\n  - [ ] 1.2.1 One\n{comments('    ')}    - nested\n  - [ ] 1.2.2 Two\n"
        "    - how\n    - Acceptance:\n      - it works\n- [ ] 1.3 C\n"
    )


@pytest.mark.parametrize(
    ("before", "inside", "after"),
    [
        ("* [ ] a\n", "  ", "* [ ] b\n{}* [ ] c\n"),
        ("+ [ ] a\n", "  ", "+ [ ] b\n{}+ [ ] c\n"),
        ("1. [ ] a\n", "   ", "1. [ ] b\n{}1. [ ] c\n"),
        ("10) [ ] a\n", "    ", "10) [ ] b\n{}10) [ ] c\n"),
        ("-\t[ ] a\n", " \t", "-\t[ ] b\n{}-\t[ ] c\n"),
        ("  -  [ ]  a\n", "     ", "  -  [ ]  b\n{}  -  [ ]  c\n"),
        ("- - [ ] a\n", "    ", "- - [ ] b\n{}  - [ ] c\n"),
        ("- [ ] a\nlazy\n", "  ", "- [ ] b\n{}- [ ] c\n"),
        ("- [ ] a\n\n\nafter\n", "  ", "- [ ] b\n{}- [ ] c\n\n\nafter\n"),
        ("\ufeff- [ ] a\n", "  ", "\ufeff- [ ] b\n{}- [ ] c\n"),
    ],
)
def test_manners(before: str, inside: str, after: str) -> None:
    """Marker, indent, blanks and box are the task's own, comments stand at its content's column."""
    assert replaced(before, NewTask("b"), NewTask("c")) == after.replace("{}", comments(inside))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end: str) -> None:
    """New lines end as the line they replace, whatever the others do."""
    before = f"# P\r\n\n- [ ] a{end}- [ ] b\r\n"

    assert replaced(before, NewTask("c\nd")) == (
        f"# P\r\n\n- [ ] c{end}  d{end}{comments('  ', end)}- [ ] b\r\n"
    )


def test_no_final_line_end() -> None:
    """A file that ends without a line end still does, and takes the one of the line before."""
    before = "# P\r\n\r\n- [ ] a\r\n  - nested"

    assert replaced(before, NewTask("b"), NewTask("c")) == (
        f"# P\r\n\r\n- [ ] b\r\n{comments('  ', chr(13) + chr(10))}  - nested\r\n- [ ] c"
    )


def test_a_lone_carriage_return_never_meets_a_line_feed() -> None:
    """Two line ends stay two where the replaced lines end differently."""
    after = replaced("- [ ] a\rlazy\n\n- [ ] b\n", NewTask("c"))

    assert after == f"- [ ] c\r{comments('  ', chr(13))}".rstrip("\r") + "\n\n- [ ] b\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("**1.1 Title**: rest", "**7.7 New `x`**"),
        ("**1.1** Title", "**7.7** New `x`"),
        ("**T1:** Title", "**7.7:** New `x`"),
        ("__1.1__ Title", "__7.7__ New `x`"),
        ("1.1: Title", "7.7: New `x`"),
        ("[1.1] Title", "[7.7] New `x`"),
        ("Title", "7.7 New `x`"),
        ("**Title** rest", "**7.7 New `x`**"),
    ],
)
def test_manner_of_ids(before: str, after: str) -> None:
    """A new id and the title after it are marked as the old ones were."""
    text = replaced(f"- [ ] {before}\n", NewTask("New `x`", id="7.7"))

    assert text.splitlines()[0] == f"- [ ] {after}"


def test_bold_that_would_not_close_is_left_out() -> None:
    """A title that would break the bold around it stands plain."""
    text = replaced("- [ ] **Title**\n", NewTask("Use a backslash \\"))

    assert text.splitlines()[0] == "- [ ] Use a backslash \\"


def test_nested_text_that_was_approved_goes() -> None:
    """Without the old nested text the new task has its own; older audits are kept."""
    before = replaced("- [ ] a\n  - old\n", NewTask("b"))

    after = replaced(before, NewTask("c", details=("new",)), audit=AUDIT, keep=False)

    assert "- old" not in after
    assert after.endswith(f"{comments('  ')}  - new\n")
    assert [line.strip() for line in after.splitlines() if "Reason:" in line] == [
        "<!-- Reason: too large\\nfor one -->",
        "<!-- Reason: why -->",
    ]


def test_boxes_inside_stay() -> None:
    """Checks of a task become those of the first replacement and keep keys and states."""
    before = "- [ ] a\n  - Acceptance:\n    - [ ] one\n    - [x] two\n- [ ] b\n"
    old = tasks_of(before.encode())

    new = tasks_of(replaced(before, NewTask("c", details=("d",)), NewTask("e")).encode())

    assert [(t.text, t.kind, t.checked) for t in new] == [
        ("c", "work", False),
        ("one", "check", False),
        ("two", "check", True),
        ("e", "work", False),
        ("b", "work", False),
    ]
    assert [t.key for t in new[1:3]] == [t.key for t in old[1:3]]
    assert new[1].place.parent == new[0].key


def test_twice_is_once() -> None:
    """The same replacement again, at any later time, changes nothing."""
    before = b"- [ ] 1.1 a\n- [ ] 1.2 b\n"
    key = tasks_of(before)[0].key
    later = replace(AUDIT, at=AUDIT.at.replace(year=2027), approved_by="bob")

    once = replace_task(PATH, before, key, [NewTask("c")], audit=AUDIT)

    assert once != before
    assert replace_task(PATH, once, key, [NewTask("c")], audit=later) == once


def test_twice_is_once_where_only_details_are_new() -> None:
    """A task that keeps its words, and so its key, is not given the same details again."""
    before = b"- [ ] a\n"
    key = tasks_of(before)[0].key
    news = [NewTask("a", details=("how",))]

    once = replace_task(PATH, before, key, news, audit=AUDIT)

    assert tasks_of(once)[0].key == key
    assert replace_task(PATH, once, key, news, audit=AUDIT) == once


def test_the_same_reason_for_the_same_words_elsewhere() -> None:
    """Another task of the same words is replaced although the audit reads the same."""
    before = b"# A\n- [ ] a\n# B\n- [ ] a\n"
    first, second = tasks_of(before)

    once = replace_task(PATH, before, first.key, [NewTask("b")], audit=AUDIT)
    twice = replace_task(PATH, once, second.key, [NewTask("b")], audit=AUDIT)

    assert [t.text for t in tasks_of(twice)] == ["b", "b"]


@pytest.mark.parametrize(
    ("content", "news", "why"),
    [
        ("- [x] a\n", [NewTask("b")], "line 1: the task is done"),
        ("- [ ] a\n  - [ ] b\n", [NewTask("c")], "a summary is not worked on"),
        (
            "- [ ] a\n  Done when:\n\n  - [ ] b\n",
            [NewTask("c")],
            "line 1 a summary, where work is meant",
        ),
        ("- [ ] a\n", [], "0 new tasks; write 1 to 20"),
        ("- [ ] a\n", [NewTask("b")] * 21, "21 new tasks"),
        ("- [ ] a\n", [NewTask("b"), NewTask("# c")], "new task 2 cannot go there: its text"),
        ("- [ ] a\n- [ ] a\n", [NewTask("b")], "says the same under the same headings"),
        ("- [ ] a\n- [ ] 1.1 b\n", [NewTask("c", id="1.1")], "the id 1.1 twice"),
        ("- [ ] a\n", [NewTask("c", id="1.1"), NewTask("d", id="1.1")], "the id 1.1 twice"),
        (
            "- [ ] a\n  ```\n  code\n",
            [NewTask("b", details=("c",))],
            "code or HTML that is left open",
        ),
        ("- [ ] a\n", [NewTask("b"), NewTask("a")], "the task itself as its part 2"),
    ],
)
def test_refused(content: str, news: list[NewTask], why: str) -> None:
    """What cannot be done is refused with the place and the reason."""
    with pytest.raises(EditRefused, match=why):
        replaced(content, *news)


def test_ids_that_leave_the_parent() -> None:
    """Where ids alone say what belongs to what, new ones have to say it too."""
    with pytest.raises(EditRefused, match="another parent; write ids that continue"):
        replaced("- [x] 1. a\n- [ ] 1.1 b\n- [ ] 1.2 c\n", NewTask("d"), number=1)


def test_words_that_follow_at_once() -> None:
    """A blank line keeps words that come right behind a task out of the new one."""
    after = replaced("- [ ] a\n  ~~~\n  ~~~\nwords\n", NewTask("b"), NewTask("c"))

    assert after == f"- [ ] b\n{comments('  ')}  ~~~\n  ~~~\n- [ ] c\n\nwords\n"


def test_a_task_that_is_gone() -> None:
    """A key that is not in the file, and no audit either, is refused."""
    with pytest.raises(EditRefused, match="has no task nokey"):
        replace_task(PATH, b"- [ ] a\n", "nokey", [NewTask("b")], audit=AUDIT)


def test_boxes_inside_never_go() -> None:
    """Boxes in a replaced task cannot be taken for a part of its text."""
    with pytest.raises(EditRefused, match="has checkboxes in it"):
        replaced("- [ ] a\n  - Acceptance:\n    - [ ] b\n", NewTask("c"), keep=False)


def edited(
    content: bytes, task: Task, news: list[NewTask], *, keep: bool
) -> tuple[bytes, tuple[Task, ...]]:
    """Replace a task, or give the example up where that is refused."""
    try:
        after = replace_task(PATH, content, task.key, news, audit=AUDIT, keep_nested=keep)
    except EditRefused:
        assume(False)
    return after, tasks_of(after)


def others(tasks: tuple[Task, ...], but: set[int]) -> list[tuple[object, ...]]:
    """What must stay of the tasks that are not on the given lines."""
    return [
        (
            t.key,
            t.checked,
            t.kind,
            t.place.depth,
            t.text,
            t.place.headings and t.place.headings[-1].text,
        )
        for t in tasks
        if t.place.line not in but
    ]


@given(roadmaps(), st.data())
def test_plain_replacements(content: bytes, data: st.DataObject) -> None:
    """Plain texts become exactly the tasks that were asked for, and nothing else moves."""
    check_replaced_exactly(content, data, plain_texts)


@tries(0.4)
@given(roadmaps(), st.data())
def test_any_replacement(content: bytes, data: st.DataObject) -> None:
    """Any text that is one paragraph does exactly what was asked, where it is not refused."""
    check_replaced_exactly(content, data, fitting_texts)


def check_replaced_exactly(
    content: bytes, data: st.DataObject, text: st.SearchStrategy[str]
) -> None:
    before = tasks_of(content)
    assume(before)
    task = data.draw(st.sampled_from(before))
    news, keep = data.draw(new_tasks(text)), data.draw(st.booleans())
    after, now = edited(content, task, news, keep=keep)

    _other_lines_stay(content, after, task, keep=keep)
    made = [t for t in now if t.place.line in _made_lines(now, task, len(news))]
    assert [t.checked for t in made] == [False] * len(news)
    assert {(t.place.depth, t.place.parent) for t in made} == {
        (task.place.depth, task.place.parent)
    }
    for new, written in zip(news, made, strict=True):
        assert _words(new.text) in _words(written.text)
        for line in (*new.details, *new.acceptance):
            assert _words(line) in _words(written.details)
    assert others(now, {t.place.line for t in made}) == others(before, {task.place.line})
    if boxes(content) == [t.checked for t in before]:
        assert boxes(after) == [t.checked for t in now]


def _words(text: str) -> str:
    """A text without blanks and without marks of bold."""
    return re.sub(r"\s|\*\*|__", "", text)


def _made_lines(now: tuple[Task, ...], task: Task, count: int) -> set[int]:
    """The lines of the replacements: those of the first one's depth that follow it."""
    same = [
        t.place.line
        for t in now
        if t.place.line >= task.place.line and t.place.depth == task.place.depth
    ]
    return set(same[:count])


def _other_lines_stay(content: bytes, after: bytes, task: Task, *, keep: bool) -> None:
    """Lines before and behind the task are the same bytes, and so are its kept ones."""
    old, new = lines_of(content), lines_of(after)
    behind = len(old) - task.place.end_line
    assert new[: task.place.line - 1] == old[: task.place.line - 1]
    assert new[len(new) - behind :] == old[task.place.end_line :]
    kept = b"".join(old[task.place.text_end_line : task.place.end_line]).rstrip(b"\r\n")
    assert not keep or kept in after


@given(roadmaps(), st.data())
def test_any_replacement_twice(content: bytes, data: st.DataObject) -> None:
    """Whatever was replaced, doing it again changes nothing."""
    before = tasks_of(content)
    assume(before)
    task = data.draw(st.sampled_from(before))
    news = data.draw(new_tasks(plain_texts))
    after, _ = edited(content, task, news, keep=True)

    assert replace_task(PATH, after, task.key, news, audit=AUDIT) == after


@given(roadmaps(), st.data())
def test_proposed_ids_are_taken(content: bytes, data: st.DataObject) -> None:
    """The ids that are proposed for the parts of a task are refused by nothing."""
    roadmap = parse_roadmap(PATH, content)
    open_ones = [t for t in roadmap.tasks if not t.checked and t.id and t.kind == "work"]
    assume(open_ones)
    task = data.draw(st.sampled_from(open_ones))
    names = propose_ids(roadmap, task, data.draw(st.integers(2, 4)))
    same = [t for t in roadmap.tasks if t.text == task.text]
    assume(same == [task])
    news = [NewTask(f"part {n}", id=name) for n, name in enumerate(names)]
    try:
        after = replace_task(PATH, content, task.key, news, audit=AUDIT)
    except EditRefused as refused:
        assume("join other lines" not in str(refused))  # code that stands right behind the task
        raise

    assert len(set(names)) == len(names) or set(names) == {""}
    assert len(tasks_of(after)) == len(roadmap.tasks) + len(names) - 1
