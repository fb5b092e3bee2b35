"""The formulas, held against the numbers of the papers they come from."""

from __future__ import annotations

import pytest

from runner.analysis.intervals import (
    Counts,
    difference,
    holm,
    p_better,
    weighted_shares,
    wilson,
)


@pytest.mark.parametrize(
    ("won", "of", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)],
)
def test_wilson(won: int, of: int, low: float, high: float) -> None:
    """The examples of Newcombe's paper about one share (1998), method 3."""
    found = wilson(won / of, of, 0.95)

    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        ((48, 80), (56, 70), 0.0524, 0.3339),
        ((3, 10), (9, 10), 0.1705, 0.8090),
        ((0, 10), (10, 10), 0.6075, 1.0),
    ],
)
def test_newcombe(first: tuple[int, int], second: tuple[int, int], low: float, high: float) -> None:
    """The examples of Newcombe's paper about two shares (1998), method 10."""
    one = Counts((first[0], second[0]), (first[1], second[1]))
    found = difference([one], 0.95)

    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


def test_strata_undo_who_got_the_hard_tasks() -> None:
    """Simpson's paradox, with the kidney stones that made it famous (Charig et al., 1986).

    Open surgery (second) is better for small stones and for large ones, and looks worse overall,
    because it got the large ones.
    """
    small, large = Counts((234, 81), (270, 87)), Counts((55, 192), (80, 263))
    together = Counts((289, 273), (350, 350))

    assert difference([together], 0.9).value < 0
    found = difference([small, large], 0.9)
    assert found.value == pytest.approx(0.0538, abs=1e-4)
    assert found.low < found.value < found.high
    first, second = weighted_shares([small, large])
    assert second - first == pytest.approx(found.value)


def test_like_with_like_is_at_least_as_precise() -> None:
    """Strata that explain much make the interval narrower, by no more than a factor of two."""
    apart = [Counts((1, 4), (20, 20)), Counts((18, 20), (20, 20))]
    pooled = [Counts((19, 24), (40, 40))]

    wide, narrow = difference(pooled, 0.9), difference(apart, 0.9)
    assert narrow.value == pytest.approx(wide.value)
    assert wide.high - wide.low > narrow.high - narrow.low > (wide.high - wide.low) / 2**0.5 - 0.01


def test_mantel_haenszel() -> None:
    """Two strata by hand: 5 more than expected, variance 2.7517."""
    strata = [Counts((5, 8), (10, 10)), Counts((2, 9), (12, 12))]
    over = (8 - 6.5) + (9 - 5.5)
    variance = 100 * 13 * 7 / (400 * 19) + 144 * 11 * 13 / (576 * 23)

    assert (over, round(variance, 4)) == (5.0, 2.7517)
    assert p_better(strata) == pytest.approx(0.0013, abs=1e-4)


def test_nothing_to_say() -> None:
    """Where everything succeeded there is no evidence, and no division by zero."""
    everything = [Counts((5, 7), (5, 7))]

    assert p_better(everything) == 1.0
    found = difference(everything, 0.9)
    assert found.value == 0.0
    assert -0.4 < found.low < 0 < found.high < 0.4


def test_holm() -> None:
    """Holm's way: the smallest times all, the next times one fewer, never going down."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []
