"""Pictures of numbers and of times, as inline SVG; they are drawn by ``pictures.html.j2``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from runner.state.status_words import STEPS

COLOURS = ("one", "two", "three", "four", "five", "six")
"""Classes of the parts of a bar, and of lines, in their order; the seventh begins again."""

KINDS: Mapping[str, str] = {
    "plan_task": "plan",
    "build_context": "plan",
    "execute_task": "model",
    "repair_code": "model",
    "repair_test": "model",
    "validate_code": "check",
    "write_files": "check",
    "verify_task": "check",
    "checkpoint": "publish",
    "classify_failure": "recover",
    "propose_recovery": "recover",
    "await_approval": "recover",
    "apply_recovery": "recover",
}
"""Nodes by what they do; each kind has a colour."""


@dataclass(frozen=True, slots=True)
class PlotBar:
    """A row of a bar plot: what it is called, how long each part is, and its numbers in words."""

    label: str
    parts: tuple[float, ...]
    text: str

    @property
    def length(self) -> float:
        """How long all parts are."""
        return sum(self.parts)


@dataclass(frozen=True, slots=True)
class PlotPoint:
    """A point of a line: where on the other axis, how high (None: not known), and in words."""

    label: str
    value: float | None
    text: str


def bars(title: str, rows: Sequence[PlotBar], *, whole: bool = False) -> str:
    """Draw one bar a row, of one part or several stacked; ``whole``: each bar fills the width."""
    return str(pictures().bars(title, rows, whole))


def line(title: str, points: Sequence[PlotPoint], *, highest: float | None = None) -> str:
    """Draw a line through the points that are known; ``highest`` is the top, else the largest."""
    return str(pictures().line(title, points, highest))


@cache
def pictures() -> Any:
    """Return the macros that draw; every word in a picture is escaped."""
    environment = Environment(
        loader=PackageLoader("app.pages"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"colours": COLOURS, "kinds": KINDS, "steps_in_words": STEPS}
    environment.filters |= {
        "label": lambda text, most: text if len(text) <= most else f"{text[: most - 1]}…",
        "percent": lambda share: f"{_pixels(100 * share)}%",
        "px": _pixels,
    }
    return environment.get_template("pictures.html.j2").module


def _pixels(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
