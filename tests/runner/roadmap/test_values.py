"""What the values of dependencies name, in the wordings of real roadmaps."""

# ruff: noqa: RUF001 (wide punctuation is what is tested)

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.roadmap.dependencies import read
from runner.roadmap.fields import Name

PHASES = {Name("phase", str(n)): "" for n in range(1, 17)} | {Name("phase", "2"): "core engine"}
OTHERS = [
    "1",
    "2",
    "3",
    "1.1",
    "1.2",
    "1.3",
    "1.4",
    "test-01",
    "p1-0",
    "p2-1",
    "01-02",
    "t001",
    "t003",
]
WORDED = [
    ("thrust", "1"),
    ("thrust", "2"),
    ("阶段", "1"),
    ("阶段", "2"),
    ("フェーズ", "1"),
    ("этап", "1"),
]
KNOWN = PHASES | {Name("", n): "" for n in OTHERS} | {Name(*pair): "" for pair in WORDED}


def told(value: str) -> tuple[str, list[str]]:
    """(names that were read, what was not)."""
    found = read(value, KNOWN.get)
    return ", ".join(str(name) for each in found.named for name in each.names), list(found.rest)


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("Phase 1", "phase 1"),
        ("phase 1.", "phase 1"),
        ("**Phase 1** ✅", "phase 1"),
        ("[Phase 1](#phase-1)", "phase 1"),
        ("Phase 1 complete", "phase 1"),
        ("Phase 1 must be completed", "phase 1"),
        ("Completion of Phase 1", "phase 1"),
        ("All tasks in Phase 1", "phase 1"),
        ("Phase 1: Setup and config, Phase 2", "phase 1, phase 2"),
        ("Phase 2 Core Engine", "phase 2"),
        ("Phase 1 - Setup", "phase 1"),
        ("Phase 1 (Setup, tests), Phase 2", "phase 1, phase 2"),
        ("Phases 1-3", "phase 1, phase 2, phase 3"),
        ("Phases 1–3 complete", "phase 1, phase 2, phase 3"),
        ("Phases 14-16", "phase 14, phase 15, phase 16"),
        ("Phase 1 to Phase 3", "phase 1, phase 2, phase 3"),
        ("Phases 1, 2 and 4", "phase 1, phase 2, phase 4"),
        ("Phase 1 + Phase 2", "phase 1, phase 2"),
        ("Phase 1; Thrust 2", "phase 1, thrust 2"),
        ("Thrusts 1-2", "thrust 1, thrust 2"),
        ("TEST-01", "test-01"),
        ("P1-0, P2-1", "p1-0, p2-1"),
        ("01-02", "01-02"),
        ("1.1, 1.3", "1.1, 1.3"),
        ("1.1–1.4", "1.1, 1.2, 1.3, 1.4"),
        ("1-3", "1, 2, 3"),
        ("T001-T003", "t001, t003"),
        ("(1.1, 1.2)", "1.1, 1.2"),
        ("requires 1.1 & 1.2", "1.1, 1.2"),
        ("第一阶段、第二阶段", "阶段 1, 阶段 2"),
        ("完成第一阶段", "阶段 1"),
        ("フェーズ1の完了", "フェーズ 1"),
        ("завершение этапа 1", "этап 1"),
        ("Phase 12 (can run in parallel with Phases 14-16 ...)", "phase 12"),
        ("Phase 12, can run in parallel with Phases 14-16, 3", "phase 12"),
        ("Phase 1. Can run in parallel with Phase 2.", "phase 1"),
        ("In parallel with Phase 2; requires Phase 1", "phase 1"),
        ("`shelf`, Phase 1", "phase 1"),
    ],
)
def test_names_are_read(value: str, names: str) -> None:
    """Lists, ranges, titles, remarks and the words around a name."""
    assert told(value) == (names, [])


@pytest.mark.parametrize(
    "value",
    [
        "None", "none.", "None (foundation)", "None - can start immediately",
        "Nothing (first phase)", "N/A", "-", "—", "No dependencies",
        "None yet", "keine", "なし", "无", "없음", "Ninguna",
        "Aucune", "Nenhuma", "нет", "None (Phase 1 is first)", "`shelf`",
        "plan.md",
        "docs/plan.md", "v1.2", ">= 3.11", "Node.js", "https://example.org/1.1", "~~Phase 1~~", "",
    ],
)  # fmt: skip
def test_nothing_is_named(value: str) -> None:
    """None in any form, code, files, versions and links name no dependency."""
    assert told(value) == ("", [])


@pytest.mark.parametrize(
    ("value", "names", "rest"),
    [
        ("User authentication", "", ["User authentication"]),
        ("Phase 99", "", ["Phase 99"]),
        ("Phases 1-99", "", ["Phases 1-99"]),
        ("Phases 3-1", "", ["Phases 3-1"]),
        ("Milestone 2", "", ["Milestone 2"]),
        ("Python 3.11", "", ["Python 3.11"]),
        ("Phase 1 or Phase 2", "", ["Phase 1 or Phase 2"]),
        ("Phase 1, or Phase 2", "", ["Phase 1, or Phase 2"]),
        ("Phase 1/2", "", ["Phase 1/2"]),
        ("Phase 1 (optional)", "", ["Phase 1 (optional)"]),
        ("Phase 1 is not needed", "", ["Phase 1 is not needed"]),
        ("None except Phase 1", "", ["None except Phase 1"]),
        ("the login of 1.2", "", ["the login of 1.2"]),
        ("Phase 1, Postgres running", "phase 1", ["Postgres running"]),
        ("Phase 1; `x` and more", "phase 1", ["more"]),
        ("Phase 1, Phase 99 (`core`)", "phase 1", ["Phase 99 (`core`)"]),
    ],
)
def test_no_guess(value: str, names: str, rest: list[str]) -> None:
    """What is not certainly one known name stays text."""
    assert told(value) == (names, rest)


@given(
    st.lists(
        st.sampled_from(
            ["Phase ", "1", "-", ",", "and ", "1.", "None", "(", ")", "`", "\0", "99", "or "]
        )
    )
)
def test_any_value(pieces: list[str]) -> None:
    """Whatever a value is, only known names are read."""
    found = read("".join(pieces), KNOWN.get)

    assert all(name in KNOWN for each in found.named for name in each.names)
    assert not any("\0" in text for text in found.rest)
