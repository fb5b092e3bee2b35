"""What the page of one task shows: the value that ``cairn show`` shows, cut to fit a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.pages.view import Sight, run_line
from runner.money import cost_brief
from runner.people.task_detail import TaskDetail, detail_json
from runner.state.status_words import OUTCOMES
from runner.text.sanitize import cut_middle

MOST = 40
"""Questions, and verifications, that a page shows: the newest."""

_LONGEST = 20_000
"""Characters of one text; the file has all of it."""


def task_view(sight: Sight, detail: TaskDetail, server_url: str) -> dict[str, Any]:
    """Return the object that page and JSON are made of."""
    data = detail_json(detail)
    run = run_line(sight, server_url, None)
    proposal, used = data["proposal"], detail.view.effort.used
    shown: dict[str, Any] = _cut(data)
    return shown | {
        "run": sight.run.id,
        "run_status": sight.status,
        "repository": run["repository"],
        "issue": run["issue"],
        "issue_url": run["issue_url"],
        "name": detail.view.name,
        "cost_text": cost_brief(used) if used.calls else "",
        "reasons": list(detail.attempt.spent.reasons),
        "result": detail.view.result,
        "doubt": detail.view.checks.doubt,
        "proposal_stands": OUTCOMES[str(proposal["outcome"])] if isinstance(proposal, dict) else "",
        "exchanges": _newest(data["exchanges"]),
        "verifications": _newest(data["verifications"]),
        "exchanges_total": len(detail.exchanges),
        "verifications_total": len(detail.verifications),
    }


def _newest(found: Any) -> list[Any]:
    return [_cut(each) for each in found[-MOST:]]


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return cut_middle(value, _LONGEST)
    if isinstance(value, Mapping):
        return {key: value[key] if key == "diff" else _cut(value[key]) for key in value}
    if isinstance(value, (list, tuple)):
        return [_cut(inner) for inner in value]
    return value
