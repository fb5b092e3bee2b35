"""A cut answer and its continuation become one text."""

from __future__ import annotations

import pytest

from runner.answers.continued import joined

FIRST = "a.py\n```python\nA = 1\n```\n\n"
CUT = FIRST + "b.py\n```python\nimport re\n\n\ndef b(text):\n    return re.su"
WHOLE = (
    FIRST + "b.py\n```python\nimport re\n\n\ndef b(text):\n    return re.sub('a', 'b', text)\n```\n"
)
ROWS = "t.csv\n```\n" + "0,0,0,0,0,0,0,0,0,0,0,0\n" * 3


@pytest.mark.parametrize(
    "more",
    [
        "b('a', 'b', text)\n```\n",
        "return re.sub('a', 'b', text)\n```\n",
        "def b(text):\n    return re.sub('a', 'b', text)\n```\n",
        "import re\n\n\ndef b(text):\n    return re.sub('a', 'b', text)\n```\n",
        "```python\nb('a', 'b', text)\n```\n",
        WHOLE.removeprefix(FIRST),
        "\n" + WHOLE.removeprefix(FIRST + "b.py\n"),
        WHOLE,
    ],
    ids=["goes on", "line", "lines", "content", "fence goes on", "file", "fence", "answer"],
)
def test_whatever_it_repeats_the_whole_is_the_same(more: str) -> None:
    """The continuation goes on, or begins again at any place a model may choose."""
    assert joined(CUT, more) == WHOLE


def test_rows_that_are_alike_all_stay() -> None:
    """A table repeats itself: nothing says that a row was meant twice."""
    assert joined(ROWS, "0,0,0,0,0,0,0,0,0,0,0,0\n```\n").count("0,0,0,0") == 12


def test_a_new_start_that_is_cut_sooner_is_not_taken() -> None:
    """What is there already is longer."""
    assert joined(CUT, CUT[: len(FIRST) + 20], complete=False) == CUT


def test_markdown_may_hold_a_fence_after_the_cut() -> None:
    """A fence that opens inside a Markdown file belongs to it."""
    text = "README.md\n````markdown\n# A\n\nUse it so:\n\n"

    assert joined(text, "```python\nx()\n```\n````\n").endswith(
        "so:\n\n```python\nx()\n```\n````\n"
    )


@pytest.mark.parametrize(
    ("cut", "more", "whole"),
    [
        ("a.py\n```python\nx =", "```python\nx = 1\n```\n", "a.py\n```python\nx = 1\n```\n"),
        ("a.py\n```python\nx = 1\ny =", " 2\n```\n", "a.py\n```python\nx = 1\ny = 2\n```\n"),
        ("a.py\n```python\nab", "abc\n```\n", "a.py\n```python\nabc\n```\n"),
        ("a.py\n```python\na", "abc\n```\n", "a.py\n```python\naabc\n```\n"),
        ("a.py\n```python\n(", "(1)\n```\n", "a.py\n```python\n((1)\n```\n"),
        ("a.py\n```python\n  (", "  (1)\n```\n", "a.py\n```python\n  (1)\n```\n"),
        ("one long line of prose", "one long line of prose.\n", "one long line of prose.\n"),
        ("", "a.py\n", "a.py\n"),
    ],
)  # fmt: skip
def test_short_beginnings(cut: str, more: str, whole: str) -> None:
    """Two lines or a word are enough to know a new start by; one letter is not."""
    assert joined(cut, more) == whole
