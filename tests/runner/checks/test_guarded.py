"""Checks that fail, and checks for which no time is left."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import count

from runner.checks.guarded import MAX_SECONDS, said_by, time_for_checks


def _wrong(text: str) -> Iterator[str]:
    yield text[len(text)]


def _right(text: str) -> Iterator[str]:
    yield text


def test_a_check_that_fails_says_nothing() -> None:
    """A bug in a check leaves out what it would say."""
    assert said_by(_wrong, "a") == ()


async def test_those_after_the_limit_are_left_out() -> None:
    """All checks of an answer share a time, in whichever thread they run; each answer has its own.

    Each look at this clock is most of the limit later, so two checks are over it.
    """
    seconds = count(step=MAX_SECONDS * 0.6)
    for _ in range(2):
        with time_for_checks(lambda: next(seconds)) as used:
            said = [await asyncio.to_thread(said_by, _right, "a") for _ in range(3)]

        assert said == [("a",), ("a",), ()]
        assert used.left_out == [f"{__name__}._right"]
    assert said_by(_right, "a") == ("a",)
