"""Audit comments keep strategy, time, original, reason and approval, and can hide nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from runner.roadmap.replace import comments, kept_at, quoted
from tests.runner.roadmap.edits import AUDIT


def test_comments() -> None:
    """One closed comment a field, times in UTC, dashes apart, line breaks written out."""
    east = datetime(2026, 3, 4, 6, 6, 7, tzinfo=timezone(timedelta(hours=1)))

    assert comments(replace(AUDIT, at=east)) == (
        "<!-- RECOVERY: DECOMPOSE at 2026-03-04T05:06:07Z -->",
        "<!-- Original: 1.1 Build - -> it -->",
        "<!-- Reason: too large\\nfor one -->",
        "<!-- Approved-by: ann -->",
    )


def test_nobody_was_asked() -> None:
    """Without an approval there is no comment about one."""
    assert not any("Approved" in line for line in comments(replace(AUDIT, approved_by="")))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\r\nb\rc\u2028d", "a\\nb\\nc\\nd"),
        ("a --> b", "a - -> b"),
        ("a ---- b", "a - - - - b"),
        ("a --!> b", "a - -!> b"),
        ("-", "-"),
        ("\x00\x1b[31m\u202e\ud800", "\ufffd\ufffd[31m\ufffd\ufffd"),
        ("  a\tb  ", "a b"),
        ("x" * 5000, "x" * 3999 + "…"),
    ],
)
def test_quoted(text: str, written: str) -> None:
    """Nothing quoted ends the comment, breaks its line or cannot be seen."""
    assert quoted(text) == written


@settings(deadline=None)
@given(st.text(), st.text(), st.text())
def test_a_comment_is_one_line_and_one_block(original: str, reason: str, name: str) -> None:
    """Whatever is quoted, each line is one closed HTML block, and what follows is not in it."""
    audit = replace(AUDIT, original=original, reason=reason, approved_by=name)

    lines = comments(audit)
    tokens = MarkdownIt("commonmark").parse("\n".join((*lines, "after")))

    assert [(t.type, t.map) for t in tokens if t.map] == [
        *(("html_block", [n, n + 1]) for n in range(len(lines))),
        ("paragraph_open", [len(lines), len(lines) + 1]),
        ("inline", [len(lines), len(lines) + 1]),
    ]


@settings(deadline=None)
@given(st.text(), st.text(), st.text(), st.sampled_from(["\n", "\r\n", "\r"]))
def test_read_back(original: str, reason: str, name: str, end: str) -> None:
    """What was written is found again, at whatever time and by whomever it is made again."""
    audit = replace(AUDIT, original=original, reason=reason, approved_by=name)
    text = end.join(["- [ ] a", *(f"  {line}" for line in comments(audit)), "- [ ] b"])

    later = replace(audit, at=audit.at + timedelta(days=1), approved_by="")

    assert kept_at(text.encode(), later) == [2]
    assert kept_at(text.encode(), replace(audit, strategy="SPLIT")) == []


@pytest.mark.parametrize(
    "line",
    [
        "<!-- RECOVERY: DECOMPOSE -->",
        "text <!-- RECOVERY: DECOMPOSE at 2026-03-04T05:06:07Z -->",
        "<!-- RECOVERY: a b at 2026-03-04T05:06:07Z -->",
    ],
)
def test_what_is_no_audit(line: str) -> None:
    """What only looks like one is passed over."""
    assert kept_at(line.encode(), replace(AUDIT, original="", reason="")) == []


def test_several() -> None:
    """Audits that follow one another are told apart."""
    second = replace(AUDIT, strategy="rewrite", reason="vague")
    text = "\n".join((*comments(AUDIT), *comments(second)))

    assert kept_at(text.encode(), AUDIT) == [1]
    assert kept_at(text.encode(), second) == [5]
