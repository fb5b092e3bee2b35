"""Small tasks of one list as one piece of work."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.roadmap.parse import Grouping, TaskGroup, group, parse_roadmap
from runner.roadmap.task import Task
from tests.runner.roadmap.made import task

FIVE = Grouping(tasks=5)


def pieces(text: str, by: Grouping | None = FIVE, apart: frozenset[str] = frozenset()) -> list[str]:
    """The first letters of the open tasks of a text, by piece."""
    tasks = [each for each in parse_roadmap("R", text.encode()).tasks if each.kind == "work"]
    made = group([each for each in tasks if not each.checked], by=by, apart=apart)
    return ["".join(each.text[0] for each in piece.tasks) for piece in made]


def test_neighbours_that_name_one_file() -> None:
    """Small neighbours of a list that name the same file are one piece; it is off by default."""
    text = "- [ ] a in `x.py`\n- [ ] b in `x.py`\n- [ ] c in `y.py`\n- [ ] d in `y.py`, `x.py`\n"

    assert pieces(text) == ["ab", "cd"]
    assert pieces(text, None) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    "text",
    [
        "- [ ] a in `x.py`\n- [ ] b\n",
        "- [ ] a\n- [ ] b\n",
        "- [ ] a in `x.py`\n- [ ] b in `y.py`\n",
        "- [ ] a in `x.py`\n\n## Next\n\n- [ ] b in `x.py`\n",
        "- [ ] a in `x.py`\n\nThen:\n\n- [ ] b in `x.py`\n",
        "- [ ] a in `x.py`\n- [ ] b in `x.py` (optional)\n",
        "- [ ] a in `x.py`\n  - Acceptance: it works\n- [ ] b in `x.py`\n",
        "- [ ] a in `x.py`\n- [ ] b in `x.py`\n  - Acceptance: it works\n",
        "- [ ] 1.1 z\n- [ ] a in `x.py`\n- [ ] b in `x.py` (depends on 1.1)\n",
        f"- [ ] a in `x.py` {'long ' * 100}\n- [ ] b in `x.py` {'long ' * 100}\n",
    ],
)
def test_what_stays_alone(text: str) -> None:
    """Other files, other lists, criteria of their own, other dependencies, or much to do."""
    assert all(len(piece) == 1 for piece in pieces(text))


def test_what_is_done_parts_no_list() -> None:
    """Open tasks of a list are neighbours whatever is done between them, blank lines or not."""
    assert pieces("- [ ] a `x.py`\n\n- [x] b `x.py`\n\n- [ ] c `x.py`\n") == ["ac"]


def test_a_piece_is_at_most_so_large() -> None:
    """A piece holds no more tasks than it may."""
    text = "".join(f"- [ ] {letter} `x.py`\n" for letter in "abcdefg")

    assert pieces(text, Grouping(tasks=3)) == ["abc", "def", "g"]


def test_a_piece_that_failed_is_taken_apart() -> None:
    """Tasks that are to be worked on one by one are in no piece with others."""
    text = "- [ ] a `x.py`\n- [ ] b `x.py`\n- [ ] c `x.py`\n"
    keys = [each.key for each in parse_roadmap("R", text.encode()).tasks]

    assert pieces(text, apart=frozenset(keys[:2])) == ["a", "b", "c"]
    assert pieces(text, apart=frozenset(keys[:1])) == ["a", "bc"]


def test_all_tasks_of_a_piece_as_one() -> None:
    """The task of a piece has the place of the first one and what all of them say."""
    first = task("1", text="1 Do\nit", files=("a", "b"), depends_on=("0",))
    second = task("2", files=("b", "c"), depends_on=("1", "0"), details="more")
    one = TaskGroup((first, second)).task

    assert (one.key, one.id, one.place.line) == ("1", "1", 1)
    assert one.title == "Do 1 (and 1 more)"
    assert one.text == "- 1 Do\n  it\n- 2 Do 2"
    assert (one.files, one.depends_on, one.details) == (("a", "b", "c"), ("0",), "more")
    assert TaskGroup((first,)).task is first


@given(
    st.lists(st.sampled_from(["- [ ] a `x.py`", "- [x] b `x.py`", "- [ ] c `y.py`", "## H", ""]))
)
def test_no_task_is_lost_or_moved(lines: list[str]) -> None:
    """Pieces are the tasks in their order, whatever they are."""
    tasks: tuple[Task, ...] = parse_roadmap("R", "\n".join(lines).encode()).tasks

    assert [each for piece in group(tasks, by=FIVE) for each in piece.tasks] == list(tasks)
