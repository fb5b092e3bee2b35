"""Hostile files get an answer or a refusal that names the limit; no part of them is multiplied."""

from __future__ import annotations

import sys

import pytest

from runner.roadmap.parse import parse_roadmap
from runner.roadmap.source import MOST_BYTES, MOST_PIECES
from runner.roadmap.suspects import MOST_SUSPECTS
from runner.roadmap.task import Roadmap

BOX = "- [ ] "


def parse(text: str) -> Roadmap:
    """Parse a text as a roadmap."""
    return parse_roadmap("ROADMAP.md", text.encode())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"- [ ] a\n" * 2_500_000, f"20,000,000 bytes; at most {MOST_BYTES:,} are read"),
        (b"- [ ] a\n" * 1_000_000, f"8,000,000 bytes; at most {MOST_BYTES:,} are read"),
        (b"- [ ] a\n" * 150_000, f"at most {MOST_PIECES:,} are read"),
        (b"\n" * 300_000, "300,001 lines"),
        (b"|" * 300_000, "marks of lists, quotes and tables"),
        (b"- " * 300_000, "marks of lists, quotes and tables"),
        (b"> " * 30 + b"a\n" + b"a\n" * 100_000, "block quotes are nested 30 deep"),
    ],
    ids=["20 MB", "a million", "many lines", "empty lines", "cells", "marks", "quotes"],
)
def test_too_large(content: bytes, said: str) -> None:
    """A file that is too large is not read: no task, one warning, and the same in ``asks``."""
    roadmap = parse_roadmap("ROADMAP.md", content)

    assert roadmap.tasks == ()
    assert said in roadmap.asks
    assert [(w.code, w.message) for w in roadmap.warnings] == [("file-too-large", roadmap.asks)]
    assert roadmap.content is content


def test_nested_three_hundred_deep() -> None:
    """What is nested deeper than is read is told with its line, and nothing is run unasked."""
    roadmap = parse("".join(f"{'  ' * depth}- [ ] {depth}\n" for depth in range(300)))

    assert [task.place.depth for task in roadmap.tasks] == list(range(len(roadmap.tasks)))
    assert len(roadmap.tasks) >= 45
    assert "nested more than 50 deep on line 50" in roadmap.asks
    assert "too-deep" in {warning.code for warning in roadmap.warnings}


def test_quotes_a_thousand_deep() -> None:
    """The same for quotes in quotes."""
    assert parse("> " * 1000 + "a\n\n- [ ] a\n").asks


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("- [~] a", "custom-state"),
        ("- [] a", "malformed-box"),
        ("> - [ ] a\n", "quoted-task"),
        ("# [ ] a", "heading-box"),
        ("```\n- [ ] a\n```", "task-in-code"),
    ],
)
def test_warnings_are_bounded(line: str, code: str) -> None:
    """Of one kind as many are told as a person reads; the last one says how many there are."""
    found = [w for w in parse(f"{line}\n" * 300).warnings if w.code == code]

    assert len(found) == MOST_SUSPECTS + 1
    assert found[-1].message.startswith("250 more")


def test_candidates_are_bounded() -> None:
    """The same for what only reads like a task."""
    assert len(parse("- ✅ done\n" * 5_000).candidates) == 500


LINES = {
    "comments": "<!-- ",
    "stars": "*a ",
    "brackets": "[",
    "links": "[a](b ",
    "backticks": "`a``",
    "tildes": "~a~~",
    "emoji": "✅",
    "ids": "A1-",
    "numbers": "1.",
    "paths": "`a/b.c",
    "files": "files: ",
    "braces": "{{",
    "angles": "<a ",
    "keys": "Acceptance: ",
    "dashes": "- ",
    "marks": "[ ] ",
}


@pytest.mark.parametrize("piece", LINES.values(), ids=LINES)
def test_lines_that_trap_patterns(piece: str) -> None:
    """A line of a hundred thousand characters is read as one task, with a short title."""
    text = f"{BOX}a {piece * (100_000 // len(piece))}\n- [ ] b\n"
    tasks = parse(text).tasks

    assert [task.place.line for task in tasks] == [1, 2]
    assert len(tasks[0].title) <= 500


def test_nothing_is_multiplied() -> None:
    """Many sections under one long one, many tasks with the same checks: each text is held once."""
    long, many = "word " * 20_000, 2_000
    sections = "".join(f"## S{n}\n### Tasks\n- [ ] a\n" for n in range(many))
    checks = "## Definition of Done\n" + "".join(f"- [ ] check {n}\n" for n in range(many))
    tasks = parse(f"# Phase 1\n\n{long}\n\n{sections}{checks}").tasks

    texts = {id(task.place.section): task.place.section for task in tasks}
    assert sum(map(sys.getsizeof, texts.values())) < 10_000_000
    shared = {id(task.acceptance): task.acceptance for task in tasks}
    assert sum(map(len, shared.values())) <= 50 * (many + 1)
    assert {len(task.acceptance) for task in tasks if task.kind == "work"} == {50}
