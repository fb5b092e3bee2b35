"""Marks in a task's own text."""

from __future__ import annotations

import pytest

from runner.roadmap.annotate import (
    effort_in,
    is_optional,
    is_optional_place,
    is_parallel,
    priority_in,
    priority_of,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Write tests (optional)", True),
        ("(optional) Write tests", True),
        ("1.2 (optional) Write tests", True),
        ("Write tests (optional): with a fixture", True),
        ("**Write tests (optional)** for all", True),
        ("Give clamp an upper bound `high` (optional), with tests", False),
        ("Add (optional) retries", False),
        ("Remove old/legacy/*", False),
        ("Delete test_*", False),
        ("lib* is not read", False),
        ("Write tests [Optional]", True),
        ("Optional: write tests", True),
        ("**Optional**: write tests", True),
        ("Nice to have - themes", True),
        ("Themes (nice to have)", True),
        ("Themes (stretch goal)", True),
        ("2.3* Write tests", True),
        ("* Write tests", True),
        ("\\* 2.3 Write tests", True),
        ("Tests schreiben (optional)", True),
        ("写测试（可选）", True),  # noqa: RUF001
        ("Тесты (необязательно)", True),
        ("Make the argument optional", False),
        ("Optional arguments are read", False),
        ("Read `(optional)`", False),
        ("**Write** tests", False),
        ("Write *tests*", False),
        ("Compute a * b", False),
        ("Match `*`", False),
        ("See [optional](x.md)", False),
    ],
)
def test_optional(text: str, expected: bool) -> None:
    """A task is optional by a mark of its own, never by a word in its sentence."""
    assert is_optional(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Nice to have", True),
        ("🎁 Nice-to-have:", True),
        ("Phase 5: Themes (optional)", True),
        ("Optional", True),
        ("Stretch goals", True),
        ("Optional types", False),
        ("Core", False),
    ],
)
def test_optional_places(text: str, expected: bool) -> None:
    """A heading or label makes all below it optional."""
    assert is_optional_place(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("T001 [P] Do", True),
        ("[P] Do", True),
        ("T012 [US1] [P] Do", True),
        ("**T001** [P] Do", True),
        ("Handle the key [P] here", False),
        ("T001 [P](x) Do", False),
        ("T001 Do [P]", False),
    ],
)
def test_parallel(text: str, expected: bool) -> None:
    """spec-kit's mark stands among those before the words."""
    assert is_parallel(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Do (P1)", "P1"),
        ("Do [P0] it", "P0"),
        ("**P2** Do", "P2"),
        ("Do (high priority)", "high"),
        ("Do (Critical)", "Critical"),
        ("P1-0 Do", ""),
        ("Do [P] it", ""),
        ("Do `(P1)`", ""),
        ("Give high priority to it", ""),
    ],
)
def test_priority(text: str, expected: str) -> None:
    """A priority stands in brackets."""
    assert priority_in(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("🔴 Critical", "Critical"),
        ("High Priority", "High"),
        ("P0: Must have", "P0"),
        ("High availability", ""),
        ("Phase 1", ""),
    ],
)
def test_priority_headings(text: str, expected: str) -> None:
    """A heading can be a priority."""
    assert priority_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Do (~1.5 hours)", "~1.5 hours"),
        ("Do (2-3 days)", "2-3 days"),
        ("Do (2–3 days)", "2-3 days"),  # noqa: RUF001
        ("Do [4h]", "4h"),
        ("Do (est. 3d)", "3d"),
        ("Do (3 Tage)", "3 Tage"),
        ("做（2小时）", "2小时"),  # noqa: RUF001
        ("Do (2 files)", ""),
        ("Wait 2 hours", ""),
        ("Do `(2h)`", ""),
    ],
)
def test_effort(text: str, expected: str) -> None:
    """An effort stands in brackets, with its unit."""
    assert effort_in(text) == expected
