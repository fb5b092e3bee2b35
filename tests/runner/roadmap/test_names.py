"""Names of phases, sections and tasks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.roadmap.fields import name_at, name_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Phase 2", "phase 2"),
        ("Phases 2", "phase 2"),
        ("PHASE #2:", "phase 2"),
        ("Phase-2", "phase 2"),
        ("Phase2", "phase 2"),
        ("Phase 02", "phase 2"),
        ("Phase II", "phase ii"),
        ("Phase B: x", "phase b"),
        ("Phase 1.2", "phase 1.2"),
        ("User Stories 3", "user story 3"),
        ("Thrust 1,", "thrust 1"),
        ("Milestone M1", "milestone m1"),
        ("Aufgaben 1", "aufgabe 1"),
        ("étape 3", "étape 3"),
        ("этапа 2", "этап 2"),
        ("задачи 3", "задача 3"),
        ("第二阶段", "阶段 2"),
        ("第十二阶段", "阶段 12"),
        ("阶段二的", "阶段 2"),
        ("フェーズ1の", "フェーズ 1"),
        ("1단계", "단계 1"),
        ("1.2", "1.2"),
        ("1.2a", "1.2a"),
        ("1.2.", "1.2"),
        ("3", "3"),
        ("#12", "#12"),
        ("TEST-01,", "test-01"),
        ("P1-0", "p1-0"),
        ("T001 x", "t001"),
        ("01-02", "01-02"),
        ("US1", "us1"),
        ("Phase one", None),
        ("Python 3.11", None),
        ("after 2.3", None),
        ("50%", None),
        ("the 1.1", None),
        ("", None),
    ],
)
def test_names(text: str, expected: str | None) -> None:
    """A name is a known word with a number, a number alone, or a code."""
    found = name_at(text)

    assert (str(found[0]) if found else None) == expected


def test_a_written_id_is_a_name() -> None:
    """An id is a name even where it looks like none."""
    assert [str(name_of(each)) for each in ("Task 3", "1.1", "x-y", "")] == [
        "task 3",
        "1.1",
        "x-y",
        "None",
    ]


@given(st.text(max_size=40))
def test_any_text(text: str) -> None:
    """A name ends within its text."""
    found = name_at(text)

    assert found is None or 0 < found[1] <= len(text)
