"""The theory's values are those of the table that was printed for it."""

from __future__ import annotations

import pytest

from bench.loop.draws import draw, weighed
from bench.loop.stats import mean, share
from bench.loop.theory import Model, expected

# p, x, single, regenerate (calls), 2 + 2 surgical (calls), alternating (calls)
PRINTED = [
    (0.1, 0.3, 0.123, 0.303, 2.47, 0.555, 2.55, 0.593, 3.16),
    (0.1, 0.6, 0.123, 0.303, 2.47, 0.811, 2.22, 0.796, 2.55),
    (0.3, 0.3, 0.318, 0.645, 2.03, 0.654, 2.20, 0.778, 2.55),
    (0.3, 0.6, 0.318, 0.645, 2.03, 0.853, 1.95, 0.878, 2.14),
    (0.3, 0.9, 0.318, 0.645, 2.03, 0.939, 1.73, 0.934, 1.79),
    (0.5, 0.3, 0.512, 0.848, 1.65, 0.753, 1.86, 0.894, 2.01),
    (0.5, 0.6, 0.512, 0.848, 1.65, 0.895, 1.68, 0.933, 1.76),
    (0.5, 0.9, 0.512, 0.848, 1.65, 0.956, 1.52, 0.956, 1.55),
    (0.7, 0.3, 0.707, 0.951, 1.34, 0.852, 1.52, 0.958, 1.55),
    (0.7, 0.6, 0.707, 0.951, 1.34, 0.937, 1.41, 0.968, 1.43),
    (0.9, 0.6, 0.902, 0.991, 1.10, 0.979, 1.14, 0.991, 1.13),
]
_HALF = 0.0005 + 1e-9
_HALF_A_CALL = 0.005 + 1e-9


@pytest.mark.parametrize("row", PRINTED, ids=lambda row: f"p{row[0]}-x{row[1]}")
def test_printed_values_come_out_of_the_chain(row):
    """Each share to three digits, each number of calls to two."""
    model = Model(row[0], row[1])

    found = [expected(model, name) for name in ("single", "regenerate", "repair", "hybrid")]

    shares = [ends.finished for ends in found]
    calls = [ends.calls for ends in found]
    assert shares == pytest.approx([row[2], row[3], row[5], row[7]], abs=_HALF)
    assert calls == pytest.approx([1, row[4], row[6], row[8]], abs=_HALF_A_CALL)


def test_a_model_that_is_always_right_needs_one_call():
    """At p = 1 nothing is claimed wrongly and nothing repaired."""
    ends = expected(Model(1, 1), "hybrid")

    assert (ends.finished, ends.claimed, ends.calls) == (1, 0, 1)


def test_the_chances_of_every_answer_sum_to_one():
    """No answer gets lost between the kinds."""
    model = Model(0.3, 0.6)

    for chances in (model.fresh(), *(model.repaired(a) for a in ("wrong", "syntax", "buried"))):
        assert sum(chances.values()) == pytest.approx(1)


def test_a_draw_is_the_same_each_time_and_even():
    """The mean of many draws is a half, and asking again changes none."""
    drawn = [draw("seed", number) for number in range(2000)]

    assert drawn == [draw("seed", number) for number in range(2000)]
    assert sum(drawn) / len(drawn) == pytest.approx(0.5, abs=0.02)


def test_names_are_drawn_by_their_chances():
    """A name with a quarter of the chances is drawn a quarter of the time."""
    drawn = [weighed({"a": 0.25, "b": 0.75}, number) for number in range(2000)]

    assert drawn.count("a") / len(drawn) == pytest.approx(0.25, abs=0.03)


def test_a_share_has_wilsons_interval():
    """9 of 10: 0.596 to 0.982 (Newcombe 1998 gives the method)."""
    found = share(9, 10)

    assert (found.low, found.high) == (
        pytest.approx(0.596, abs=1e-3),
        pytest.approx(0.982, abs=1e-3),
    )


def test_the_interval_of_a_mean_grows_when_the_groups_differ():
    """Values that hang together in groups say less than as many that do not."""
    apart = mean([[0.0], [1.0]] * 20)
    together = mean([[0.0] * 10, [1.0] * 10, [0.0] * 10, [1.0] * 10])

    assert apart.value == together.value == 0.5
    assert together.off > apart.off
