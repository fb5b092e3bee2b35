"""Plots: numbers in, one picture out, with the same numbers in words."""

from __future__ import annotations

import pytest
from defusedxml.ElementTree import fromstring
from hypothesis import given
from hypothesis import strategies as st

from app.pages.plots import PlotBar, PlotPoint, bars, line

HOSTILE = '"><script>alert(1)</script>&'
NUMBERS = st.floats(0, 1e12, allow_nan=False)


def marks(drawn, kind):
    """The marks of a class with their places as shares."""
    root = fromstring(drawn)
    return [each for each in root.iter() if kind in each.get("class", "").split()]


def share(value):
    return float(value.removesuffix("%")) / 100


def test_the_longest_bar_fills_the_width_and_others_their_share():
    """Half as much is half as long."""
    drawn = bars("Time", [PlotBar("a", (10.0,), "10 s"), PlotBar("b", (5.0,), "5 s")])

    assert [share(part.get("width")) for part in marks(drawn, "part")] == [1.0, 0.5]


def test_parts_of_a_bar_stand_beside_each_other():
    """Each begins where the one before it ends, in a colour of its own."""
    drawn = bars("Ends", [PlotBar("all", (6.0, 3.0, 1.0), "10")], whole=True)

    parts = marks(drawn, "part")
    assert [share(part.get("x")) for part in parts] == [0.0, 0.6, 0.9]
    assert [part.get("class") for part in parts] == ["part one", "part two", "part three"]


def test_a_whole_bar_is_as_wide_as_any_other():
    """Shares are compared, not sizes."""
    rows = [PlotBar("a", (1.0, 1.0), ""), PlotBar("b", (300.0, 100.0), "")]
    widths = [share(part.get("width")) for part in marks(bars("x", rows, whole=True), "part")]

    assert widths == [0.5, 0.5, 0.75, 0.25]


def test_a_line_goes_up_with_its_values():
    """The highest is at the top, 0 at the bottom."""
    points = [PlotPoint("1", 0.0, "0"), PlotPoint("2", 50.0, "50"), PlotPoint("3", 100.0, "100")]
    dots = marks(line("Success", points), "dot")

    heights = [float(dot.get("cy")) for dot in dots]
    assert heights == [170.0, 95.0, 20.0]
    assert [share(dot.get("cx")) for dot in dots] == [0.02, 0.5, 0.98]


def test_what_is_not_known_is_a_gap():
    """No line is drawn over a day on which nothing ended."""
    points = [PlotPoint(str(n), value, "") for n, value in enumerate([1.0, None, 1.0, 1.0])]
    drawn = line("Success", points)

    assert len(marks(drawn, "dot")) == 3
    assert len(marks(drawn, "curve")) == 1


def test_a_scale_can_be_fixed():
    """Percent are out of a hundred, whatever was reached."""
    drawn = line("Success", [PlotPoint("a", 50.0, "50 %")], highest=100.0)

    (dot,) = marks(drawn, "dot")
    assert float(dot.get("cy")) == 95.0


def test_whoever_does_not_see_it_reads_the_numbers():
    """Title and description say what is drawn."""
    root = fromstring(bars("Time by node", [PlotBar("verify_task", (2.0,), "2.0 s")]))

    assert root.get("role") == "img"
    assert root.get("aria-label") == "Time by node. verify_task: 2.0 s"
    assert [each.text for each in root if each.tag in ("title", "desc")] == [
        "Time by node",
        "verify_task: 2.0 s",
    ]


@pytest.mark.parametrize("drawn", [bars("x", []), line("x", []), bars("x", [PlotBar("a", (), "")])])
def test_nothing_is_a_picture_too(drawn):
    """No division by nothing."""
    assert fromstring(drawn).tag == "svg"


def test_foreign_words_stay_words():
    """Names of models and tasks add no element."""
    drawn = bars(HOSTILE, [PlotBar(HOSTILE, (1.0,), HOSTILE)])
    drawn += line(HOSTILE, [PlotPoint(HOSTILE, 1.0, HOSTILE)])

    found = {each.tag for each in fromstring(f"<div>{drawn}</div>").iter()}
    assert found <= {"div", "svg", "title", "desc", "text", "rect", "line", "circle"}
    assert "style=" not in drawn


@given(st.lists(st.lists(NUMBERS, max_size=8), max_size=20), st.booleans())
def test_any_numbers_stay_inside_the_picture(rows, whole):
    """No bar ends outside, however small or large its parts are."""
    drawn = bars("x", [PlotBar("a", tuple(parts), "") for parts in rows], whole=whole)

    for part in marks(drawn, "part"):
        assert 0 <= share(part.get("x")) <= 1
        assert share(part.get("x")) + share(part.get("width")) <= 1.05


@given(st.lists(st.one_of(st.none(), NUMBERS), max_size=40))
def test_any_line_stays_inside_the_picture(values):
    """Every point is between top and bottom."""
    points = [PlotPoint(str(n), value, "") for n, value in enumerate(values)]

    for dot in marks(line("x", points), "dot"):
        assert 20 <= float(dot.get("cy")) <= 170
