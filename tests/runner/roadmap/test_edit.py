"""Ticking changes one byte of one task, in any file."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.roadmap.edit import EditRefused, find, tick_all, untick_all
from runner.roadmap.parse import parse_roadmap
from tests.runner.roadmap.edits import roadmaps
from tests.runner.roadmap.texts import files

PATH = "ROADMAP.md"


def key_of(content: bytes, number: int = 0) -> str:
    """The key of a task by its place in the file."""
    return parse_roadmap(PATH, content).tasks[number].key


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"- [ ] a\n", b"- [x] a\n"),
        (b"1. [ ] a", b"1. [x] a"),
        (b"-\t[ ] a\r\n", b"-\t[x] a\r\n"),
        (b"\xef\xbb\xbf- [ ] a\r", b"\xef\xbb\xbf- [x] a\r"),
        (b"- - [ ] a\n", b"- - [x] a\n"),
        (b"- [ ] [ ] a\n", b"- [x] [ ] a\n"),
        (b"- [ ] caf\xe9\n", b"- [x] caf\xe9\n"),
    ],
)
def test_tick(before: bytes, after: bytes) -> None:
    """The blank in the task's own box becomes an x."""
    assert tick_all(PATH, before, [key_of(before)]) == after


def test_mixed_line_ends_are_kept() -> None:
    """Lines are found over any mixture of ends, and none is changed."""
    before = b"# P\r\n\r\n- [ ] a\n- [ ] b\r- [ ] c\r\n"

    assert (
        tick_all(PATH, before, [key_of(before, 2)]) == b"# P\r\n\r\n- [ ] a\n- [ ] b\r- [x] c\r\n"
    )


def test_a_done_task_stays() -> None:
    """Ticking what is done changes nothing, not even a capital X."""
    assert tick_all(PATH, b"- [X] a\n", [key_of(b"- [X] a\n")]) == b"- [X] a\n"


def test_unknown_task() -> None:
    """A key that is not in the file is refused with the file's name and the key."""
    with pytest.raises(EditRefused, match=r"ROADMAP\.md has no task nokey"):
        tick_all(PATH, b"- [ ] a\n", ["nokey"])


def test_a_link_named_like_a_box() -> None:
    """A link definition called x takes neither box nor id away from a ticked task."""
    before = b"- [ ] 1.1 a\n\n[x]: https://example.org\n"

    assert tick_all(PATH, before, [key_of(before)]) == before.replace(b"[ ]", b"[x]")


def test_find_by_key_and_id() -> None:
    """A task is found by its key and by its written id."""
    roadmap = parse_roadmap(PATH, b"- [ ] 1.1 a\n- [ ] 1.2 b\n")

    assert find(roadmap, "1.2") is find(roadmap, roadmap.tasks[1].key) is roadmap.tasks[1]


def test_an_id_that_is_written_twice_finds_nothing() -> None:
    """An ambiguous id names no task."""
    assert find(parse_roadmap(PATH, b"- [ ] 1.1 a\n- [ ] 1.1 b\n"), "1.1") is None


@settings(deadline=None)
@given(files)
def test_one_byte(content: bytes) -> None:
    """Whatever the file, ticking an open task changes exactly one byte, from blank to x."""
    for task in parse_roadmap(PATH, content).tasks:
        after = tick_all(PATH, content, [task.key])
        changed = [(a, b) for a, b in zip(content, after, strict=True) if a != b]
        assert changed == ([] if task.checked else [(ord(" "), ord("x"))])


@settings(deadline=None)
@given(files)
def test_only_that_task(content: bytes) -> None:
    """Ticking changes the state of the one task and leaves the others as they were."""
    before = parse_roadmap(PATH, content).tasks
    for task in before:
        after = parse_roadmap(PATH, tick_all(PATH, content, [task.key])).tasks
        wanted = [(t.key, t.place.line, t.checked or t.key == task.key) for t in before]
        assert [(t.key, t.place.line, t.checked) for t in after] == wanted


@settings(deadline=None)
@given(files)
def test_twice_is_once(content: bytes) -> None:
    """Ticking again changes nothing."""
    for task in parse_roadmap(PATH, content).tasks:
        once = tick_all(PATH, content, [task.key])
        assert tick_all(PATH, once, [task.key]) == once


@pytest.mark.parametrize("box", ["[x]", "[X]"])
def test_untick(box: str) -> None:
    """A done task's box becomes empty; an open one stays as it is."""
    before = f"- {box} a\n".encode()

    once = untick_all(PATH, before, [key_of(before)])

    assert once == b"- [ ] a\n"
    assert untick_all(PATH, once, [key_of(once)]) == once


@settings(deadline=None)
@given(st.one_of(files, roadmaps()))
def test_there_and_back(content: bytes) -> None:
    """Turning any box over changes one byte, and turning it back restores the file."""
    for task in parse_roadmap(PATH, content).tasks:
        there, back = (untick_all, tick_all) if task.checked else (tick_all, untick_all)
        changed = there(PATH, content, [task.key])
        [at] = [n for n, (a, b) in enumerate(zip(content, changed, strict=True)) if a != b]
        restored = back(PATH, changed, [task.key])
        assert restored == content or content[at : at + 1] == b"X"
        assert restored[:at] + content[at : at + 1] + restored[at + 1 :] == content
