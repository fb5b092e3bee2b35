"""A key finds its task again after any edit that leaves the task and the names above it alone."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Task

WORDS = ["read the file", "write tests", "**bold** words", "see `src/a.py`", "1.1 add", "T001 go"]
NAMES = ["Core", "Server", "Phase", "Release 2", "Nächste Schritte"]


@dataclass(frozen=True)
class Written:
    """One task as it is written."""

    text: str
    done: bool = False
    details: str = ""


@dataclass(frozen=True)
class Chapter:
    """A numbered heading with its tasks."""

    name: str
    tasks: tuple[Written, ...]
    mark: str = ""


def render(
    chapters: list[Chapter], *, title: str = "Plan", start: int = 1, end: str = "\n"
) -> bytes:
    """Write the file; ``start`` is the number of its first phase."""
    lines = [f"# {title}", ""]
    for number, chapter in enumerate(chapters, start):
        lines += [f"## Phase {number}: {chapter.name}{chapter.mark}", "", "Words.", ""]
        for task in chapter.tasks:
            lines += [f"- [{'x' if task.done else ' '}] {task.text}"]
            lines += [f"  - {task.details}"] if task.details else []
        lines.append("")
    return end.join(lines).encode()


def tasks(content: bytes) -> dict[str, Task]:
    """The tasks of a file by key."""
    return {task.key: task for task in parse_roadmap("R.md", content).tasks}


written = st.builds(Written, st.sampled_from(WORDS), st.booleans(), st.sampled_from(["", "a"]))
chapters = st.lists(
    st.builds(
        Chapter,
        st.sampled_from(NAMES),
        st.lists(written, max_size=4, unique_by=lambda task: task.text).map(tuple),
        st.sampled_from(["", " ✅"]),
    ),
    max_size=4,
    unique_by=lambda chapter: chapter.name,
)


def others(chapter: Chapter, text: str, data: st.DataObject) -> Chapter:
    """The chapter with the same task among any others, in any order."""
    [kept] = [task for task in chapter.tasks if task.text == text]
    around = data.draw(chapters.map(lambda drawn: [t for c in drawn for t in c.tasks]))
    around = [task for task in around if task.text != text]
    place = data.draw(st.integers(0, len(around)))
    kept = replace(kept, done=data.draw(st.booleans()), details=data.draw(st.sampled_from("ab")))
    return replace(
        chapter,
        tasks=(*around[:place], kept, *around[place:]),
        mark=data.draw(st.sampled_from(["", " ✅", " 🚧"])),
    )


@given(chapters, st.data())
def test_a_key_finds_its_task_after_any_edit_elsewhere(
    before: list[Chapter], data: st.DataObject
) -> None:
    """Ticks, details, neighbours, other phases, numbers, the title and line ends change no key."""
    assume(any(chapter.tasks for chapter in before))
    chapter = data.draw(st.sampled_from([chapter for chapter in before if chapter.tasks]))
    text = data.draw(st.sampled_from(chapter.tasks)).text
    number = before.index(chapter) + 1
    [key] = [
        key
        for key, task in tasks(render(before)).items()
        if (task.place.phase, task.text) == (str(number), text)
    ]

    after = [each for each in data.draw(chapters) if each.name != chapter.name]
    place = data.draw(st.integers(0, len(after)))
    after.insert(place, others(chapter, text, data))
    start = data.draw(st.integers(1, 12))
    found = tasks(
        render(
            after,
            title=data.draw(st.sampled_from(["Plan", "Another plan", "Roadmap ✅"])),
            start=start,
            end=data.draw(st.sampled_from(["\n", "\r\n", "\r"])),
        )
    )

    assert (found[key].text, found[key].place.phase) == (text, str(start + place))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- [ ] a\n", "- [x] a\n"),
        ("- [ ] a\n", "1. [ ] a\n"),
        ("- [ ] a\n", "# New title\n\n- [ ] a\n"),
        ("- [ ] a b\n", "- [ ] **a**\n  b\n"),
        ("- [ ] a\n", "- [ ] a <!-- cairn: note -->\n"),
        ("- [ ] 1.1 a\n", "- [ ] **1.1** a\n"),
        ("## 1. Core\n- [ ] a\n", "## 4. Core\n- [ ] a\n"),
        ("## Phase 1: Core\n- [ ] a\n", "## Phase 2 \u2013 Core ✅\n- [ ] a\n"),
        ("# Plan\n## Core\n- [ ] a\n", "# Our plan\n## core\n- [ ] a\n"),
    ],
)
def test_what_keeps_a_key(before: str, after: str) -> None:
    """State, list mark, emphasis, comments, and numbers and emoji of headings do not count."""
    assert list(tasks(before.encode())) == list(tasks(after.encode()))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- [ ] a\n", "- [ ] b\n"),
        ("- [ ] 1.1 a\n", "- [ ] 1.2 a\n"),
        ("## Core\n- [ ] a\n", "## Server\n- [ ] a\n"),
        ("## Phase 1\n- [ ] a\n", "## Phase 2\n- [ ] a\n"),
        ("# Phase 1\n- [ ] a\n", "# Phase 2\n- [ ] a\n"),
        ("- [ ] a\n", "## Core\n- [ ] a\n"),
    ],
)
def test_what_changes_a_key(before: str, after: str) -> None:
    """Other words, another id or another place are another task."""
    assert not tasks(before.encode()).keys() & tasks(after.encode()).keys()


def test_keys_do_not_change_from_version_to_version() -> None:
    """Keys are stored: these are what they always were."""
    content = b"# Plan\n\n## Phase 1: Core\n\n- [ ] 1.1 Read\n- [x] Write\n- [ ] Write\n"

    assert list(tasks(content)) == ["f13eb66002", "0728fe5ccd", "733f7c221e"]
