"""Plots as inline pictures: pure functions from numbers to SVG, readable at any width.

Places are shares of the width and heights are pixels, so that words keep their size on a phone.
Every picture has a title and a description, every mark its numbers; the pages write the same
numbers as a table below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.pages.svg import percent, picture, tag, words

COLOURS = ("one", "two", "three", "four", "five", "six")
"""Classes of the parts of a bar, and of lines, in their order; the seventh begins again."""

_ROW, _BAR, _TOP = 40, 12, 22
"""Heights in pixels: of a bar with its words, of the bar, and from the row's top to the bar."""

_HIGH, _ABOVE, _BELOW = 150, 20, 24
"""Heights in pixels: of the area of a line, and of the words above and below it."""

_LABEL = 26
"""Characters of a label, so that the numbers beside it have room on a phone."""

_THINNEST = 0.004


@dataclass(frozen=True, slots=True)
class PlotBar:
    """A row of a bar plot: what it is called, how long each part is, and its numbers in words."""

    label: str
    parts: tuple[float, ...]
    text: str


@dataclass(frozen=True, slots=True)
class PlotPoint:
    """A point of a line: where on the other axis, how high (None: not known), and in words."""

    label: str
    value: float | None
    text: str


def bars(title: str, rows: Sequence[PlotBar], *, whole: bool = False) -> str:
    """Draw one bar a row, of one part or several stacked; ``whole``: each bar fills the width."""
    longest = max((sum(row.parts) for row in rows), default=0.0)
    drawn = [
        part
        for number, row in enumerate(rows)
        for part in _bar(number * _ROW, row, sum(row.parts) if whole else longest)
    ]
    description = "; ".join(f"{row.label}: {row.text}" for row in rows) or "Nothing to show."
    return picture(title, description, *drawn, height=_ROW * len(rows), class_="plot")


def _bar(top: float, row: PlotBar, longest: float) -> Iterator[str]:
    label = row.label if len(row.label) <= _LABEL else f"{row.label[: _LABEL - 1]}…"
    yield tag("text", words(label), x=0, y=top + _TOP - 7)
    yield tag("text", words(row.text), class_="value", x="100%", y=top + _TOP - 7)
    yield tag("rect", class_="track", x=0, y=top + _TOP, width="100%", height=_BAR)
    left = 0.0
    for number, part in enumerate(row.parts):
        width = part / longest if longest > 0 else 0.0
        if width <= 0:
            continue
        yield tag(
            "rect",
            tag("title", words(f"{row.label}: {row.text}")),
            class_=f"part {COLOURS[number % len(COLOURS)]}",
            x=percent(left),
            y=top + _TOP,
            width=percent(max(width, _THINNEST)),
            height=_BAR,
        )
        left += width


def line(title: str, points: Sequence[PlotPoint], *, highest: float | None = None) -> str:
    """Draw a line through the points that are known; ``highest`` is the top, else the largest."""
    known = [point.value for point in points if point.value is not None]
    top = highest if highest is not None else max(known, default=0.0)
    places = [(_across(n, len(points)), _up(point.value, top)) for n, point in enumerate(points)]
    texts = [f"{point.label}: {point.text}" for point in points if point.value is not None]
    drawn = (*_grid(), *_ends(points), *_segments(places), *_dots(places, points))
    description = "; ".join(texts) or "Nothing to show."
    return picture(title, description, *drawn, height=_ABOVE + _HIGH + _BELOW, class_="plot")


def _across(number: int, of: int) -> float:
    return 0.5 if of == 1 else 0.02 + 0.96 * number / (of - 1)


def _up(value: float | None, top: float) -> float | None:
    if value is None:
        return None
    share = min(1.0, max(0.0, value / top)) if top > 0 else 0.0
    return _ABOVE + _HIGH * (1 - share)


def _grid() -> Iterator[str]:
    for share in (0.0, 0.5, 1.0):
        y = _ABOVE + _HIGH * share
        yield tag("line", class_="grid", x1=0, x2="100%", y1=y, y2=y)


def _ends(points: Sequence[PlotPoint]) -> Iterator[str]:
    """The words at both ends of the axis below, and the highest value above."""
    known = [point for point in points if point.value is not None]
    if not points or not known:
        return
    below = _ABOVE + _HIGH + _BELOW - 8
    yield tag("text", words(points[0].label), x=0, y=below)
    if len(points) > 1:
        yield tag("text", words(points[-1].label), class_="value", x="100%", y=below)
    best = max(known, key=lambda point: point.value or 0.0)
    yield tag("text", words(f"highest: {best.text}"), x=0, y=_ABOVE - 7)


def _segments(places: Sequence[tuple[float, float | None]]) -> Iterator[str]:
    """A line between neighbours that are known; a gap where something is not."""
    for (x1, y1), (x2, y2) in pairwise(places):
        if y1 is not None and y2 is not None:
            yield tag("line", class_="curve", x1=percent(x1), y1=y1, x2=percent(x2), y2=y2)


def _dots(
    places: Sequence[tuple[float, float | None]], points: Sequence[PlotPoint]
) -> Iterator[str]:
    for (x, y), point in zip(places, points, strict=True):
        if y is not None:
            name = tag("title", words(f"{point.label}: {point.text}"))
            yield tag("circle", name, class_="dot", cx=percent(x), cy=y, r=4)
