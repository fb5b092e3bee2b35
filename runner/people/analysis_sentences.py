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
from runner.text.sanitize import inert_line

Topic = Literal["routing", "models"]

MOST_ROWS = 40
"""Lines of a table; the JSON has all."""

FACTOR_NAMES = {
    "model": "model",
    "route": "planning",
    "loop": "loop strategy",
    "context": "context size",
    "form": "form of answers",
}
_ROUTES = {"single_phase": "without a plan", "planned": "planned first"}
_BANDS = {
    "small": "small (up to half of the default limits)",
    "medium": "medium (up to the default limits)",
    "large": "large (up to twice the default limits)",
    "huge": "huge (more than that)",
}
NO_HISTORY = "There is nothing to analyse yet: no attempt at a task is recorded."


@dataclass(frozen=True, slots=True)
class AnalysisTable:
    """A title, sentences, and a table below them if it has rows."""

    title: str
    sentences: tuple[str, ...]
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def tables(topic: Topic, found: Analysis) -> tuple[AnalysisTable, ...]:
    """Return what to show about a topic."""
    if not found.executions:
        return (AnalysisTable(_TITLES[topic], (NO_HISTORY, *_left_out(found))),)
    return tuple(_routing(found) if topic == "routing" else _models(found))


_TITLES = {
    "routing": "Planning",
    "models": "Models and settings",
}


def markdown(shown: Sequence[AnalysisTable]) -> str:
    """Render for a comment or a pull request."""
    parts = []
    for table in shown:
        parts += [f"### {table.title}", *table.sentences]
        if table.rows:
            lines = [table.head, tuple("---" for _ in table.head), *table.rows]
            parts.append("\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines))
    return "\n\n".join(parts)


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


def _cell(text: str) -> str:
    return inert_line(text).replace("|", "\\|")


def _left_out(found: Analysis) -> Iterator[str]:
    if found.left_out:
        records = "1 record" if found.left_out == 1 else f"{found.left_out:,} records"
        yield f"{records} could not be read (damaged, or of another version) and are left out."


def _intro(found: Analysis) -> str:
    one = found.executions == 1
    attempts = "1 attempt is" if one else f"{found.executions:,} attempts are"
    return (
        f"{attempts} recorded. An attempt is compared only with attempts at tasks of the same kind "
        f"and complexity, and only where both sides have at least {FEWEST}. Intervals have "
        f"{CONFIDENCE:.0%} confidence."
    )


def _models(found: Analysis) -> Iterator[AnalysisTable]:
    ours = [one for one in found.comparisons if one.factor != "route"]
    advised = [line for one in found.advice if one.factor != "route" for line in advice_lines(one)]
    sentences = [_intro(found), *_left_out(found)]
    if not ours:
        sentences.append(
            f"No two settings have been used {FEWEST} times each for similar tasks yet."
        )
    yield AnalysisTable(
        "Models and settings",
        (*sentences, *(advised or [_NOTHING])),
        _COMPARED,
        tuple(map(compared, ours)),
    )
    yield AnalysisTable(
        "By model, kind and complexity",
        _cut(len(found.cells)),
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


def _routing(found: Analysis) -> Iterator[AnalysisTable]:
    advised = [line for one in found.advice if one.factor == "route" for line in advice_lines(one)]
    routes = tuple(compared(one) for one in found.comparisons if one.factor == "route")
    few = () if routes else (f"No size of task was worked on {FEWEST} times each way yet.",)
    yield AnalysisTable(
        "Planning",
        (_intro(found), *_left_out(found), *few, *(advised or [_NOTHING])),
        _COMPARED,
        routes,
    )


def _cut(number: int) -> tuple[str, ...]:
    return (f"The first {MOST_ROWS} of {number:,}:",) if number > MOST_ROWS else ()


_NOTHING = "There is no advice: no other setting was clearly better than the current one."
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
    changes = inert_line(changes_text(one))
    for each in one.evidence:
        where = f" for {_BANDS[each.band]} tasks" if each.band else ""
        today, other = (inert_line(setting(each, side)) for side in (each.today, each.other))
        yield (
            f"Advice: set `{changes}`. {FACTOR_NAMES[each.factor].capitalize()}{where}: {other} "
            f"finished {_finished(each.other)} attempts, {today} {_finished(each.today)}. With the "
            f"same mix of tasks that is {points(each.difference)}."
        )


def preview_text(found: CostPreview | None, tasks: int) -> str:
    """What a run will probably take, as a sentence."""
    if found is None:
        return (
            f"No cost preview: fewer than {FEWEST_SIMILAR} similar attempts are recorded, so Cairn "
            "cannot say what this will take."
        )
    what = "1 task" if tasks == 1 else f"{tasks:,} tasks"
    cost = "cost unknown (no price)"
    if found.cost:
        low, high = dollars(found.cost.low), dollars(found.cost.high)
        cost = f"{dollars(found.cost.value)} ({low} to {high})"
    used = found.tokens
    return (
        f"Expected for {what}, judged by {found.executions:,} similar attempts: "
        f"{used.value:,.0f} tokens ({used.low:,.0f} to {used.high:,.0f}), {cost}, "
        f"{found.finished.value:.1f} finished ({found.finished.low:.0f} to "
        f"{found.finished.high:.0f}). At least 8 of 10 such ranges turn out to be right."
    )


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
    }
    parts["comparisons"] = [
        _comparison(one) for one in found.comparisons if (one.factor == "route") is route
    ]
    parts["advice"] = [
        {"id": one.id, "changes": {".".join(path): value for path, value in one.changes}}
        for one in found.advice
        if (one.factor == "route") is route
    ]
    if not route:
        parts["models"] = [
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
    return parts


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
