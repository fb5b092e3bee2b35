"""Where a text says a field, and where it does not."""

# ruff: noqa: RUF001 (wide punctuation is what is tested)

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.roadmap.fields import Field, fields, inline, key_of, own_fields


def told(found: list[Field]) -> list[str]:
    """Key and values of each field; weak ones with a question mark."""
    return [f"{each.key}{'?' * each.weak}={' / '.join(each.values)}" for each in found]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("**Depends on:** Phase 1", "depends=Phase 1"),
        ("**Depends on**: Phase 1", "depends=Phase 1"),
        ("**Dependencies :** 1.1", "depends=1.1"),
        ("- **Dependencies**: None", "depends=None"),
        ("1. **Blocked by**: T001", "depends=T001"),
        ("> **Prerequisite**: Phases 1-3 complete", "depends=Phases 1-3 complete"),
        ("> - __Prerequisites__: 1.1", "depends=1.1"),
        ("Depends on: 1.2", "depends=1.2"),
        ("  * depends: 1.2", "depends=1.2"),
        ("_Depends on: 1.1_", "depends=1.1"),
        ("*Dependencies: 1.1*", "depends=1.1"),
        ("**Dependencies (hard):** 1.1", "depends=1.1"),
        ("⛓ **Dependencies**: 1.1", "depends=1.1"),
        ("Depends on Phase 1", "depends?=Phase 1"),
        ("- Requires Milestone 2", "depends?=Milestone 2"),
        ("Phase 2 depends on Phase 1", "depends?=Phase 1"),
        ("依赖：阶段一", "depends=阶段一"),
        ("**前提条件**：1.1", "depends=1.1"),
        ("- **依存関係**: フェーズ1", "depends=フェーズ1"),
        ("需要：1.1", "depends=1.1"),
        ("**의존성**: 1단계", "depends=1단계"),
        ("**Abhängigkeiten:** Phase 1", "depends=Phase 1"),
        ("Hängt ab von: 1.1", "depends=1.1"),
        ("**Dépend de** : étape 1", "depends=étape 1"),
        ("**Prérequis :** étape 1", "depends=étape 1"),
        ("**Dependencias**: Fase 1", "depends=Fase 1"),
        ("**Pré-requisitos:** Fase 1", "depends=Fase 1"),
        ("**Зависимости:** этап 1", "depends=этап 1"),
        ("**Zależności**: etap 1", "depends=etap 1"),
        ("**Priority:** Critical", "priority=Critical"),
        ("**Priority:** P0 | **Effort**: 2h", "priority=P0 effort=2h"),
        ("Priority: High | Effort: 2h", "priority=High effort=2h"),
        ("**Priority**: High **Estimate**: 3d", "priority=High effort=3d"),
        ("> **Effort**: 2-3 hours", "effort=2-3 hours"),
        ("⏱ **Duration**: 2 weeks", "effort=2 weeks"),
        ("**推定時間**: 2時間", "effort=2時間"),
        ("Requirements: 1.1, 2.3", ""),
        ("Blocks: Phase 3", ""),
        ("The priority is high", ""),
        ("This needs: nothing", ""),
        ("see https://example.org/depends: x", ""),
        ("| Dependencies | None |", ""),
        ("`Depends on: 1.1`", ""),
    ],
)
def test_one_line(line: str, expected: str) -> None:
    """A key is recognised in the ways people write it, in the languages they write in."""
    assert " ".join(told(fields(line))) == expected


def test_a_list_that_follows() -> None:
    """A key without a value takes the bullets below it, blank lines before them or not."""
    text = "**Dependencies:**\n\n- Phase 1\n- Phase 2 (Auth)\n\nMore.\n- no\n"

    assert told(fields(text)) == ["depends=Phase 1 / Phase 2 (Auth)"]
    assert told(fields("Depends on:\nwords\n- no")) == []
    assert told(fields("Depends on:\n- 1.1\n- Effort: 2h")) == ["depends=1.1", "effort=2h"]


@pytest.mark.parametrize(
    "text",
    [
        "```\nDepends on: 1\n```",
        "~~~~\nDepends on: 1\n~~~\nDepends on: 2\n~~~~",
        "<!-- note\nDepends on: 1\n-->",
        "<!-- Depends on: 1 -->",
        "- [ ] child\n  Depends on: 1\n  - Depends on: 2",
        "  - [x] child\n\n    Depends on: 1",
    ],
)
def test_what_says_nothing_here(text: str) -> None:
    """Code, comments and nested tasks say nothing of the task they stand in."""
    assert fields(text) == []
    assert told(fields(text + "\nEffort: 2h")) == ["effort=2h"]


def test_lines_are_counted() -> None:
    """A field knows the line it stands on."""
    assert [each.line for each in fields("Effort: 1\n\nDepends on:\n- 1\n", first=10)] == [10, 12]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Add b (depends on 1.1)", "depends=1.1"),
        ("Add b [depends: 1.1, 1.2]", "depends=1.1, 1.2"),
        ("Add （依赖：1.1）", "depends=1.1"),
        ("Add (需要 1.1)", "depends?=1.1"),
        ("Add (フェーズ1に依存)", "depends?=フェーズ1"),
        ("Add (hängt ab von 1.1)", "depends=1.1"),
        ("Add (dépend de 1.1)", "depends=1.1"),
        ("Add (requires admin rights)", "depends?=admin rights"),
        ("Add (priority: high)", "priority=high"),
        ("Add `(depends on 1.1)`", ""),
        ("Add [depends on](https://example.org)", ""),
        ("Add (after 2.3)", ""),
        ("depends on 1.1", ""),
    ],
)
def test_in_brackets(text: str, expected: str) -> None:
    """Within a text a field stands in brackets."""
    assert " ".join(told(inline(text))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Time: fix the zone", ""),
        ("Depends on 1.1", ""),
        ("Build it. **Depends on:** 1.2 **Effort:** 3h", "depends=1.2 effort=3h"),
        ("Build it | Depends: T1 | Effort: 2h", "depends=T1 effort=2h"),
        ("Build it\nDepends on: 1.1", "depends=1.1"),
        ("Build it\n(depends on 1.1)", "depends=1.1"),
    ],
)
def test_a_task_text(text: str, expected: str) -> None:
    """What a task begins with is its title, not a field."""
    assert " ".join(told(own_fields(text))) == expected


def test_key_of_a_heading() -> None:
    """A heading can be a key."""
    assert (key_of("🔗 Dependencies"), key_of("Prerequisites:"), key_of("Core")) == (
        "depends",
        "depends",
        None,
    )


@given(st.text("*_:|·-> \n`~<!>()[]depnso1.", max_size=120))
def test_any_text(text: str) -> None:
    """No text is too odd to be read."""
    assert all(each.values for each in (*fields(text), *inline(text), *own_fields(text)))
