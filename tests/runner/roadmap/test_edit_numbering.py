"""Ids for the parts of a task: in the roadmap's manner, free, and read back by the parser."""

from __future__ import annotations

import pytest

from runner.roadmap.parse import parse_roadmap
from runner.roadmap.writing import propose_ids
from tests.runner.roadmap.edits import PATH

OTHERS = "- [ ] T001b x\n- [ ] 1.2.1 y\n"


def proposed(text: str, parts: int) -> tuple[str, ...]:
    """The ids for the parts of a task of that text; two other ids are taken."""
    roadmap = parse_roadmap(PATH, f"- [ ] {text}\n{OTHERS}".encode())
    return propose_ids(roadmap, roadmap.tasks[0], parts)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("1.3 Do", ("1.3.1", "1.3.2")),
        ("1.2 Do", ("1.2.2", "1.2.3")),
        ("1.2a Do", ("1.2b", "1.2c")),
        ("1. Do", ("1.1", "1.2")),
        ("T001 Do", ("T001a", "T001c")),
        ("T001a Do", ("T001c", "T001d")),
        ("T1.1 Do", ("T1.1.1", "T1.1.2")),
        ("ABC-12 Do", ("ABC-12.1", "ABC-12.2")),
        ("01-02 Do", ("01-02.1", "01-02.2")),
        ("Task 3: Do", ("Task 3.1", "Task 3.2")),
        ("#12 Do", ("", "")),
        ("Do", ("", "")),
        ("1.2.1 y again", ("", "")),
    ],
)
def test_two_parts(text: str, ids: tuple[str, str]) -> None:
    """The style goes on, taken ids are passed over, and what has no id of its own gets none."""
    assert proposed(text, 2) == ids


@pytest.mark.parametrize("name", ["1.2.1", "T001a", "T1.1.1", "ABC-12.1", "01-02.1", "Task 3.1"])
def test_they_are_read_back(name: str) -> None:
    """The parser takes a proposed id for one."""
    assert parse_roadmap(PATH, f"- [ ] {name}: Do\n".encode()).tasks[0].id == name


def test_one_part_keeps_the_id() -> None:
    """A task that is rewritten is still called what it was."""
    assert proposed("#12 Do", 1) == ("#12",)
