"""What the analysis of the history says, for people and for programs.

The terminal, the comment, the page, the pull request and the JSON are all made here, from one
value, so their digits agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from runner.analysis.advice import Advice
from runner.analysis.compare import CONFIDENCE, FEWEST, Comparison, Side
from runner.analysis.intervals import Interval
from runner.analysis.preview import FEWEST_SIMILAR, CostPreview
from runner.analysis.recorded import Analysis
from runner.money import dollars
from runner.people.texts import analysis_texts
from runner.text.sanitize import inert_line

Topic = Literal["routing", "models"]

MOST_ROWS = 40
"""Lines of a table; the JSON has all."""

FACTOR_NAMES = {
    "model": "model",
    "route": "planning",
    "loop": "loop strategy",
    "context": "context size",
}
_ROUTES = {"single_phase": "without a plan", "planned": "planned first"}


@dataclass(frozen=True, slots=True)
class AnalysisTable:
    """A title, sentences, and a table below them if it has rows."""

    title: str
    sentences: tuple[str, ...]
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def tables(topic: Topic, found: Analysis) -> tuple[AnalysisTable, ...]:
    """Return what to show about a topic."""
    left_out = [analysis_texts.left_out(found.left_out)] if found.left_out else []
    title = "Planning" if topic == "routing" else "Models and settings"
    if not found.executions:
        return (AnalysisTable(title, (analysis_texts.nothing_yet(), *left_out)),)
    ours = [one for one in found.comparisons if (one.factor == "route") is (topic == "routing")]
    advised = [
        line
        for one in found.advice
        if (one.factor == "route") is (topic == "routing")
        for line in advice_lines(one)
    ]
    said = [analysis_texts.intro(found.executions, FEWEST, CONFIDENCE), *left_out]
    if not ours:
        few = analysis_texts.too_few_ways if topic == "routing" else analysis_texts.too_few
        said.append(few(FEWEST))
    said += advised or [analysis_texts.no_advice()]
    first = AnalysisTable(title, tuple(said), _COMPARED, tuple(map(compared, ours)))
    return (first,) if topic == "routing" else (first, _cells(found))


def markdown(shown: Sequence[AnalysisTable]) -> str:
    """Render for a comment or a pull request."""
    parts = []
    for table in shown:
        parts += [f"### {table.title}", *table.sentences]
        if table.rows:
            lines = [table.head, tuple("---" for _ in table.head), *table.rows]
            parts.append("\n".join(f"| {' | '.join(map(cell, line))} |" for line in lines))
    return "\n\n".join(parts)


def cell(text: str) -> str:
    """Foreign text in a cell of a table."""
    return inert_line(text).replace("|", "\\|")


def plain(shown: Sequence[AnalysisTable]) -> str:
    """Render for a terminal."""
    parts = []
    for table in shown:
        parts += ["\n".join([table.title, *table.sentences])]
        if table.rows:
            lines = [table.head, *table.rows]
            widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
            padded = ([c.ljust(w) for c, w in zip(row, widths, strict=True)] for row in lines)
            parts.append("\n".join("  ".join(row).rstrip() for row in padded))
    return "\n\n".join(parts)


def _cells(found: Analysis) -> AnalysisTable:
    number = len(found.cells)
    return AnalysisTable(
        "By model, kind and complexity",
        (f"The first {MOST_ROWS} of {number:,}:",) if number > MOST_ROWS else (),
        ("kind", "complexity", "model", "attempts", "finished", "tokens", "cost", "seconds"),
        tuple(
            (
                one.kind,
                one.complexity,
                one.model,
                f"{one.executions:,}",
                f"{one.succeeded:,} ({percent(one.succeeded / one.executions)})",
                f"{one.tokens:,.0f}",
                _money(one.cost),
                f"{one.seconds:,.0f}",
            )
            for one in found.cells[:MOST_ROWS]
        ),
    )


_COMPARED = (
    "what",
    "current",
    "other",
    "finished (current)",
    "finished (other)",
    "difference",
    "by chance",
    "cost",
)


def compared(one: Comparison) -> tuple[str, ...]:
    """One comparison as cells of a table."""
    what = FACTOR_NAMES[one.factor] + (f", {one.band} tasks" if one.band else "")
    return (
        what,
        setting(one, one.today),
        setting(one, one.other),
        _finished(one.today),
        _finished(one.other),
        points(one.difference),
        _chance(one.adjusted),
        f"{_money(one.today.cost)}, other {_money(one.other.cost)}",
    )


def setting(one: Comparison, side: Side) -> str:
    """How a side was set, in words."""
    return _ROUTES.get(side.name, side.name) if one.factor == "route" else side.name


def _finished(side: Side) -> str:
    return f"{percent(side.success)} of {side.executions:,}"


def _chance(p: float) -> str:
    return "under 0.1 %" if p < 0.001 else f"{100 * p:.1f} %"


def _money(amount: float | None) -> str:
    return "unknown" if amount is None else dollars(amount)


def percent(share: float) -> str:
    """A share in whole percent."""
    return f"{int(100 * share + 0.5)} %"


def points(found: Interval) -> str:
    """A difference in points, with its interval."""
    return f"{100 * found.value:+.0f} points ({100 * found.low:+.0f} to {100 * found.high:+.0f})"


def changes_text(one: Advice) -> str:
    """What advice changes, as one line: ``model.name: elm-2``."""
    return ", ".join(f"{'.'.join(path)}: {value}" for path, value in one.changes)


def advice_lines(one: Advice) -> Iterator[str]:
    """Advice as sentences: what to set, and why."""
    for each in one.evidence:
        today, other = (
            (inert_line(setting(each, side)), _finished(side)) for side in (each.today, each.other)
        )
        yield analysis_texts.advice(
            inert_line(changes_text(one)),
            FACTOR_NAMES[each.factor],
            each.band,
            other,
            today,
            points(each.difference),
        )


def preview_text(found: CostPreview | None, tasks: int) -> str:
    """What a run will probably take, as a sentence."""
    return analysis_texts.preview(found, tasks, FEWEST_SIMILAR)


def preview_json(found: CostPreview | None) -> dict[str, Any] | None:
    """The same for programs; None without enough history."""
    if found is None:
        return None
    return {
        "tasks": found.tasks,
        "executions": found.executions,
        "tokens": _amounts(found.tokens, 0),
        "cost": _amounts(found.cost, 6) if found.cost else None,
        "finished": _amounts(found.finished, 2),
    }


def _amounts(one: Interval, digits: int) -> dict[str, float]:
    values = {"value": one.value, "low": one.low, "high": one.high}
    return {name: round(value, digits) for name, value in values.items()}


def as_json(topic: Topic, found: Analysis) -> dict[str, Any]:
    """The same for programs: shares from 0 to 1, rounded to four digits."""
    route = topic == "routing"
    parts: dict[str, Any] = {
        "topic": topic,
        "executions": found.executions,
        "left_out": found.left_out,
        "comparisons": [
            _comparison(one) for one in found.comparisons if (one.factor == "route") is route
        ],
        "advice": [
            {"id": one.id, "changes": {".".join(path): value for path, value in one.changes}}
            for one in found.advice
            if (one.factor == "route") is route
        ],
    }
    models = [
        {
            "model": one.model,
            "kind": one.kind,
            "complexity": one.complexity,
            "executions": one.executions,
            "succeeded": one.succeeded,
            "tokens": round(one.tokens),
            "cost": None if one.cost is None else round(one.cost, 6),
            "seconds": round(one.seconds, 1),
        }
        for one in found.cells
    ]
    return parts if route else parts | {"models": models}


def _comparison(one: Comparison) -> dict[str, Any]:
    return {
        "factor": one.factor,
        "size": one.band,
        "today": _side(one.today),
        "other": _side(one.other),
        "difference": _interval(one.difference),
        "strata": one.strata,
        "without_counterpart": one.left_out,
        "by_chance": round(one.adjusted, 4),
        "better": one.speaks(),
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "name": side.name,
        "executions": side.executions,
        "succeeded": side.succeeded,
        "success": round(side.success, 4),
        "tokens": round(side.tokens),
        "cost": None if side.cost is None else round(side.cost, 6),
        "seconds": round(side.seconds, 1),
    }


def _interval(one: Interval) -> dict[str, float]:
    return {"value": round(one.value, 4), "low": round(one.low, 4), "high": round(one.high, 4)}
