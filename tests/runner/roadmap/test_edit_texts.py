"""Text of a model stands in a list item as one plain paragraph, or is refused with a reason."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from runner.roadmap.task import NewTask
from runner.roadmap.writing import LONGEST_TITLE, task_fault, text_fault, tidied
from tests.runner.roadmap.edits import boxes, texts


@pytest.mark.parametrize(
    "text",
    [
        "Add `src/a.py` with `List<int>`",
        "Use **bold**, _italics_ and [a link](https://e.org)",
        "See <https://e.org>",
        "two\nlines",
        "1.2 Do it",
        "a < b and c > d",
        "1984 was long ago",
        "#12 is fixed",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467 families",
        "x" * LONGEST_TITLE,
    ],
)
def test_plain(text: str) -> None:
    """Ordinary sentences fit."""
    assert text_fault(text) == ""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is empty"),
        ("x" * (LONGEST_TITLE + 1), "has 10001 characters"),
        ("# Phase", "begins a heading in line 1"),
        ("a\n# Phase", "begins a heading in line 2"),
        ("a\n===", "line of dashes"),
        ("a\n---", "line of dashes"),
        ("- item", "begins a list"),
        ("a\n* item", "begins a list"),
        ("1. one", "begins a list"),
        ("```", "begins a code block"),
        ("a\n~~~\nb", "begins a code block in line 2"),
        ("> quote", "begins a block quote"),
        ("<div>", "begins HTML"),
        ("</details>", "begins HTML"),
        ("***", "begins a ruler"),
        ("a | b\n--- | ---", "line of dashes"),
        ("a\n:--", "line of dashes"),
        ("a | b\n--- | --- \n1 | 2", "line of dashes"),
        ("one\n\ntwo", "has a blank line"),
        ("[x]: https://e.org", "defines a link"),
        ("[a]: /u\nwords", "defines a link"),
        ("[^1]: note", "defines a link"),
        ("[ ] box", "begins with a checkbox"),
        ("[X] box", "begins with a checkbox"),
        ("hide <!-- this -->", "opens or closes a comment"),
        ("end -->", "opens or closes a comment"),
        ("a List<String> b", "contains HTML"),
        ("a <b>bold", "contains HTML"),
        ("a\x00b", "U+0000"),
        ("a\tb", "U+0009"),
        ("a\x1b[31mb", "U+001B"),
        ("a\u202eb", "U+202E, RIGHT-TO-LEFT OVERRIDE"),
        ("a\u2028b", "U+2028"),
        ("a\U000e0041b", "U+E0041"),
        ("a\ud800b", "U+D800"),
    ],
)
def test_hostile(text: str, why: str) -> None:
    """What would become anything else, or be seen by nobody, is named."""
    assert why in text_fault(text)


def test_tidied() -> None:
    """Line ends and blanks around lines are no part of a text."""
    assert tidied(" a  \r\n\tb \rc\n") == "a\nb\nc"


@pytest.mark.parametrize(
    ("task", "why"),
    [
        (NewTask("a", id="1.1\n- [ ] b"), "is not a short word or number"),
        (NewTask("a", id="**1**"), "is not a short word or number"),
        (NewTask("a", details=("b",) * 101), "more than 100 details"),
        (NewTask("a", details=("b", "# c")), "its detail 2 begins a heading"),
        (NewTask("a", acceptance=("```",)), "its criterion 1 begins a code block"),
        (NewTask("a box [x] in it"), "names [x]"),
        (NewTask("a", details=("[ ] b",)), "its detail 1 begins with a checkbox"),
    ],
)
def test_which_text_it_is(task: NewTask, why: str) -> None:
    """The reason says which of a task's texts is meant."""
    assert why in task_fault(task)


@settings(deadline=None)
@given(texts)
def test_github_shows_one_box(text: str) -> None:
    """What fits makes one open box on GitHub, however it was meant, and ends with its item."""
    task = NewTask(text)
    if task_fault(task):
        return
    lines = "\n  ".join(tidied(text).split("\n"))

    assert boxes(f"- [ ] {lines}\n- [x] after\n".encode()) == [False, True]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", ["[", "![", "*a ", "`", "<a ", "<!A", "[a](<", "**a_", "&", "\\"])
def test_long_nonsense_is_judged(piece: str) -> None:
    """The longest text that is read takes a moment (0.1 s), whatever it is made of."""
    assert isinstance(text_fault(piece * (LONGEST_TITLE // len(piece))), str)
