"""Which task is which after an edit."""

from __future__ import annotations

import pytest
from hypothesis import given

from runner.roadmap.diff import Matching, Unclear, match
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Task
from tests.runner.roadmap.made import task
from tests.runner.roadmap.texts import files


def tasks(text: str | bytes) -> tuple[Task, ...]:
    """The tasks of a text."""
    return parse_roadmap("R", text.encode() if isinstance(text, str) else text).tasks


def lines(old: str, new: str) -> dict[int, int]:
    """Old line → new line of what was matched."""
    found = match(tasks(old), tasks(new))
    assert not found.unclear
    return {a.place.line: b.place.line for a, b in found.pairs}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("- [ ] a\n- [ ] b\n", "- [ ] b\n- [ ] a\n", {1: 2, 2: 1}),
        ("- [ ] a\n", "Words.\n\n- [x] a\n", {1: 3}),
        ("## One\n- [ ] a\n## Two\n", "## One\n## Two\n- [ ] a\n", {2: 3}),
        ("## One\n- [ ] a\n- [ ] b\n", "## First\n- [ ] b\n- [ ] a\n", {2: 3, 3: 2}),
        ("- [ ] 1.1 a\n- [ ] 1.2 b\n", "- [ ] 1.1 new\n- [ ] 1.2 a\n- [ ] 1.3 b\n", {1: 2, 2: 3}),
        ("- [ ] 1.1 a\n- [ ] 1.2 b\n", "- [ ] 1.2 b\n- [ ] 1.1 other\n", {1: 2, 2: 1}),
        ("- [ ] **1.1** a\n", "- [ ] 2.3: *a*\n", {1: 1}),
        ("- [ ] a\n", "- [ ] b\n", {}),
        ("- [ ] a\n- [ ] a\n", "- [ ] a\n- [x] a\n", {1: 1, 2: 2}),
        (
            "# A\n## X\n- [ ] test\n## Y\n- [ ] test\n",
            "# B\n## Y\n- [ ] test\n## X\n- [ ] test\n",
            {3: 5, 5: 3},
        ),
        (
            "# A\n## P\n### X\n- [ ] test\n### Y\n- [ ] test\n",
            "# A\n## Q\n### Y\n- [ ] test\n### X\n- [ ] test\n",
            {4: 6, 6: 4},
        ),
        (
            "## One\n- [ ] test\n- [ ] test\n",
            "## First\n- [ ] test\n- [x] test\n",
            {2: 2, 3: 3},
        ),
    ],
)
def test_matching(old: str, new: str, expected: dict[int, int]) -> None:
    """Tasks are found again after moves, ticks, renumbering and edits of what stands around."""
    assert lines(old, new) == expected


@pytest.mark.parametrize(
    ("old", "new", "by"),
    [
        ("- [ ] a\n- [ ] a\n", "- [ ] a\n", "text"),
        ("- [ ] a\n", "- [ ] a\n- [ ] a\n", "text"),
        ("## X\n- [ ] a\n## Y\n- [ ] a\n", "## V\n- [ ] a\n## W\n- [ ] a\n", "text"),
        ("- [ ] 1.1 a\n", "- [ ] 1.1 b\n- [ ] 1.1 c\n", "id"),
        ("- [ ] 1.1 a\n- [ ] 1.1 b\n", "- [ ] 1.1 c\n", "id"),
    ],
)
def test_two_candidates_are_refused(old: str, new: str, by: str) -> None:
    """What could be two tasks is taken for neither, and said."""
    found = match(tasks(old), tasks(new))

    [unclear] = found.unclear
    assert (unclear.by, unclear.old, unclear.new) == (by, tasks(old), tasks(new))
    assert (found.pairs, found.added, found.removed) == ((), (), ())
    assert f"the {by} fits more than one task: lines {tasks(new)[0].place.line}" in str(unclear)


def test_what_came_and_what_went() -> None:
    """Tasks without a partner are added or removed."""
    old, new = tasks("- [ ] a\n- [ ] b\n"), tasks("- [ ] b\n- [ ] c\n")
    found = match(old, new)

    assert (found.removed, found.added) == (old[:1], new[1:])
    assert found.pairs == ((old[1], new[0]),)


def complete(found: Matching, old: tuple[Task, ...], new: tuple[Task, ...]) -> bool:
    """Whether every task is said to be one thing."""
    unclear: tuple[Unclear, ...] = found.unclear
    olds = [a for a, _ in found.pairs] + [*found.removed] + [t for u in unclear for t in u.old]
    news = [b for _, b in found.pairs] + [*found.added] + [t for u in unclear for t in u.new]
    return sorted(t.place.line for t in olds) == sorted(t.place.line for t in old) and sorted(
        t.place.line for t in news
    ) == sorted(t.place.line for t in new)


@given(files, files)
def test_every_task_has_one_fate(one: bytes, other: bytes) -> None:
    """Whatever two files hold, each task is matched, added, removed or unclear, and only once."""
    old, new = tasks(one), tasks(other)

    assert complete(match(old, new), old, new)


@given(files)
def test_a_file_matches_itself(content: bytes) -> None:
    """Every task of a file is itself."""
    found = match(tasks(content), tasks(content))

    assert found.pairs == tuple((each, each) for each in tasks(content))


def test_ten_thousand_tasks() -> None:
    """A file in which all is renumbered and half of it says the same is matched all the same."""
    old = [task(f"1.{n}", text=f"1.{n} a{n}") for n in range(5000)]
    old += [task(f"s{n}", id=None, text="same") for n in range(5000)]
    new = [task(f"s{n}", id=None, text="same") for n in range(5000)]
    new += [task(f"2.{n}", text=f"2.{n} a{n}") for n in range(5000)]

    assert len(match(old, new).pairs) == 10_000
