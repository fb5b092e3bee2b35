"""What a bench says: a table with intervals, for people, as JSON and as a page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import mean
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from app.bench.play import BenchResult
from app.bench.texts import bench_texts
from runner.analysis.intervals import wilson
from runner.files.durable import write_file
from runner.money import dollars
from runner.people.history_sentences import HistoryTable, duration

_CONFIDENCE = 0.95
SHARES = ("shown", "claimed_and_wrong", "broken", "made")


def stored(place: Path, contestant: str = "*") -> list[BenchResult]:
    """The results of all contestants below a folder, or of one."""
    found = sorted(place.glob(f"{contestant}/*.json"))
    return [BenchResult(**json.loads(path.read_text(encoding="utf-8"))) for path in found]


def report_of(suite: str, project: str, results: Iterable[BenchResult]) -> dict[str, Any]:
    """Return everything for programs; a share is ``n`` of ``of`` with the limits of 95 %."""
    by_contestant: dict[tuple[str, str], list[BenchResult]] = {}
    for each in results:
        by_contestant.setdefault((each.agent, each.model), []).append(each)
    return {
        "suite": suite,
        "project": project,
        "contestants": [_row(*who, rows) for who, rows in by_contestant.items()],
        "tasks": [
            {**asdict(each), "result": each.word}
            for rows in by_contestant.values()
            for each in rows
        ],
    }


def _row(agent: str, model: str, rows: Sequence[BenchResult]) -> dict[str, Any]:
    costs = [each.cost for each in rows if each.cost is not None]
    return {
        "agent": agent,
        "model": model,
        **{
            name: _share(sum(bool(getattr(each, name)) for each in rows), len(rows))
            for name in SHARES
        },
        "right": _share(sum(each.right for each in rows), len(rows)),
        "calls": mean(each.calls for each in rows),
        "tokens": mean(each.tokens for each in rows),
        "cost": sum(costs) if len(costs) == len(rows) else None,
        "seconds": mean(each.seconds for each in rows),
    }


def _share(n: int, of: int) -> dict[str, float]:
    limits = wilson(n / of, of, _CONFIDENCE)
    return {"n": n, "of": of, "low": round(limits.low, 4), "high": round(limits.high, 4)}


def share_text(share: dict[str, float]) -> str:
    """A share with its limits: ``3 of 10 [11 %, 60 %]``."""
    limits = f"{share['low']:.0%}, {share['high']:.0%}".replace("%", " %")
    return f"{share['n']} of {share['of']} [{limits}]"


def as_table(report: dict[str, Any]) -> HistoryTable:
    """The same for people: a row for each contestant."""
    head = ("Agent", "Model", "Right", "Shown", "Claimed and wrong", "Broken", "Calls", "Tokens")
    rows = tuple(
        (
            row["agent"],
            row["model"],
            *(share_text(row[name]) for name in ("right", *SHARES[:3])),
            f"{row['calls']:.1f}",
            f"{row['tokens']:,.0f}",
            "unknown" if row["cost"] is None else dollars(row["cost"]),
            duration(row["seconds"]),
        )
        for row in report["contestants"]
    )
    return HistoryTable(bench_texts.title(report), (*head, "Cost", "Time"), rows, (6, 7, 8, 9))


def write_report(place: Path, report: dict[str, Any]) -> None:
    """Write ``report.json`` and ``report.html``. Raises ``Outage``."""
    pages = Environment(
        loader=PackageLoader("app.bench"), undefined=StrictUndefined, autoescape=True
    )
    pages.filters["dollars"] = dollars
    page = pages.get_template("report.html.j2").render(
        report=report, table=as_table(report), duration=duration
    )
    write_file(place / "report.json", (json.dumps(report, indent=2) + "\n").encode())
    write_file(place / "report.html", page.encode("utf-8", "replace"))
