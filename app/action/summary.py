"""The job summary: the runs as their comments show them, and who is waited for.

(https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#adding-a-job-summary)
"""

from __future__ import annotations

from collections.abc import Sequence

from app.action.report import Report
from app.progress.tasks import cell
from app.progress.text import progress_text
from app.store.proposals import StoredProposal
from runner.defuse import defuse

MOST = 1_000_000
"""Bytes; GitHub takes 1 MiB of a step."""

_CELL = 200


def summary(report: Report) -> str:
    """Render it as Markdown, in at most ``MOST`` bytes."""
    parts = ["## Cairn", *report.about, *map(_plain, report.done.said), _plain(report.done.left)]
    parts.append(_waiting(report.open))
    left = MOST - sum(len(part.encode()) + 2 for part in parts)
    for nth, (run, state) in enumerate(report.runs):
        text = progress_text(run.id, run.status, run.reason, state)
        left -= len(text.encode()) + 2
        if left < _CELL:
            parts.append(f"… {len(report.runs) - nth} more runs")
            break
        parts.append(text)
    if not report.runs and not report.done.said and not report.done.left:
        parts.append("Nothing was to be done.")
    return "\n\n".join(part for part in parts if part) + "\n"


def _waiting(open_: Sequence[StoredProposal]) -> str:
    """The proposals nobody has answered."""
    if not open_:
        return ""
    rows = ["| proposal | task | what | where |", "| --- | --- | --- | --- |"]
    rows += [
        f"| `{each.fingerprint[:8]}` | {cell(each.name, _CELL)} | {each.strategy} | {each.url} |"
        for each in open_[:100]
    ]
    head = "### Waiting for a decision\n\n👍 or `/approve` there does it, 👎 or `/reject` does not."
    return head + "\n\n" + "\n".join(rows)


def _plain(text: str) -> str:
    return defuse(text, plain=True)
