"""Checks that fail, and checks for which no time is left."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

from runner.checks.guarded import said_by, time_for_checks


def _wrong(text: str) -> Iterator[str]:
    yield text[len(text)]


def _right(text: str) -> Iterator[str]:
    yield text


def test_a_check_that_fails_says_nothing() -> None:
    """A bug in a check leaves out what it would say."""
    assert said_by(_wrong, "a") == ()


def _endless(text: str) -> Iterator[str]:
    while text:
        pass
    yield text


async def test_one_that_takes_too_long_is_stopped_and_the_others_go_on() -> None:
    """Each check has a time of its own, in whichever thread it runs."""
    with time_for_checks(0.1) as used:
        assert await asyncio.to_thread(said_by, _endless, "a") == ()
        assert await asyncio.to_thread(said_by, _right, "a") == ("a",)

    assert used.left_out == [f"{__name__}._endless"]


def _without_threads(text: str) -> Iterator[str]:
    threading.stack_size(1 << 50)
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer) and thread.interval < 1:
            thread.join()  # it has looked, and could not start the next one
    yield text


def test_where_no_thread_can_be_started() -> None:
    """A check that runs already ends as ever; the next one is left out."""
    before = threading.stack_size()
    try:
        with time_for_checks(0.1):
            assert said_by(_without_threads, "a") == ("a",)
        assert said_by(_right, "a") == ()
    finally:
        threading.stack_size(before)
