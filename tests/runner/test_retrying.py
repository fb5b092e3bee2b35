"""How often something outside is tried again, and how long is waited, by a clock that is moved."""

from __future__ import annotations

import logging

import pytest

from runner.errors import Outage
from runner.retries.policy import RetryOptions, RetryPolicy, Tried
from runner.retrying import Again, TryAgain, retrying
from tests.runner.model.model_kit import Sleeps


async def tried(policy: RetryPolicy, *failures: Again) -> tuple[Sleeps, list[Tried], int]:
    """What was slept and heard until it worked or was given up, and how often it was tried."""
    sleep, heard, left, times = Sleeps(), list[Tried](), list(failures), 0
    try:
        async for attempt in retrying("the thing", policy, sleep=sleep, heard=heard.append):
            with attempt:
                times += 1
                if left:
                    raise left.pop(0)
    except Again:
        assert times == policy.attempts or policy.never
    return sleep, heard, times


def failed(kind: str = "model", after: float | None = None) -> Again:
    """A failure of a kind; ``after`` is what the other side asks to wait."""
    return Again("it is away", kind=kind, retry_after=after)


async def test_waits_grow_from_the_first_to_the_longest_within_their_jitter() -> None:
    """Doubled each time, with something at random on top, and never longer than the longest."""
    policy = RetryPolicy(attempts=6, first=2, longest=11, jitter=3)
    sleep, heard, times = await tried(policy, *[failed() for _ in range(6)])

    lows, highs = [2, 4, 8, 11, 11], [5, 7, 11, 11, 11]
    assert all(low <= s <= high for low, s, high in zip(lows, sleep, highs, strict=True))
    assert times == 6
    assert [(each.type, each.cause) for each in heard] == [("model", "it is away")] * 5
    assert [each.wait for each in heard] == [round(each, 3) for each in sleep]


async def test_what_the_other_side_asks_to_wait_is_waited() -> None:
    """Whatever the policy would have waited."""
    sleep, _, times = await tried(RetryPolicy(longest=2), failed(after=31))

    assert (sleep, times) == ([31], 2)


@pytest.mark.parametrize(
    ("kind", "never", "times"),
    [
        ("rate_limit", ("rate_limit",), 1),
        ("rate_limit", ("timeout",), 2),
        ("sandbox", ("environment",), 1),
        ("github", ("other",), 1),
    ],
)
async def test_what_is_never_retried_is_tried_once(
    kind: str, never: tuple[str, ...], times: int
) -> None:
    """By the type that the word of an outage belongs to."""
    assert (await tried(RetryPolicy(never=never), failed(kind)))[2] == times


async def test_each_retry_is_logged_with_cause_and_wait(caplog: pytest.LogCaptureFixture) -> None:
    """So that an operator sees why something took long."""
    with caplog.at_level(logging.WARNING):
        await tried(RetryPolicy(attempts=3), failed(after=7))

    assert caplog.messages == ["the thing: it is away (try 1 of 3); trying again in 7.0 s"]


def test_an_outage_that_may_pass_keeps_its_kind_and_its_text() -> None:
    """It is raised itself when no try is left."""
    again = TryAgain(outage := Outage("github", "away"), 3)

    assert (again.outage, again.kind, again.message) == (outage, "github", "away")
    assert again.retry_after == 3


def test_ceilings_lower_only_what_is_above_them() -> None:
    """A policy that asks for less is left as it is."""
    more, less = RetryPolicy(9, 20, 90, 15), RetryPolicy(2, 1, 5, 0)
    held = RetryOptions(more, less, more, ("test",)).within(3, 10)

    low = RetryPolicy(3, 10, 10, 10)
    assert held == RetryOptions(low, less, low, ("test",))
    assert RetryOptions(more, less).within(None, None) == RetryOptions(more, less)
