"""Tests that were written first, for other tasks."""

from __future__ import annotations

import pytest

from runner.findings import TestFailure
from runner.verifiers.awaited import awaits_another

TEST = "from kit.words import count\n\n\ndef test_count():\n    assert count('a b') == 2\n"


@pytest.mark.parametrize(
    ("task", "message", "awaits"),
    [
        ("Add `kit/case.py` with `upper(s)`", "No module named 'kit.words'", True),
        ("Add `kit/words.py` with `count(s)`", "No module named 'kit.words'", False),
        ("Add `kit/words.py` with `first(s)`", "cannot import name 'count' from 'kit.words'", True),
        ("Add `count(s)` to it", "ImportError: cannot import name 'count' from 'kit.words'", False),
        ("Add `kit/case.py`", "No module named 'yaml'", False),
        ("Add `kit/case.py` with `upper(s)`", "assert 1 == 2", True),
        ("Let `count` take tabs", "assert 1 == 2", False),
        ("Make it right", "assert 1 == 2", False),
        ("Add `upper(count)`", "assert 1 == 2", True),
        ("Add `upper(s)`", "module 'kit.words' has no attribute 'count'", True),
        ("Give `Text` in `kit/words.py` a method `upper()`", "assert 1 == 2", True),
        ("Give `Text` a method `count(s)`", "assert 1 == 2", False),
        ("Rewrite `kit/count.py`", "assert 1 == 2", False),
    ],
)
def test_what_a_test_waits_for(task: str, message: str, awaits: bool) -> None:
    """A name the test wants and the task does not promise belongs to another task."""
    failure = TestFailure("tests/test_words.py::test_count", message)

    assert awaits_another(failure, task=task, test=TEST) is awaits


def test_what_the_code_misses_is_not_awaited() -> None:
    """The test has the name, too, but it is the code that was just written that lacks it."""
    failure = TestFailure(
        "tests/test_words.py", "NameError: name 'count' is not defined", file="kit/words.py"
    )

    assert not awaits_another(failure, task="Add `upper(s)` to `kit/words.py`", test=TEST)
