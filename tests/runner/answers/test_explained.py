"""The sentences in which a model says what it did, in the forms that models use."""

from __future__ import annotations

import pytest

from runner.answers.reply import parse_reply

FILE = "a.py\n```python\nx = 1\n```\n"


def said(text: str) -> str:
    """What is taken from an answer."""
    return parse_reply(text, paths=["a.py"], read=lambda path: b"x = 0\n").explanation


@pytest.mark.parametrize(
    ("around", "taken"),
    [
        ("{}", ""),
        ("I set `x` to 1 because the task asks.\n\n{}", "I set `x` to 1 because the task asks."),
        ("{}\nNow `x` is 1 as the task asks.\n", "Now `x` is 1 as the task asks."),
        ("Sure! Here is the code:\n{}", ""),
        ("Here is the module with its tests.\n{}", ""),
        ("# Changes\n\n- `x` is set to 1 now\n- nothing else was changed\n\n{}",
         "`x` is set to 1 now. nothing else was changed."),
        ("The value of `x` is\nset to one here.\n\n{}", "The value of `x` is set to one here."),
        ("One is the first. Two is the second one. Three is the third one. Four is too much.\n{}",
         "One is the first. Two is the second one. Three is the third one."),
        ("<think>I must think about this for long.</think>\nIt sets `x` to one.\n{}",
         "It sets `x` to one."),
        ("DELETE b.py and what else is there now.\n{}", ""),
    ],
)  # fmt: skip
def test_what_is_taken(around: str, taken: str) -> None:
    """Sentences before the first file, else after the last; no headings and no introductions."""
    assert said(around.format(FILE)) == taken


def test_a_very_long_one_is_cut() -> None:
    """A flood of words stays short, on one line."""
    text = said("word " * 50_000 + "end.\n\n" + FILE)

    assert len(text) < 700
    assert "\n" not in text
